package legacy

import (
	"net/http"
	"sync"

	"github.com/bowline-mcp/bowline/internal/protocol"
)

// What the messages of calls that run may have together: of a session, and of all
// sessions beside what each has for itself.
const (
	sessionBodies = 2
	allBodies     = 16
	ownBytes      = 16 << 10 // so that the large calls of others don't keep a session from small ones
)

// loads count the bytes of the messages of calls that run in sessions. Such calls don't
// end with their connections, so that nothing else would bound what is kept for them.
type loads struct {
	body int // bytes of a message at most

	lock  sync.Mutex
	bytes int // of all sessions, beside ownBytes of each
}

// A load is how many bytes the calls of one session have. The lock of the loads guards it.
type load struct{ bytes int }

// shared is what others have less because of it.
func (l *load) shared() int { return max(l.bytes-ownBytes, 0) }

// add counts a message of so many bytes, or returns why its calls can't run now.
func (l *loads) add(to *load, size int) *protocol.Fault {
	l.lock.Lock()
	defer l.lock.Unlock()
	after := load{to.bytes + size}
	all := l.bytes + after.shared() - to.shared()
	switch {
	case after.bytes > sessionBodies*l.body:
		return refuse(http.StatusTooManyRequests,
			"The calls that run in the session have messages of %d bytes, and may have %d with this one; try again when some have ended", to.bytes, sessionBodies*l.body)
	case all > allBodies*l.body && all > l.bytes:
		return refuse(http.StatusServiceUnavailable,
			"The server is busy: the calls that run have messages of %d bytes, and may have %d with this one; try again later", l.bytes, allBodies*l.body)
	}
	*to, l.bytes = after, all
	return nil
}

// remove takes a message out whose calls have ended.
func (l *loads) remove(from *load, size int) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.bytes -= from.shared()
	from.bytes -= size
	l.bytes += from.shared()
}
