package legacy

import (
	"context"
	"crypto/sha256"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// EndedMemory has the Records of one process: the sessions that have ended, up to its limit,
// so that none of them is revived. A session that this process has begun needs no record: once
// it isn't open, it has ended. When EndedMemory is full, it can't tell whether a session has
// ended, and says that all have, until those that it couldn't record have expired. The zero value
// is empty.
type EndedMemory struct {
	lock    sync.Mutex
	expires map[[16]byte]int64 // in Unix seconds, by the hash of the id
	purged  time.Time          // when expired records were last removed
	lost    int64              // when the last session that wasn't recorded expires, in Unix seconds
}

// End records that a session has ended. It never fails.
func (m *EndedMemory) End(_ context.Context, s Sealed) error {
	if !s.Revived {
		return nil
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	now := time.Now()
	if len(m.expires) >= limits.EndedSessions && now.Sub(m.purged) >= time.Minute { // it looks at all records
		m.purge(now)
	}
	if len(m.expires) >= limits.EndedSessions {
		m.lost = max(m.lost, s.Expires.Unix())
		return nil
	}
	if m.expires == nil {
		m.expires = map[[16]byte]int64{}
	}
	m.expires[hash(s.ID)] = s.Expires.Unix()
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

// Load returns no settings, or ErrEnded.
func (m *EndedMemory) Load(_ context.Context, s Sealed) (Settings, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if _, ended := m.expires[hash(s.ID)]; ended || !s.Revived || time.Now().Unix() < m.lost {
		return Settings{}, ErrEnded
	}
	return Settings{}, nil
}

// hash returns a short hash of an id, which may have a kilobyte. Nobody can choose an id for
// its hash, since ids are sealed.
func hash(id string) (short [16]byte) {
	sum := sha256.Sum256([]byte(id))
	copy(short[:], sum[:])
	return short
}
