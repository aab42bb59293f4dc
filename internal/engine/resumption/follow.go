package resumption

import (
	"context"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// follow sends the later events of a stream that another process runs, until the last one. It
// reads them when the store says that there are new ones, and also each second, since what the
// store says may be lost. If none comes for a while, the other process may have died: then the
// connection ends, and the client may reconnect.
func (s *Stream) follow(ctx context.Context, c Connection, after uint64) {
	wake := make(chan struct{}, 1)
	defer s.session.store.Watch(s.session.key, s.number, wake)()
	again := time.NewTicker(limits.FollowPause)
	defer again.Stop()
	heard := time.Now()
	for time.Since(heard) < limits.FollowTime {
		events, _ := s.session.store.Events(ctx, s.session.key, s.number, after) // it may come back
		for _, e := range events {
			after, heard = e.Number, time.Now()
			if !s.pass(c, e) {
				return
			}
		}
		select {
		case <-wake:
		case <-again.C:
		case <-ctx.Done():
			return
		}
	}
	if s.detach(c) {
		c.Disconnect(limits.FollowPause)
	}
}

// pass sends an event of another process. It reports whether more may follow.
func (s *Stream) pass(c Connection, e Event) (more bool) {
	s.sending.Lock()
	defer s.sending.Unlock()
	if !s.has(c) {
		return false
	}
	var err error
	if e.Message != nil {
		if e.Last {
			c.Apart()
		}
		err = c.Event(s.id(e.Number), e.Message)
	}
	if err == nil && !e.Last {
		return true
	}
	if s.detach(c) {
		c.Disconnect(0)
	}
	return false
}

// has reports whether a connection is the stream's current one.
func (s *Stream) has(c Connection) bool {
	s.session.lock.Lock()
	defer s.session.lock.Unlock()
	return s.connection == c
}

// conclude stores that a stream has ended without a last message, so that other processes
// stop to follow it.
func (s *Session) conclude(stream *Stream) {
	if !s.shares() {
		return
	}
	s.lock.Lock()
	s.last++
	e := Event{Stream: stream.number, Number: s.last, Last: true}
	stored := stream.stored || s.resumes
	s.lock.Unlock()
	if stored {
		_ = s.store.Append(context.Background(), s.client, s.key, e) // the store has logged why
	}
}
