package mcp_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
)

func TestASessionLastsHoweverOftenItIsUsed(t *testing.T) {
	for _, pause := range []time.Duration{20 * time.Second, time.Minute, 20 * time.Minute} {
		t.Run("each "+pause.String(), func(t *testing.T) {
			inProcesses(t, func(t *testing.T, p *processes) {
				c := p.roam(t, 0)
				for range time.Hour / pause {
					if a := c.begin(0, http.MethodPost, ping, ""); a.status != http.StatusOK {
						t.Fatalf("the session has ended: %d", a.status)
					}
					time.Sleep(pause)
				}
				c.expect(1, ping, http.StatusOK, "result")
			})
		})
	}
}

func TestASessionThatIsIdleForAShortTimeOnlyLasts(t *testing.T) {
	inProcessesWith(t, mcp.Config{SessionIdle: time.Second}, "", func(t *testing.T, p *processes) {
		c := p.roam(t, 0)
		for range 30 {
			c.expect(0, ping, http.StatusOK, "result")
			time.Sleep(900 * time.Millisecond)
		}
		time.Sleep(20 * time.Second)
		c.expect(0, ping, http.StatusNotFound, "has ended")
	})
}

func TestASessionLastsAfterItsOnlyRequestToAProcess(t *testing.T) {
	inProcesses(t, func(t *testing.T, p *processes) {
		c := p.roam(t, 0)
		for i := range 10 {
			c.expect(i%2, ping, http.StatusOK, "result")
			time.Sleep(29 * time.Minute)
		}
	})
}

// A process that is full has the session idle, while another one serves its stream.
func TestASessionLastsThoughAFullProcessDropsIt(t *testing.T) {
	inProcessesWith(t, mcp.Config{Sessions: 2, ClientSessions: 100}, "", func(t *testing.T, p *processes) {
		c := p.roam(t, 0)
		c.expect(0, ping, http.StatusOK, "result")
		stream := c.listen(1, "")
		time.Sleep(2 * time.Minute)
		for range 4 {
			p.roam(t, 0).expect(0, ping, http.StatusOK, "result")
			time.Sleep(2 * time.Minute)
		}
		if stream.isOver() {
			t.Error("the stream has ended")
		}
		c.expect(1, ping, http.StatusOK, "result")
	})
}
