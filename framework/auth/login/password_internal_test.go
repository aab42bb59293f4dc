package login

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/memory"
)

// A hash needs 19 MiB, so a login waits while many others are hashed, unless its browser hangs
// up.
func TestALoginWaitsWhileManyHashesRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := Password().(*password)
		for range cap(p.running) {
			p.running <- struct{}{}
		}
		ctx, hangUp := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := p.check(ctx, memory.New(), "ana", "correct horse")
			ended <- err
		}()
		synctest.Wait()
		select {
		case err := <-ended:
			t.Errorf("the login does not wait: %v", err)
		default:
			hangUp()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("the error is %v", err)
			}
		}
		hangUp()
		<-p.running
		if _, err := p.check(t.Context(), memory.New(), "ana", "correct horse"); !errors.Is(err, errWrong) || len(p.running) != cap(p.running)-1 {
			t.Errorf("with a free place the error is %v", err)
		}
	})
}
