package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
)

// After the watchdog has answered a call, it checks the handler again a little later. It
// must not confuse that call with a later one.
func TestACallAfterATimeoutGetsItsOwnAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		p := startPipeline(t, mcp.Config{CallTimeout: time.Second}, server)
		for i := range 20 {
			p.send(t, modernCall(fmt.Sprint(i), "wait", `{}`))
			time.Sleep(time.Second)
			if got := p.next(t); !strings.Contains(got, "timed out") {
				t.Fatalf("the call that waits gets %s", got)
			}
			if err := <-server.ended; !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("its context ends with %v", err)
			}
			synctest.Wait()
			p.send(t, modernCall(`"next"`, "wait", `{}`)) // and this one still runs
			time.Sleep(500 * time.Millisecond)
			p.send(t, cancelled(`"next"`))
			if err := <-server.ended; !errors.Is(err, context.Canceled) {
				t.Fatalf("the context of the next one ends with %v", err)
			}
		}
		if n := p.log.count("ignores its context"); n != 0 {
			t.Errorf("%d handlers are said to ignore their contexts:\n%s", n, p.log)
		}
	})
}
