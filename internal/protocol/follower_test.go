package protocol_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/protocol"
)

// A reader is a client that is told of changes, and takes its time.
type reader struct {
	*protocol.Core
	takes  time.Duration // for each change
	told   atomic.Int32  // how many changes it began to read
	failed []error
}

func follow(takes time.Duration) *reader {
	r := &reader{Core: newCore(), takes: takes}
	_ = r.AddTool(&protocol.Tool{Item: protocol.Item{Key: "first"}})
	_ = r.AddPrompt(&protocol.Prompt{Item: protocol.Item{Key: "first"}})
	r.Opened()
	r.Follow(r.NewInterest(), func(protocol.Change) error {
		r.told.Add(1)
		time.Sleep(r.takes)
		return nil
	}, func(err error) { r.failed = append(r.failed, err) }).Begin()
	return r
}

// change changes the tools and the prompts.
func (r *reader) change(name string) {
	_ = r.AddTool(&protocol.Tool{Item: protocol.Item{Key: name}})
	_ = r.AddPrompt(&protocol.Prompt{Item: protocol.Item{Key: name}})
	synctest.Wait()
}

func TestAClientThatDoesNotReadIsToldNoMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := follow(time.Hour)
		r.change("a")
		time.Sleep(time.Minute)
		r.change("b")
		if r.failed != nil {
			t.Fatalf("within a minute it fails with %v", r.failed)
		}
		time.Sleep(time.Second)
		r.change("c")
		if len(r.failed) != 1 || !errors.Is(r.failed[0], protocol.ErrTooSlow) {
			t.Errorf("after a minute it fails with %v, want %v", r.failed, protocol.ErrTooSlow)
		}
		time.Sleep(2 * time.Hour)
		r.change("d")
		if len(r.failed) != 1 || r.told.Load() != 1 {
			t.Errorf("afterwards it is told of %d changes, and fails with %v", r.told.Load()-1, r.failed)
		}
	})
}

// The minute is that of one change.
func TestAClientThatReadsSlowlyIsToldOfEveryChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := follow(50 * time.Second)
		for i := range 10 {
			r.change(fmt.Sprint(i))
			time.Sleep(40 * time.Second)
		}
		time.Sleep(time.Hour)
		r.change("last")
		time.Sleep(time.Hour)
		if r.failed != nil || r.told.Load() < 8 {
			t.Errorf("it is told of %d changes, and fails with %v", r.told.Load(), r.failed)
		}
	})
}
