package attachment_test

import (
	"sync"
	"testing"

	"github.com/bowline-mcp/bowline/internal/engine/attachment"
)

// engine is an engine whose methods are never called.
type engine struct{ attachment.Engine }

func TestAServerHasOneEngine(t *testing.T) {
	t.Parallel()
	var server attachment.Attachment
	first, second := &engine{}, &engine{}
	if got := attachment.Of(&server); got != nil {
		t.Errorf("a new server has the engine %v", got)
	}
	if got, attached := attachment.Attach(&server, first); !attached || got != first {
		t.Errorf("the first engine is attached: %t", attached)
	}
	if got, attached := attachment.Attach(&server, second); attached || got != first {
		t.Errorf("the second engine is attached: %t", attached)
	}
	attachment.Detach(&server, second)
	if got := attachment.Of(&server); got != first {
		t.Error("another engine than the server's was detached")
	}
	attachment.Detach(&server, first)
	if got := attachment.Of(&server); got != nil {
		t.Errorf("the server keeps the engine %v", got)
	}
	if _, attached := attachment.Attach(&server, second); !attached {
		t.Error("a server that was given back can't be attached again")
	}
}

func TestOneOfConcurrentEnginesIsAttached(t *testing.T) {
	t.Parallel()
	var server attachment.Attachment
	var all sync.WaitGroup
	attached := make(chan attachment.Engine, 20)
	for range 20 {
		all.Go(func() {
			if got, isNew := attachment.Attach(&server, &engine{}); isNew {
				attached <- got
			}
		})
	}
	all.Wait()
	if close(attached); len(attached) != 1 || <-attached != attachment.Of(&server) {
		t.Errorf("not one engine is attached, but %d more", len(attached))
	}
}
