package protocol

import (
	"sync"
	"sync/atomic"
)

// How many resources a client may be told of by one subscription or session, and how
// many bytes their URIs may have together; and those of all clients of a server.
const (
	maxInterest         = 1000
	maxInterestBytes    = 64 << 10
	maxAllInterestBytes = 64 << 20
	uriCost             = 64 // bytes that a URI takes up beside its own
)

// An Interest is what one client is to be told of: lists, and resources by their URIs.
type Interest struct {
	lists [ResourceUpdated]bool // by the kind of change
	all   *atomic.Int64         // bytes of all interests of the server

	lock  sync.Mutex
	uris  map[string]struct{}
	bytes int  // of the URIs
	over  bool // whether its client is gone
}

// NewInterest returns the interest of a legacy client that is about to be told what
// the server offers: all lists that there are, and no resource yet.
func (c *Core) NewInterest() *Interest {
	return &Interest{lists: c.current.Load().lists(), all: &c.uris}
}

// lists returns the lists that the server declares, by the kind of change.
func (r *Registry) lists() (lists [ResourceUpdated]bool) {
	lists[ToolsChanged] = r.tools.declared
	lists[PromptsChanged] = r.prompts.declared
	lists[ResourcesChanged] = r.offersResources()
	return lists
}

// add adds a resource, or says why it can't.
func (i *Interest) add(uri string) *Fault {
	i.lock.Lock()
	defer i.lock.Unlock()
	if _, have := i.uris[uri]; have || i.over {
		return nil
	}
	if len(i.uris) == maxInterest || i.bytes+len(uri) > maxInterestBytes {
		return tooInterested()
	}
	if cost := int64(len(uri) + uriCost); i.all.Add(cost) > maxAllInterestBytes {
		i.all.Add(-cost)
		return unavailable("The clients of the server have subscribed to as many resources as it takes; try again later")
	}
	if i.uris == nil {
		i.uris = map[string]struct{}{}
	}
	i.uris[uri] = struct{}{}
	i.bytes += len(uri)
	return nil
}

// remove takes a resource out, if it is there.
func (i *Interest) remove(uri string) {
	i.lock.Lock()
	defer i.lock.Unlock()
	if _, have := i.uris[uri]; have {
		delete(i.uris, uri)
		i.bytes -= len(uri)
		i.all.Add(-int64(len(uri) + uriCost))
	}
}

// End forgets all resources: the client is gone.
func (i *Interest) End() {
	i.lock.Lock()
	defer i.lock.Unlock()
	i.all.Add(-int64(i.bytes + uriCost*len(i.uris)))
	i.uris, i.bytes, i.over = nil, 0, true
}

// includes reports whether a change is of interest.
func (i *Interest) includes(change Change) bool {
	if change.Kind != ResourceUpdated {
		return i.lists[change.Kind]
	}
	i.lock.Lock()
	defer i.lock.Unlock()
	_, have := i.uris[change.URI]
	return have
}
