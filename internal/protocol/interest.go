package protocol

import "sync"

// How many resources a client may be told of by one subscription or session, and how
// many bytes their URIs may have together.
const (
	maxInterest      = 1000
	maxInterestBytes = 64 << 10
)

// An Interest is what one client is to be told of: lists, and resources by their URIs.
type Interest struct {
	lists [ResourceUpdated]bool // by the kind of change

	lock  sync.Mutex
	uris  map[string]struct{}
	bytes int // of the URIs
}

// NewInterest returns the interest of a legacy client that is about to be told what
// the server offers: all lists that there are, and no resource yet.
func (c *Core) NewInterest() *Interest {
	return &Interest{lists: c.current.Load().lists()}
}

// lists returns the lists that the server declares, by the kind of change.
func (r *Registry) lists() (lists [ResourceUpdated]bool) {
	lists[ToolsChanged] = r.tools.declared
	lists[PromptsChanged] = r.prompts.declared
	lists[ResourcesChanged] = r.offersResources()
	return lists
}

// add adds a resource, and reports false if there are too many.
func (i *Interest) add(uri string) bool {
	i.lock.Lock()
	defer i.lock.Unlock()
	if _, have := i.uris[uri]; have {
		return true
	}
	if len(i.uris) == maxInterest || i.bytes+len(uri) > maxInterestBytes {
		return false
	}
	if i.uris == nil {
		i.uris = map[string]struct{}{}
	}
	i.uris[uri] = struct{}{}
	i.bytes += len(uri)
	return true
}

// remove takes a resource out, if it is there.
func (i *Interest) remove(uri string) {
	i.lock.Lock()
	defer i.lock.Unlock()
	if _, have := i.uris[uri]; have {
		delete(i.uris, uri)
		i.bytes -= len(uri)
	}
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
