package changes

import (
	"sync"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// An Interest is the set of lists and resources that one client follows.
type Interest struct {
	feed      *Feed
	lists     Lists
	principal string // the ID of the client's principal
	memory    *throttle.Share

	lock  sync.Mutex
	mark  uint64            // the feed's count when the client was last notified
	uris  map[string]string // the client's spellings, by their normalized spelling
	bytes int               // of the client's spellings
	held  throttle.Holding
	over  bool // whether the client has disconnected
}

// Lists returns the lists that the client follows.
func (i *Interest) Lists() Lists { return i.lists }

// Add adds a resource. If a limit is reached, it returns the error for the client.
func (i *Interest) Add(uri string) *exchange.Error {
	i.lock.Lock()
	defer i.lock.Unlock()
	key := naming.NormalizeURI(uri)
	if _, have := i.uris[key]; have || i.over {
		return nil
	}
	if len(i.uris) == limits.MaxResources || i.bytes+len(uri) > limits.MaxResourceBytes {
		return TooMany()
	}
	if refusal := i.memory.Take(&i.held, cost(uri), nil); refusal != nil {
		return refusal
	}
	if i.uris == nil {
		i.uris = map[string]string{}
	}
	i.uris[key] = uri
	i.bytes += len(uri)
	return nil
}

// cost returns how many bytes of memory a resource takes.
func cost(uri string) int64 { return int64(len(uri) + limits.ResourceCost) }

// Remove removes a resource, if the interest has it.
func (i *Interest) Remove(uri string) {
	i.lock.Lock()
	defer i.lock.Unlock()
	key := naming.NormalizeURI(uri)
	if spelled, have := i.uris[key]; have {
		delete(i.uris, key)
		i.bytes -= len(spelled)
		i.memory.GiveBack(&i.held, cost(spelled))
	}
}

// End removes all resources once the client has disconnected. It may be called more than once.
func (i *Interest) End() {
	i.lock.Lock()
	defer i.lock.Unlock()
	if i.over {
		return
	}
	i.feed.leave(i.principal)
	i.memory.Return(&i.held)
	i.uris, i.bytes, i.over = nil, 0, true
}

// Includes reports whether the client follows the list or resource that changed.
func (i *Interest) Includes(change Change) bool {
	_, included := i.spelled(change)
	return included
}

// spelled returns a change as the client gets it: with the client's spelling of the URI, and
// without the principal. It reports false if the client doesn't follow the list or resource, or
// if the change concerns another principal.
func (i *Interest) spelled(change Change) (Change, bool) {
	if change.Private && change.Principal != i.principal {
		return Change{}, false
	}
	if change.Kind != ResourceUpdated {
		return Change{Kind: change.Kind}, i.lists.include(change.Kind)
	}
	i.lock.Lock()
	defer i.lock.Unlock()
	uri, have := i.uris[naming.NormalizeURI(change.URI)]
	return Change{Kind: change.Kind, URI: uri}, have
}

// TooMany returns the error for a client that wants to follow too many resources.
func TooMany() *exchange.Error {
	return fault.InvalidParams("at most %d resources may be subscribed to, and their URIs may have %d bytes together", limits.MaxResources, limits.MaxResourceBytes)
}
