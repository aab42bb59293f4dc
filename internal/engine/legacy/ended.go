package legacy

import (
	"context"
	"crypto/sha256"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// EndedSessions remembers which sessions have ended, so that none of them is revived.
// [EndedMemory] is one. If several processes shared one, a session that ended in any of them
// would have ended in all.
type EndedSessions interface {
	// End records that the session with an id has ended. The record is needed until the seal
	// of the id expires.
	End(ctx context.Context, id string, expires time.Time) error

	// Ended reports whether the session with an id has ended.
	Ended(ctx context.Context, id string) (bool, error)
}

// EndedMemory is an EndedSessions in the memory of the process, up to its limit. When it is
// full, it can't tell whether a session has ended, and reports that all have, until those that
// it couldn't record have expired. The zero value is empty.
type EndedMemory struct {
	lock    sync.Mutex
	expires map[[16]byte]int64 // in Unix seconds, by the hash of the id
	purged  time.Time          // when expired records were last removed
	lost    int64              // when the last session that wasn't recorded expires, in Unix seconds
}

// End records that a session has ended. It never fails.
func (m *EndedMemory) End(_ context.Context, id string, expires time.Time) error {
	m.lock.Lock()
	defer m.lock.Unlock()
	now := time.Now()
	if len(m.expires) >= limits.EndedSessions && now.Sub(m.purged) >= time.Minute { // it looks at all records
		m.purge(now)
	}
	if len(m.expires) >= limits.EndedSessions {
		m.lost = max(m.lost, expires.Unix())
		return nil
	}
	if m.expires == nil {
		m.expires = map[[16]byte]int64{}
	}
	m.expires[hash(id)] = expires.Unix()
	return nil
}

// purge removes the records of sessions that have expired. The caller holds the lock.
func (m *EndedMemory) purge(now time.Time) {
	m.purged = now
	for id, expires := range m.expires {
		if expires <= now.Unix() {
			delete(m.expires, id)
		}
	}
}

// Ended reports whether a session has ended. It never fails.
func (m *EndedMemory) Ended(_ context.Context, id string) (bool, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	_, ended := m.expires[hash(id)]
	return ended || time.Now().Unix() < m.lost, nil
}

// hash returns a short hash of an id, which may have a kilobyte. Nobody can choose an id for
// its hash, since ids are sealed.
func hash(id string) (short [16]byte) {
	sum := sha256.Sum256([]byte(id))
	copy(short[:], sum[:])
	return short
}
