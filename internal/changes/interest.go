package changes

import (
	"sync"
	"sync/atomic"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/fault"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// An Interest is the set of lists and resources that one client follows.
type Interest struct {
	lists Lists
	all   *atomic.Int64 // bytes of all interests of the server

	lock  sync.Mutex
	mark  uint64 // the count of changes that the client knows of
	uris  map[string]struct{}
	bytes int  // of the URIs
	over  bool // whether the client has disconnected
}

// Lists returns the lists that the client follows.
func (i *Interest) Lists() Lists { return i.lists }

// Add adds a resource, or returns the error to send if a limit is reached.
func (i *Interest) Add(uri string) *exchange.Error {
	i.lock.Lock()
	defer i.lock.Unlock()
	if _, have := i.uris[uri]; have || i.over {
		return nil
	}
	if len(i.uris) == limits.MaxResources || i.bytes+len(uri) > limits.MaxResourceBytes {
		return TooMany()
	}
	if cost := int64(len(uri) + limits.ResourceCost); i.all.Add(cost) > limits.AllResourceBytes {
		i.all.Add(-cost)
		return fault.Unavailable("The clients of the server have subscribed to as many resources as it takes; try again later")
	}
	if i.uris == nil {
		i.uris = map[string]struct{}{}
	}
	i.uris[uri] = struct{}{}
	i.bytes += len(uri)
	return nil
}

// Remove removes a resource, if the interest has it.
func (i *Interest) Remove(uri string) {
	i.lock.Lock()
	defer i.lock.Unlock()
	if _, have := i.uris[uri]; have {
		delete(i.uris, uri)
		i.bytes -= len(uri)
		i.all.Add(-int64(len(uri) + limits.ResourceCost))
	}
}

// End removes all resources once the client has disconnected.
func (i *Interest) End() {
	i.lock.Lock()
	defer i.lock.Unlock()
	i.all.Add(-int64(i.bytes + limits.ResourceCost*len(i.uris)))
	i.uris, i.bytes, i.over = nil, 0, true
}

// Includes reports whether the client follows the list or resource that changed.
func (i *Interest) Includes(change Change) bool {
	if change.Kind != ResourceUpdated {
		return i.lists.include(change.Kind)
	}
	i.lock.Lock()
	defer i.lock.Unlock()
	_, have := i.uris[change.URI]
	return have
}

// TooMany returns the error for more resources than a client may follow.
func TooMany() *exchange.Error {
	return fault.InvalidParams("at most %d resources may be subscribed to, and their URIs may have %d bytes together", limits.MaxResources, limits.MaxResourceBytes)
}
