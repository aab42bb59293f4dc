package protocol

import (
	"sync"
	"sync/atomic"
)

// How many streams a server may have open, and how many of them one process on stdio.
const (
	maxStreams     = 20_000
	maxPipeStreams = 64
)

// streams are the open subscriptions of a core.
type streams struct {
	lock   sync.Mutex
	open   map[*subscription]struct{}
	closed bool // whether no more are taken
}

// enter adds a subscription, to its client's table too, or says why it can't.
func (t *streams) enter(s *subscription) *Fault {
	t.lock.Lock()
	defer t.lock.Unlock()
	switch {
	case t.closed:
		return shuttingDown()
	case len(t.open) >= maxStreams:
		return unavailable("The server has %d streams open, which is all it takes; try again later", maxStreams)
	}
	if s.calls != nil {
		if fault := s.calls.enter(s); fault != nil {
			return fault
		}
	}
	if t.open == nil {
		t.open = map[*subscription]struct{}{}
	}
	t.open[s] = struct{}{}
	return nil
}

// leave takes a subscription out.
func (t *streams) leave(s *subscription) {
	t.lock.Lock()
	defer t.lock.Unlock()
	if delete(t.open, s); len(t.open) == 0 {
		t.open = nil // a map doesn't shrink
	}
	if s.calls != nil {
		s.calls.leave(s)
	}
}

// close ends all streams, and takes no more.
func (t *streams) close() {
	t.lock.Lock()
	t.closed = true
	t.lock.Unlock()
	t.end()
}

// end ends all streams with their answers.
func (t *streams) end() {
	t.lock.Lock()
	defer t.lock.Unlock()
	for s := range t.open {
		s.end(nil)
	}
}

// EndStreams ends the open streams of all clients with their answers: the HTTP server
// that serves them stops.
func (c *Core) EndStreams() { c.streams.end() }

// enter adds a stream to the table of its client, or says why it can't.
func (t *Calls) enter(s *subscription) *Fault {
	t.lock.Lock()
	defer t.lock.Unlock()
	switch {
	case t.has(s.id):
		return idTaken(s.id)
	case len(t.streams) >= maxPipeStreams:
		return unavailable("The process has %d streams open, which is all it takes; cancel one, or listen to more by one", maxPipeStreams)
	}
	if t.streams == nil {
		t.streams = map[string]*subscription{}
	}
	t.streams[string(s.id)] = s
	return nil
}

func (t *Calls) leave(s *subscription) {
	t.lock.Lock()
	defer t.lock.Unlock()
	delete(t.streams, string(s.id))
}

// EndStreams ends the client's streams with their answers, and returns a channel that is
// closed when those are sent, if it isn't called again meanwhile.
func (t *Calls) EndStreams() <-chan struct{} {
	t.lock.Lock()
	defer t.lock.Unlock()
	var left atomic.Int64
	left.Store(int64(len(t.streams)) + 1)
	all := make(chan struct{})
	sent := func() {
		if left.Add(-1) == 0 {
			close(all)
		}
	}
	for _, s := range t.streams {
		s.end(sent)
	}
	sent()
	return all
}
