package mcp_test

import (
	"fmt"
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

// The process with the stream hears of the subscription after the change.
func TestAChangeRightAfterASubscriptionInAnotherProcessReachesTheStream(t *testing.T) {
	for _, changing := range []int{0, 1} {
		t.Run(fmt.Sprintf("changed in process %d", changing), func(t *testing.T) {
			inProcesses(t, func(t *testing.T, p *processes) {
				c := p.roam(t, 0)
				stream := c.listen(0, "")
				stream.got()
				p.branches[changing].ResourceUpdated("files://notes/a")
				time.Sleep(time.Second)
				if changing == 0 {
					p.store.is("loses messages")
				}
				p.store.whenRead(func() { // by process 1, before it records the subscription
					p.store.whenRead(func() { p.branches[changing].ResourceUpdated("docs://logo"); settle() }) // by process 0
				})
				c.expect(1, legacyRequest(`1`, "resources/subscribe", `{"uri":"docs://logo"}`), http.StatusOK, "{}")
				c.expect(1, legacyRequest(`2`, "resources/subscribe", `{"uri":"files://notes/a"}`), http.StatusOK, "{}")
				p.store.is("")
				time.Sleep(5 * time.Second)
				c.expect(0, ping, http.StatusOK, "result")
				stream.gets(t, "the resource changes", "docs://logo")
				p.branches[changing].ResourceUpdated("files://notes/a")
				stream.gets(t, "the other resource changes", "files://notes/a")
			})
		})
	}
}

func TestAChangeRightAfterASubscriptionInAnotherProcessWaitsForTheStream(t *testing.T) {
	inProcesses(t, func(t *testing.T, p *processes) {
		c := p.roam(t, 0)
		c.expect(0, ping, http.StatusOK, "result")
		time.Sleep(time.Second)
		p.store.is("loses messages")
		c.expect(1, legacyRequest(`1`, "resources/subscribe", `{"uri":"docs://logo"}`), http.StatusOK, "{}")
		p.branches[0].ResourceUpdated("docs://logo")
		time.Sleep(5 * time.Second)
		c.expect(0, ping, http.StatusOK, "result")
		c.listen(0, "").gets(t, "the stream opens", "docs://logo")
	})
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
