package legacy_test

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/legacy"
	"github.com/bowline-mcp/bowline/internal/engine/transport/transporttest"
)

func TestAClientIsAskedOnTheAnswerOfItsCall(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{})
		s.asks = []question{{"roots/list", `{}`}, {"elicitation/create", `{"mode":"url","url":"https://example.com"}`}}
		c := s.client(t, "2025-11-25")
		answer := c.follow(t, callOf(7, "ask"))
		asked := answer.News()
		ids := questionIDs(asked)
		if len(ids) != 2 || ids[0] == ids[1] || !regexp.MustCompile(`"method":"roots/list".*\n(.*\n)+.*"method":"elicitation/create".*"elicitationId":"`).MatchString(asked) {
			t.Fatalf("the client is asked\n%s", asked)
		}
		c.expect(t, `{"jsonrpc":"2.0","id":`+ids[1]+`,"result":{"action":"accept"}}`, http.StatusAccepted, "")
		c.expect(t, `{"jsonrpc":"2.0","id":99`+ids[0]+`,"result":{}}`, http.StatusAccepted, "") // no such question is open
		c.expect(t, `{"jsonrpc":"2.0","id":"`+ids[0]+`","result":{}}`, http.StatusAccepted, "")
		answer.Gets(t, "before it has answered both")
		c.expect(t, `{"jsonrpc":"2.0","id":`+ids[0]+`,"result":{"roots":[]}}`, http.StatusAccepted, "")
		answer.Gets(t, "the answers", `"params":{"roots":[]}`, `"params":{"action":"accept"}`, `"id":7,"result"`)
	})
}

// questionIDs returns the ids of the questions in a stream.
func questionIDs(stream string) (ids []string) {
	for _, match := range regexp.MustCompile(`"id":([0-9]+),"method"`).FindAllStringSubmatch(stream, -1) {
		ids = append(ids, match[1])
	}
	return ids
}

// A client may have two servers behind one address, such as the programs before and after an edit.
func TestTheQuestionsToTwoClientsHaveDifferentIDs(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{})
		s.asks = []question{{"roots/list", `{}`}, {"roots/list", `{}`}, {"roots/list", `{}`}}
		seen := map[string]bool{}
		for range 2 {
			c := s.client(t, "2025-11-25")
			for _, id := range questionIDs(c.follow(t, callOf(7, "ask")).News()) {
				if number, err := strconv.ParseInt(id, 10, 32); err != nil || number < 1 || seen[id] {
					t.Errorf("a question has the id %s, %v", id, err)
				}
				seen[id] = true
			}
			c.expect(t, canceled(7), http.StatusAccepted, "")
		}
		if len(seen) != 6 {
			t.Errorf("the ids are %v", seen)
		}
	})
}

func TestAQuestionMayRemainUnanswered(t *testing.T) {
	for name, test := range map[string]struct {
		end    func(t *testing.T, c *client, id string) // of the first question
		within time.Duration
		want   string
	}{
		"the client refuses": {
			end: func(t *testing.T, c *client, id string) {
				c.expect(t, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":-1,"message":"no"}}`, http.StatusAccepted, "")
			},
			want: `the client refused it: "no"`,
		},
		"the client refuses without a reason": {
			end: func(t *testing.T, c *client, id string) {
				c.expect(t, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":-1}}`, http.StatusAccepted, "")
			},
			want: "it gave no reason",
		},
		"the client takes too long":       {end: func(*testing.T, *client, string) { time.Sleep(time.Minute) }, want: "did not answer it within 1m0s"},
		"the handler waits no longer":     {end: func(*testing.T, *client, string) { time.Sleep(time.Second) }, within: time.Second, want: "before the deadline of the handler's context"},
		"the call is cancelled meanwhile": {end: func(t *testing.T, c *client, _ string) { c.expect(t, canceled(7), http.StatusAccepted, "") }, want: "context canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			transporttest.Bubble(t, func(t *testing.T) {
				s := newServer(t, legacy.Config{})
				s.asks, s.within = []question{{"roots/list", `{}`}, {"roots/list", `{"again":true}`}}, test.within
				c := s.client(t, "2025-06-18")
				answer := c.follow(t, callOf(7, "ask"))
				ids := questionIDs(answer.News())
				if len(ids) != 2 {
					t.Fatalf("the questions have the ids %q", ids)
				}
				test.end(t, c, ids[0])
				synctest.Wait()
				if err := <-s.asked; err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("Ask = %v, want %s", err, test.want)
				}
				if news := answer.News(); test.want != "context canceled" && !strings.Contains(news, `"method":"notifications/cancelled","params":{"requestId":`+ids[1]+`}`) {
					t.Errorf("the other question is not withdrawn:\n%s", news)
				}
			})
		})
	}
}

func TestAClientThatAcceptsNoStreamIsNotAsked(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{})
		s.asks = []question{{"roots/list", `{}`}}
		s.client(t, "2025-11-25").with("Accept", "application/json").expect(t, callOf(7, "ask"), http.StatusOK, `"isError":true`)
		if err := <-s.asked; err == nil || !strings.Contains(err.Error(), "accepts no event stream") {
			t.Errorf("Ask = %v", err)
		}
	})
}

func TestTheRoundsOfQuestionsAreLimited(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{AskRounds: 3})
		s.asks, s.rounds = []question{{"roots/list", `{}`}}, 4
		c := s.client(t, "2025-11-25")
		answer := c.follow(t, callOf(7, "ask"))
		for i := range 3 {
			ids := questionIDs(answer.News())
			if len(ids) != 1 {
				t.Fatalf("round %d: the questions have the ids %q", i, ids)
			}
			c.expect(t, `{"jsonrpc":"2.0","id":`+ids[0]+`,"result":{}}`, http.StatusAccepted, "")
			if err := <-s.asked; err != nil {
				t.Errorf("round %d: Ask = %v", i, err)
			}
		}
		if err := <-s.asked; err == nil || !strings.Contains(err.Error(), "may ask 3 times") {
			t.Errorf("the fourth round: Ask = %v", err)
		}
		if !answer.Over() {
			t.Error("the call continues")
		}
	})
}
