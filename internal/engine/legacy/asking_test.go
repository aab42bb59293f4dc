package legacy_test

import (
	"fmt"
	"net/http"
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
		answer.Gets(t, "the questions", `"id":1,"method":"roots/list"`, `"id":2,"method":"elicitation/create"`, `"elicitationId":"`)
		c.expect(t, `{"jsonrpc":"2.0","id":2,"result":{"action":"accept"}}`, http.StatusAccepted, "")
		c.expect(t, `{"jsonrpc":"2.0","id":99,"result":{}}`, http.StatusAccepted, "") // no such question is open
		c.expect(t, `{"jsonrpc":"2.0","id":"1","result":{}}`, http.StatusAccepted, "")
		answer.Gets(t, "before it has answered both")
		c.expect(t, `{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`, http.StatusAccepted, "")
		answer.Gets(t, "the answers", `"params":{"roots":[]}`, `"params":{"action":"accept"}`, `"id":7,"result"`)
	})
}

func TestAQuestionMayRemainUnanswered(t *testing.T) {
	for name, test := range map[string]struct {
		end    func(t *testing.T, s *server, c *client)
		within time.Duration
		want   string
	}{
		"the client refuses": {
			end: func(t *testing.T, _ *server, c *client) {
				c.expect(t, `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}`, http.StatusAccepted, "")
			},
			want: `the client refused it: "no"`,
		},
		"the client refuses without a reason": {
			end: func(t *testing.T, _ *server, c *client) {
				c.expect(t, `{"jsonrpc":"2.0","id":1,"error":{"code":-1}}`, http.StatusAccepted, "")
			},
			want: "it gave no reason",
		},
		"the client takes too long":       {end: func(*testing.T, *server, *client) { time.Sleep(time.Minute) }, want: "did not answer it within 1m0s"},
		"the handler waits no longer":     {end: func(*testing.T, *server, *client) { time.Sleep(time.Second) }, within: time.Second, want: "before the deadline of the handler's context"},
		"the call is cancelled meanwhile": {end: func(t *testing.T, _ *server, c *client) { c.expect(t, cancelled(7), http.StatusAccepted, "") }, want: "context canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			transporttest.Bubble(t, func(t *testing.T) {
				s := newServer(t, legacy.Config{})
				s.asks, s.within = []question{{"roots/list", `{}`}, {"roots/list", `{"again":true}`}}, test.within
				c := s.client(t, "2025-06-18")
				answer := c.follow(t, callOf(7, "ask"))
				answer.Gets(t, "the questions", `"id":1`, `"id":2`)
				test.end(t, s, c)
				synctest.Wait()
				if err := <-s.asked; err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("Ask = %v, want %s", err, test.want)
				}
				if news := answer.News(); test.want != "context canceled" && !strings.Contains(news, `"method":"notifications/cancelled","params":{"requestId":2}`) {
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
			synctest.Wait() // until the question is asked
			c.expect(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i+1), http.StatusAccepted, "")
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
