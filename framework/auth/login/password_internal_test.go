package login

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/memory"
)

// A hash needs 7 MiB, so a login waits while many others are hashed, unless its browser hangs
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

// An answer must not tell by its time whether a user exists. A hash takes most of it, and more
// memory than all else.
func TestAnUnknownNameTakesAHashToo(t *testing.T) { //nolint:paralleltest // it counts what is allocated
	users := memory.New()
	ana, err := NewUser("ana", "correct horse")
	if err == nil {
		err = users.CreateUser(t.Context(), ana)
	}
	if err != nil {
		t.Fatal(err)
	}
	p := Password().(*password)
	for _, name := range []string{"ana", "nobody"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := p.check(t.Context(), users, name, "wrong horse"); !errors.Is(err, errWrong) {
			t.Errorf("%s: the error is %v", name, err)
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took < hashMemory<<10 {
			t.Errorf("a wrong password of %s takes %d bytes", name, took)
		}
	}
	passes := fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$", hashMemory, hashTime, hashThreads)
	if !strings.HasPrefix(nobody, passes) || !strings.HasPrefix(ana.Password, passes) {
		t.Errorf("the hash of nobody is %s, that of a new user %s", nobody, ana.Password)
	}
}
