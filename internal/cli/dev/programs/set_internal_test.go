package programs

import (
	"io"
	"testing"
	"testing/synctest"

	"github.com/bowline-mcp/bowline/internal/cli/dev/applog"
	"github.com/bowline-mcp/bowline/internal/cli/process"
)

// The loop starts the program that serves again. It may not have read the exit of the one before.
func TestTheExitOfAProgramIsForgottenOnceAnotherOneServes(t *testing.T) {
	t.Parallel()
	s := NewSet[int](applog.New(io.Discard, t.TempDir()))
	for range 2 {
		p, exited := s.New(0), make(chan struct{})
		p.Process = &process.Process{Exited: exited}
		s.Watch(p, func() {}, func() {})
		if s.Lock(); s.Adopt(p) != nil || len(s.exits) > 0 {
			t.Error("the exit of the program before is left")
		}
		s.Unlock()
		close(exited)
		s.Wait()
	}
}

func TestAProgramThatEndsByItselfIsForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewSet[int](applog.New(io.Discard, t.TempDir()))
		p, exited, isEnded := s.New(7), make(chan struct{}), false
		p.Process = &process.Process{Exited: exited}
		s.Watch(p, func() {}, func() { isEnded = true })
		s.Lock()
		if err := s.Adopt(p); err != nil {
			t.Error(err)
		}
		s.Unlock()
		if close(exited); <-s.Exits() != "exit status 0" {
			t.Error("the loop gets another exit")
		}
		if s.Wait(); !isEnded || s.Serves() || len(s.programs) > 0 || !ClosesSoon(p.Retired.Done()) {
			t.Errorf("ended %t, serves %t, %d programs", isEnded, s.Serves(), len(s.programs))
		}
		s.Lock()
		defer s.Unlock()
		if err := s.Adopt(p); err == nil || err.Error() != "the program has ended before it served: exit status 0" {
			t.Errorf("a program that has ended is adopted: %v", err)
		}
	})
}
