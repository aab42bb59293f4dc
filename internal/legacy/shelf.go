package legacy

import (
	"container/list"
	"sync"
)

// What is kept of events, so that clients that come back get what they have missed.
const (
	maxEvents     = 1000     // of a session: those of a client that is away for a while
	maxEventBytes = 4 << 20  // of a session: any answer of the usual size fits
	maxShelfBytes = 64 << 20 // of all sessions
	eventCost     = 64       // bytes that an event needs beside its message
)

// A shelf has what all sessions of a wing keep of their streams. When it is full, the
// session that has been quiet for longest loses what it keeps.
type shelf struct {
	lock  sync.Mutex
	quiet list.List // of the journals that keep anything, the one that was quiet for longest first
	bytes int
}

// add notes that a journal keeps more, and makes room for that. The caller holds the
// lock, as for the other method.
func (s *shelf) add(j *journal, bytes int) {
	s.bytes += bytes
	if j.place == nil {
		j.place = s.quiet.PushBack(j)
	} else {
		s.quiet.MoveToBack(j.place)
	}
	for s.bytes > maxShelfBytes {
		oldest := s.quiet.Front().Value.(*journal)
		for len(oldest.events) > 0 {
			oldest.forget()
		}
	}
}

// remove notes that a journal keeps less.
func (s *shelf) remove(j *journal, bytes int) {
	s.bytes -= bytes
	if len(j.events) == 0 && j.place != nil {
		s.quiet.Remove(j.place)
		j.place = nil
	}
}
