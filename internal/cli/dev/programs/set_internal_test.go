package programs

import (
	"io"
	"testing"
	"testing/synctest"

	"github.com/bowline-mcp/bowline/internal/cli/process"
)

// The last exit counts, even if the loop hasn't read the one before it.
func TestTheLastExitIsKept(t *testing.T) {
	t.Parallel()
	s := NewSet[int](Log{io.Discard})
	for range 2 {
		p, exited := s.New(0), make(chan struct{})
		p.Process = &process.Process{Exited: exited}
		s.Watch(p, func() {}, func() {})
		s.Lock()
		s.Adopt(p)
		s.Unlock()
		close(exited)
		s.Wait()
	}
	if got := <-s.Exits(); got.Generation != 2 || len(s.exits) > 0 {
		t.Errorf("the loop gets the exit of program %d, want 2 only", got.Generation)
	}
}

func TestAProgramThatEndsByItselfIsForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewSet[int](Log{io.Discard})
		p, exited, isEnded := s.New(7), make(chan struct{}), false
		p.Process = &process.Process{Exited: exited}
		s.Watch(p, func() {}, func() { isEnded = true })
		s.Lock()
		s.Adopt(p)
		s.Unlock()
		if close(exited); <-s.Exits() != (Exit{1, "exit status 0"}) {
			t.Error("the loop gets another exit")
		}
		if s.Wait(); !isEnded || s.Serves() || len(s.programs) > 0 || !ClosesSoon(p.Retired.Done()) {
			t.Errorf("ended %t, serves %t, %d programs", isEnded, s.Serves(), len(s.programs))
		}
	})
}
