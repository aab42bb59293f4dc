package mcp_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/store"
)

// The session was used a moment ago, so the call needs the store only to resume its stream.
func TestACallThatStreamsIsAnsweredWhileTheStoreFails(t *testing.T) {
	for _, mode := range []string{"fails", "hangs"} {
		t.Run("the store "+mode, func(t *testing.T) {
			inProcesses(t, func(t *testing.T, p *processes) {
				c := p.roam(t, 0)
				c.expect(0, ping, http.StatusOK, "result")
				p.store.is(mode)
				call := c.calls(0, `1`, "ask")
				time.Sleep(2500 * time.Millisecond)
				c.expect(0, answerTo(questionIn(t, call.got()), ada), http.StatusAccepted, "")
				time.Sleep(2500 * time.Millisecond) // the answer is stored first, if possible
				call.gets(t, "the answer", "hello Ada")
				if !call.isOver() {
					t.Error("the stream goes on")
				}
			})
		})
	}
}

func TestRequestsOfASessionWaitForTheStoreAtOnce(t *testing.T) {
	inProcesses(t, func(t *testing.T, p *processes) {
		c := p.roam(t, 0)
		c.expect(0, ping, http.StatusOK, "result")
		p.store.is("hangs")
		c.together(20, 0, legacyRequest(`1`, "logging/setLevel", `{"level":"error"}`), http.StatusServiceUnavailable)
		time.Sleep(5 * time.Second)
		c.together(20, 0, legacyRequest(`2`, "logging/setLevel", `{"level":"error"}`), http.StatusServiceUnavailable)
		p.store.is("")
		c.together(20, 0, legacyRequest(`3`, "logging/setLevel", `{"level":"error"}`), http.StatusOK)
	})
}

func TestAnOutageIsLoggedOnce(t *testing.T) {
	inProcesses(t, func(t *testing.T, p *processes) {
		c := p.roam(t, 0)
		p.store.is("fails")
		for range 20 {
			for process := range p.logs {
				c.post(process, ping)
				c.send(process, http.MethodDelete, "", "")
			}
		}
		for process, log := range p.logs {
			if n := strings.Count(log.String(), "level=ERROR"); n != 1 {
				t.Errorf("process %d logs %d errors:\n%.1000s", process, n, log)
			}
		}
	})
}

func TestABatchOfAnswersWaitsForTheStoreOnce(t *testing.T) {
	inProcesses(t, func(t *testing.T, p *processes) {
		c := &roamer{processes: p, t: t}
		c.session = c.post(0, initializeWith("2025-03-26", canFill)).header.Get("Mcp-Session-Id")
		c.expect(0, ping, http.StatusOK, "result")
		p.store.is("hangs")
		answer := answerTo(question{ID: []byte(`123`)}, ada)
		c.together(1, 0, "["+strings.Repeat(answer+",", 99)+answer+"]", http.StatusServiceUnavailable)
		c.together(1, 0, "["+answer+","+strings.ReplaceAll(ping, "tools/list", "ping")+","+answer+"]", http.StatusOK)
	})
}

// A process that has just read the session's record believes it for a moment, which doesn't do for a change.
func TestASubscriptionIsRefusedFromTheFirstMomentOfAnOutage(t *testing.T) {
	inProcesses(t, func(t *testing.T, p *processes) {
		c := p.roam(t, 0)
		c.expect(0, ping, http.StatusOK, "result")
		p.store.is("fails")
		for _, method := range []string{"resources/subscribe", "resources/unsubscribe"} {
			c.expect(0, legacyRequest(`1`, method, `{"uri":"docs://logo"}`), http.StatusServiceUnavailable, "try again later")
		}
	})
}

func TestAnAnswerThatNoStoreTakesIsRefused(t *testing.T) {
	inProcessesWith(t, mcp.Config{MaxBody: 16 << 20}, "", func(t *testing.T, p *processes) {
		c := p.roam(t, 0)
		call := c.calls(0, `1`, "ask")
		asked := questionIn(t, call.got())
		large := `"result":{"action":"accept","content":{"name":"` + strings.Repeat("x", store.MaxValue) + `"}}`
		c.expect(1, answerTo(asked, large), http.StatusRequestEntityTooLarge, "which takes 8 MiB; send a smaller one")
		c.expect(1, answerTo(asked, ada), http.StatusAccepted, "")
		call.gets(t, "the answer", "hello Ada")
	})
}
