package legacy

import (
	"sync/atomic"
	"time"

	"github.com/bowline-mcp/bowline/internal/protocol"
)

// A session is what is remembered of a client between its requests.
type session struct {
	client
	id        string
	principal string // who has begun it; nobody else may use it
	calls     protocol.Calls
	journal   journal
	changes   changes
	running   atomic.Int32
	load      load
	begun     atomic.Bool  // whether anything has followed initialize
	used      atomic.Int64 // when it was used last, in Unix nanoseconds
}

// enter notes that something uses the session, which isn't idle until leave: a stream, or
// a message of so many requests. It returns how much does.
func (s *session) enter(n int32) int32 {
	s.begun.Store(true)
	return s.running.Add(n)
}

func (s *session) leave(n int32) {
	s.touch()
	s.running.Add(-n)
}

// end ends the session's calls and streams.
func (s *session) end() {
	s.calls.Close()
	s.changes.stop()
	s.peer.Interest.End()
	s.journal.close()
}

// touch notes that the session is in use.
func (s *session) touch() { s.used.Store(time.Now().UnixNano()) }

// patience is how long a session is kept that nothing has followed, so that a flood
// of initialize requests keeps clients out for no longer.
const patience = time.Minute

// idle reports whether nothing has used the session for the time.
func (s *session) idle(ttl time.Duration) bool {
	if !s.begun.Load() {
		ttl = min(ttl, patience)
	}
	return s.running.Load() == 0 && time.Since(time.Unix(0, s.used.Load())) >= ttl
}
