// Package programs has what the proxy over HTTP and the relay on stdio share: the programs of an
// app, one of which serves, and what they have to know about each client.
//
// A [Set] has the programs. A [Client] has the handshake of a client, its running requests and the
// questions that it was asked. A new program gets the handshake; a request ends in the program in
// which it began.
package programs

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/dev/applog"
)

// A Set has the programs of an app. One of them serves: it gets new requests. A program that another
// one has replaced ends after its last request. T is the type of their transports.
type Set[T any] struct {
	Log *applog.Log

	sync.Mutex // guards the programs and the clients

	exits   chan string
	running sync.WaitGroup // the programs that haven't ended

	started  int // programs so far
	programs map[*Program[T]]struct{}
	current  *Program[T]   // nil if none serves
	reason   string        // why none serves; "" if one is about to
	changed  chan struct{} // closed when one of these three has changed
	closed   bool
}

// NewSet returns a set without programs.
func NewSet[T any](log *applog.Log) *Set[T] {
	return &Set[T]{Log: log, exits: make(chan string, 1), programs: map[*Program[T]]struct{}{}, changed: make(chan struct{})}
}

// New returns a program that hasn't started yet. Only one goroutine may call it.
func (s *Set[T]) New(transport T) *Program[T] {
	s.started++
	retired, retire := context.WithCancel(context.Background())
	return &Program[T]{Transport: transport, Stderr: s.Log.Stderr(), Generation: s.started, Retired: retired, retire: retire}
}

// Watch adds a program that has started. Stop stops it, and returns when it has ended. Ended is
// called after the end, and answers what clients still wait for.
func (s *Set[T]) Watch(p *Program[T], stop, ended func()) {
	p.stop = stop
	s.Lock()
	s.programs[p] = struct{}{}
	s.Unlock()
	s.running.Go(func() {
		<-p.Exited
		p.Stderr.Close()
		s.Lock()
		if s.current == p && !s.closed {
			s.current, s.reason = nil, ""
			s.exits <- p.Ending() // Adopt has removed the one before
		}
		s.retire(p)
		delete(s.programs, p)
		s.Unlock()
		ended()
	})
}

// Adopt makes a program the one that serves. The error says why it can't. The caller holds the lock.
func (s *Set[T]) Adopt(p *Program[T]) error {
	switch {
	case s.closed:
		return context.Canceled
	case p.HasExited():
		return fmt.Errorf("the program has ended before it served: %s", p.Ending())
	}
	select {
	case <-s.exits: // another program serves now
	default:
	}
	before := s.current
	s.current, s.reason = p, ""
	p.Stderr.Serves()
	s.announce()
	if before != nil {
		s.retire(before)
	}
	return nil
}

// announce wakes the requests that wait for a program. The caller holds the lock.
func (s *Set[T]) announce() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Retire ends a program after its last request.
func (s *Set[T]) Retire(p *Program[T]) {
	s.Lock()
	defer s.Unlock()
	s.retire(p)
}

// retire is Retire for a caller that holds the lock.
func (s *Set[T]) retire(p *Program[T]) {
	p.retire()
	p.endIdle()
}

// Exits returns the channel that receives how the serving program has ended, if it ended by itself.
func (s *Set[T]) Exits() <-chan string { return s.exits }

// Serves reports whether a program serves.
func (s *Set[T]) Serves() bool {
	s.Lock()
	defer s.Unlock()
	return s.current != nil
}

// IsCurrent reports whether a program serves. The caller holds the lock.
func (s *Set[T]) IsCurrent(p *Program[T]) bool { return s.current == p }

// Unavailable refuses requests with a reason, until there is a program.
func (s *Set[T]) Unavailable(reason string) {
	s.Lock()
	defer s.Unlock()
	s.reason = reason
	s.announce()
}

// Await returns the program that serves. It waits for one that is about to serve. The error says why
// there is none. The caller holds the lock afterwards.
func (s *Set[T]) Await(ctx context.Context) (*Program[T], error) {
	s.Lock()
	for {
		switch {
		case s.closed:
			return nil, errors.New("mcp dev is stopping")
		case s.current != nil:
			return s.current, nil
		case s.reason != "":
			return nil, errors.New(s.reason)
		}
		changed := s.changed
		s.Unlock()
		select {
		case <-changed:
			s.Lock()
		case <-ctx.Done():
			s.Lock()
			return nil, ctx.Err()
		}
	}
}

// Hold keeps a program until Release. It reports false if the program gets no further requests. The
// caller holds the lock.
func (s *Set[T]) Hold(p *Program[T]) bool {
	if p.Retired.Err() != nil && p.requests == 0 {
		return false
	}
	p.requests++
	return true
}

// Release ends a request to a program. The caller holds the lock.
func (s *Set[T]) Release(p *Program[T]) {
	p.requests--
	p.endIdle()
}

// Close stops the programs, which may finish their calls, and refuses further requests. It returns
// the programs that run.
func (s *Set[T]) Close() (left []*Program[T]) {
	s.Lock()
	defer s.Unlock()
	s.closed = true
	for p := range s.programs {
		s.retire(p)
		p.end()
		left = append(left, p)
	}
	s.announce()
	return left
}

// Wait waits until all programs have ended.
func (s *Set[T]) Wait() { s.running.Wait() }

// ClosesSoon waits for a channel that is closed when a process has ended, since its connections end
// before. It reports whether the channel was closed within a second.
func ClosesSoon(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	case <-time.After(time.Second):
		return false
	}
}
