package mcp_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/store"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// ping is a request that needs a session here.
const ping = `{"jsonrpc":"2.0","id":"p","method":"tools/list"}`

// questionIn returns the question that a message asks.
func questionIn(t *testing.T, messages []string) (q question) {
	t.Helper()
	if len(messages) != 1 || codec.Unmarshal([]byte(messages[0]), &q) != nil || q.Method != "elicitation/create" {
		t.Fatalf("the messages are %q, want a question", messages)
	}
	return q
}

func answerTo(q question, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, q.ID, result)
}

func TestEachProcessServesASession(t *testing.T) {
	inProcesses(t, func(t *testing.T, p *processes) {
		c := p.roam(t, 0)
		for i := range 4 {
			c.expect(i%2, legacyCall(fmt.Sprint(i), "say", `{}`), http.StatusOK, "hello")
		}
		stranger := &roamer{processes: p, t: t, session: c.session + "x"}
		stranger.expect(1, ping, http.StatusNotFound, "The session is not known, or has ended")
	})
}

func TestASessionThatEndsInOneProcessEndsInAll(t *testing.T) {
	for _, mode := range []string{"", "loses messages"} {
		t.Run("the store "+mode, func(t *testing.T) {
			inProcesses(t, func(t *testing.T, p *processes) {
				p.store.is(mode)
				c := p.roam(t, 0)
				c.expect(1, ping, http.StatusOK, "result")
				stream, call := c.listen(0, ""), c.calls(0, `1`, "wait")
				if a := c.send(1, http.MethodDelete, "", ""); a.status != http.StatusNoContent {
					t.Fatalf("DELETE gets %d", a.status)
				}
				c.expect(1, ping, http.StatusNotFound, "has ended")
				if mode != "" {
					time.Sleep(5 * time.Second)
				}
				c.expect(0, ping, http.StatusNotFound, "has ended")
				if !stream.isOver() || !call.isOver() || p.branches[0].running.Load() != 0 {
					t.Error("a stream or a call of the session goes on in the other process")
				}
			})
		})
	}
}

// Otherwise, it would end while its client uses it.
func TestASessionLastsWhileAnyProcessUsesIt(t *testing.T) {
	inProcesses(t, func(t *testing.T, p *processes) {
		c, idle := p.roam(t, 0), p.roam(t, 0)
		c.expect(0, ping, http.StatusOK, "result")
		idle.expect(0, ping, http.StatusOK, "result")
		listening := p.roam(t, 1)
		stream := listening.listen(1, "")
		for range 20 {
			time.Sleep(10 * time.Minute)
			c.expect(1, ping, http.StatusOK, "result")
		}
		c.expect(0, ping, http.StatusOK, "result")
		listening.expect(0, ping, http.StatusOK, "result")
		if stream.isOver() {
			t.Error("the stream of a session has ended")
		}
		for i := range 2 {
			idle.expect(i, ping, http.StatusNotFound, "has ended")
		}
	})
}

func TestAnAnswerReachesTheProcessThatHasAsked(t *testing.T) {
	for _, mode := range []string{"", "loses messages"} {
		t.Run("the store "+mode, func(t *testing.T) {
			inProcesses(t, func(t *testing.T, p *processes) {
				p.store.is(mode)
				c, other := p.roam(t, 0), p.roam(t, 1)
				call := c.calls(0, `1`, "ask")
				asked := questionIn(t, call.got())
				other.expect(1, answerTo(asked, `"result":{"action":"accept","content":{"name":"Eve"}}`), http.StatusAccepted, "")
				c.expect(1, answerTo(asked, ada), http.StatusAccepted, "")
				c.expect(1, answerTo(asked, noThanks), http.StatusAccepted, "") // the first answer counts
				c.expect(0, answerTo(question{ID: []byte(`123`)}, ada), http.StatusAccepted, "")
				if mode != "" {
					time.Sleep(time.Second)
				}
				call.gets(t, "the answer", "hello Ada")
				c.expect(1, answerTo(asked, ada), http.StatusAccepted, "") // nobody waits for it any longer
				call = c.calls(1, `2`, "ask")
				c.expect(0, answerTo(questionIn(t, call.got()), noThanks), http.StatusAccepted, "")
				time.Sleep(time.Second)
				call.gets(t, "a refusal", "User rejected sampling request")
			})
		})
	}
}

// Numbers below 2^53 are those that a client in JavaScript can tell apart.
func TestNoTwoProcessesAskWithOneID(t *testing.T) {
	inProcesses(t, func(t *testing.T, p *processes) {
		c, ids := p.roam(t, 0), map[string]bool{}
		for i := range 40 {
			asked := questionIn(t, c.calls(i%2, fmt.Sprint(i), "ask").got())
			var id int64
			if err := codec.Unmarshal(asked.ID, &id); err != nil || id <= 0 || id >= 1<<53 || ids[string(asked.ID)] {
				t.Errorf("question %d has the id %s: %v", i, asked.ID, err)
			}
			ids[string(asked.ID)] = true
		}
	})
}

func TestACallIsCanceledThroughAnotherProcess(t *testing.T) {
	inProcesses(t, func(t *testing.T, p *processes) {
		c, other := p.roam(t, 0), p.roam(t, 1)
		call := c.calls(0, `"a call"`, "wait")
		other.post(1, cancelled(`"a call"`))
		c.post(1, cancelled(`"another call"`))
		c.post(1, cancelled(`"`+strings.Repeat("x", 2*store.MaxMessage)+`"`))
		if settle(); p.branches[0].running.Load() != 1 {
			t.Fatal("another session, or another id, ends the call")
		}
		c.post(1, cancelled(`"a call"`))
		if !call.isOver() || p.branches[0].running.Load() != 0 {
			t.Error("the call goes on")
		}
	})
}

func TestTheSettingsOfASessionHoldInEachProcess(t *testing.T) {
	for _, mode := range []string{"", "loses messages"} {
		t.Run("the store "+mode, func(t *testing.T) {
			inProcesses(t, func(t *testing.T, p *processes) {
				p.store.is(mode)
				c := p.roam(t, 0)
				c.expect(1, ping, http.StatusOK, "result")
				c.expect(0, legacyRequest(`1`, "logging/setLevel", `{"level":"error"}`), http.StatusOK, "{}")
				if mode != "" {
					time.Sleep(5 * time.Second)
				}
				c.calls(1, `2`, "note").gets(t, "after the level is error", "done")
				c.expect(1, legacyRequest(`3`, "logging/setLevel", `{"level":"debug"}`), http.StatusOK, "{}")
				if mode != "" {
					time.Sleep(5 * time.Second)
				}
				c.calls(0, `4`, "note").gets(t, "after the level is debug", "noted", "done")
				later := p.roam(t, 0)
				later.expect(0, legacyRequest(`1`, "logging/setLevel", `{"level":"error"}`), http.StatusOK, "{}")
				later.calls(1, `2`, "note").gets(t, "in a process that the session reaches later", "done")
			})
		})
	}
}

func TestASubscriptionInOneProcessReachesTheStreamInAnother(t *testing.T) {
	inProcesses(t, func(t *testing.T, p *processes) {
		c := p.roam(t, 0)
		stream := c.listen(0, "")
		time.Sleep(time.Second) // the processes may have missed changes before they began to listen to each other
		c.expect(1, legacyRequest(`1`, "resources/subscribe", `{"uri":"docs://logo"}`), http.StatusOK, "{}")
		c.expect(0, legacyRequest(`2`, "resources/subscribe", `{"uri":"files://notes/a"}`), http.StatusOK, "{}")
		settle()
		for i := range 2 {
			p.branches[i].ResourceUpdated("docs://logo")
			stream.gets(t, fmt.Sprintf("docs://logo changes in process %d", i), "docs://logo")
			p.branches[i].ResourceUpdated("files://notes/a")
			stream.gets(t, fmt.Sprintf("files://notes/a changes in process %d", i), "files://notes/a")
			p.branches[i].ResourceUpdated("docs://data")
			stream.gets(t, "nobody subscribes")
		}
		c.expect(1, legacyRequest(`3`, "resources/unsubscribe", `{"uri":"DOCS://logo"}`), http.StatusOK, "{}")
		settle()
		p.branches[0].ResourceUpdated("docs://logo")
		stream.gets(t, "after unsubscribe")
		p.branches[1].ResourceUpdated("files://notes/a")
		stream.gets(t, "the other resource", "files://notes/a")
	})
}

func TestAChangeInOneProcessReachesTheClientsOfTheOthers(t *testing.T) {
	inProcesses(t, func(t *testing.T, p *processes) {
		c := p.roam(t, 0)
		legacy := c.listen(0, "")
		modern := (&roamer{processes: p, t: t}).modern(0, listenMessage(`7`, `{"toolsListChanged":true,"resourceSubscriptions":["docs://logo"]}`))
		modern.gets(t, "at first", "acknowledged")
		must(t, p.branches[1].AddTool(saying("late", "")))
		legacy.gets(t, "a tool is added", "tools/list_changed")
		modern.gets(t, "a tool is added", "tools/list_changed")
		must(t, p.branches[0].AddTool(saying("later", "")))
		legacy.gets(t, "a tool is added here", "tools/list_changed")
		modern.gets(t, "a tool is added here", "tools/list_changed")
		p.branches[1].ResourceUpdated("docs://logo")
		modern.gets(t, "a resource changes", "docs://logo")
		p.store.is("fails")
		p.branches[1].ResourceUpdated("docs://logo")
		must(t, p.branches[1].AddTool(saying("latest", "")))
		legacy.gets(t, "while the store fails")
		p.store.is("")
		time.Sleep(5 * time.Second)
		modern.gets(t, "afterwards, everything may have changed", "tools/list_changed", "docs://logo")
		if got := legacy.got(); !strings.Contains(fmt.Sprint(got), "tools/list_changed") {
			t.Errorf("afterwards, an older client gets %q", got)
		}
	})
}

func TestAClientResumesItsStreamInAnotherProcess(t *testing.T) {
	inProcesses(t, func(t *testing.T, p *processes) {
		c := p.roam(t, 0)
		call := c.calls(0, `1`, "ask")
		asked := questionIn(t, call.got())
		call.hangUp()
		settle()
		back := c.listen(1, call.lastID)
		c.expect(1, answerTo(asked, ada), http.StatusAccepted, "")
		back.gets(t, "in the other process", "hello Ada")
		if !back.isOver() || p.branches[0].asked.Load() != 1 {
			t.Error("the stream goes on after the answer, or the call ran twice")
		}
		stream := c.listen(0, "")
		stream.got()
		stream.hangUp()
		settle()
		must(t, p.branches[0].AddTool(saying("late", "")))
		moved := c.listen(1, stream.lastID)
		if got := fmt.Sprint(moved.got()); !strings.Contains(got, "tools/list_changed") {
			t.Errorf("a stream that moved gets %s", got)
		}
		must(t, p.branches[0].AddTool(saying("later", "")))
		moved.gets(t, "a change in the first process", "tools/list_changed")
	})
}

func TestWhileTheStoreFailsASessionGets503(t *testing.T) {
	for _, mode := range []string{"fails", "hangs", "returns half"} {
		t.Run("the store "+mode, func(t *testing.T) {
			inProcesses(t, func(t *testing.T, p *processes) {
				c := p.roam(t, 0)
				call := c.calls(0, `1`, "ask")
				asked := questionIn(t, call.got())
				c.expect(1, ping, http.StatusOK, "result")
				time.Sleep(10 * time.Second)
				p.store.is(mode)
				requests := map[string]func(process int) *roamerAnswer{
					"a request": func(i int) *roamerAnswer { return c.post(i, ping) },
					"an answer": func(i int) *roamerAnswer { return c.post(i, answerTo(asked, noThanks)) },
					"subscribing": func(i int) *roamerAnswer {
						return c.post(i, legacyRequest(`2`, "resources/subscribe", `{"uri":"docs://logo"}`))
					},
					"the level": func(i int) *roamerAnswer {
						return c.post(i, legacyRequest(`3`, "logging/setLevel", `{"level":"error"}`))
					},
					"GET":      func(i int) *roamerAnswer { return c.listen(i, "") },
					"resuming": func(i int) *roamerAnswer { return c.listen(i, call.lastID) },
					"DELETE":   func(i int) *roamerAnswer { return c.send(i, http.MethodDelete, "", "") },
				}
				for what, request := range requests {
					for i := range 2 {
						start := time.Now()
						a := request(i)
						got := fmt.Sprint(a.got())
						if a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" || !strings.Contains(got, "try again later") {
							t.Errorf("%s gets %d %v %s", what, a.status, a.header, got)
						}
						if took := time.Since(start); took > 2*time.Second+time.Second/10 {
							t.Errorf("%s takes %s", what, took)
						}
					}
				}
				fresh := &roamer{processes: p, t: t}
				if a := fresh.post(0, initializeWith("2025-11-25", `{}`)); mode != "returns half" && (a.status != http.StatusServiceUnavailable || a.header.Get("Mcp-Session-Id") != "") {
					t.Errorf("initialize gets %d %v", a.status, a.header)
				}
				call.gets(t, "meanwhile")
				p.store.is("")
				time.Sleep(5 * time.Second)
				c.expect(1, answerTo(asked, ada), http.StatusAccepted, "")
				c.expect(1, ping, http.StatusOK, "result")
				time.Sleep(time.Second)
				call.gets(t, "once the store is back", "hello Ada")
				if n := p.branches[0].asked.Load(); n != 1 {
					t.Errorf("the call got %d answers", n)
				}
				for i, log := range p.logs {
					if n := strings.Count(log.String(), "the store of Config.Store fails"); n != 1 {
						t.Errorf("process %d logs the failure %d times:\n%s", i, n, log)
					}
				}
			})
		})
	}
}

// A store may have stored what it couldn't confirm.
func TestAnAnswerThatWasStoredAlthoughTheStoreFailedCountsOnce(t *testing.T) {
	inProcesses(t, func(t *testing.T, p *processes) {
		c := p.roam(t, 0)
		call := c.calls(0, `1`, "ask")
		asked := questionIn(t, call.got())
		c.expect(1, ping, http.StatusOK, "result")
		p.store.is("stores and fails")
		c.expect(1, answerTo(asked, ada), http.StatusServiceUnavailable, "try again later")
		p.store.is("")
		c.expect(1, answerTo(asked, ada), http.StatusAccepted, "")
		time.Sleep(10 * time.Second)
		call.gets(t, "the answer", "hello Ada")
		if n := p.branches[0].asked.Load(); n != 1 {
			t.Errorf("the call got %d answers", n)
		}
	})
}

// A question that was asked before is still answered, since the process that asked remembers it.
func TestAStoreThatHasLostEverythingEndsItsSessions(t *testing.T) {
	inProcesses(t, func(t *testing.T, p *processes) {
		c := p.roam(t, 0)
		stream := c.listen(0, "")
		p.store.restart()
		if !stream.isOver() {
			t.Error("the stream of a session without a record goes on")
		}
		for i := range 2 {
			c.expect(i, ping, http.StatusNotFound, "The session is not known, or has ended")
		}
		again := p.roam(t, 1)
		call := again.calls(0, `1`, "ask")
		again.expect(1, answerTo(questionIn(t, call.got()), ada), http.StatusAccepted, "")
		call.gets(t, "the answer", "hello Ada")
	})
}

func TestAStoreNeedsAKey(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{Store: store.NewMemory()})
	app.Router.Web("/mcp", newWireServer())
	if err := app.Validate(); err == nil || !strings.Contains(err.Error(), "Config.Store is set, but not Config.Key (APP_KEY)") {
		t.Errorf("a store without a key: %v", err)
	}
}

// Each of the requests finds that the session has ended, and one of them ends it here.
func TestRequestsAtOnceFindThatTheirSessionHasEnded(t *testing.T) {
	inProcesses(t, func(t *testing.T, p *processes) {
		p.store.is("loses messages")
		c := p.roam(t, 0)
		c.expect(0, ping, http.StatusOK, "result")
		c.send(1, http.MethodDelete, "", "")
		time.Sleep(10 * time.Second)
		c.together(20, 0, ping, http.StatusNotFound)
	})
}
