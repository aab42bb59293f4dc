package mcp_test

import (
	"net/http"
	"sync"
	"testing"
	"time"
)

func TestASubscriptionInAnotherProcessWhileAStreamOpensHolds(t *testing.T) {
	for process, what := range []string{"is read", "is revived"} {
		t.Run("the session "+what, func(t *testing.T) {
			inProcesses(t, func(t *testing.T, p *processes) {
				c := p.roam(t, 0)
				c.expect(0, ping, http.StatusOK, "result")
				time.Sleep(10 * time.Second)
				p.store.whenRead(func() {
					c.expect(1-process, legacyRequest(`1`, "resources/subscribe", `{"uri":"docs://logo"}`), http.StatusOK, "{}")
				})
				stream := c.listen(process, "")
				stream.got()
				p.branches[process].ResourceUpdated("docs://logo")
				stream.gets(t, "the resource changes", "docs://logo")
			})
		})
	}
}

func TestASessionThatEndsWhileItsStreamOpensEndsTheStream(t *testing.T) {
	for process, what := range []string{"is read", "is revived"} {
		t.Run("the session "+what, func(t *testing.T) {
			inProcesses(t, func(t *testing.T, p *processes) {
				c := p.roam(t, 0)
				c.expect(0, ping, http.StatusOK, "result")
				time.Sleep(10 * time.Second)
				p.store.whenRead(func() {
					if a := c.send(1-process, http.MethodDelete, "", ""); a.status != http.StatusNoContent {
						t.Errorf("DELETE gets %d", a.status)
					}
				})
				if stream := c.listen(process, ""); !stream.isOver() {
					t.Error("the stream goes on")
				}
			})
		})
	}
}

// The answer to DELETE precedes the request, which comes while the record is being read for another.
func TestARequestAfterTheEndOfItsSessionGets404(t *testing.T) {
	inProcesses(t, func(t *testing.T, p *processes) {
		c := p.roam(t, 0)
		c.expect(0, ping, http.StatusOK, "result")
		time.Sleep(10 * time.Second)
		var group sync.WaitGroup
		p.store.whenRead(func() {
			c.send(1, http.MethodDelete, "", "")
			group.Go(func() { c.together(1, 0, ping, http.StatusNotFound) })
			time.Sleep(time.Second)
		})
		c.post(0, ping)
		group.Wait()
	})
}

func TestASubscriptionIsRefusedAfterItsSessionHasEnded(t *testing.T) {
	inProcesses(t, func(t *testing.T, p *processes) {
		p.store.is("loses messages")
		c := p.roam(t, 0)
		c.expect(0, ping, http.StatusOK, "result")
		c.send(1, http.MethodDelete, "", "")
		c.expect(0, legacyRequest(`1`, "resources/subscribe", `{"uri":"docs://logo"}`), http.StatusNotFound, "has ended")
	})
}

// Ending the session would otherwise end the call too, before it is answered. The errors of calls
// of older clients have the status 200.
func TestASubscriptionIsAnsweredAlthoughItsSessionEnds(t *testing.T) {
	inProcesses(t, func(t *testing.T, p *processes) {
		p.store.is("loses messages")
		c := p.roam(t, 0)
		c.expect(0, ping, http.StatusOK, "result")
		p.store.whenRead(func() { // before the call; the second time, in it
			p.store.whenRead(func() { c.send(1, http.MethodDelete, "", "") })
		})
		c.expect(0, legacyRequest(`1`, "resources/subscribe", `{"uri":"docs://logo"}`), http.StatusOK, "has ended")
		c.expect(0, ping, http.StatusNotFound, "has ended")
	})
}
