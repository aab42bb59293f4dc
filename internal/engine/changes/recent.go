package changes

import (
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// recent has the changes of the last limits.RecentTime. A client may subscribe to a resource in
// one process and listen in another one, which hears of the subscription a moment later. It finds
// here what has changed in that moment.
type recent struct {
	changes   []timed
	forgotten time.Time // when the latest change happened that is no longer among them
}

// A timed change is a change with its time.
type timed struct {
	change Change
	at     time.Time
}

// add adds a change that happens now.
func (r *recent) add(change Change) {
	now := time.Now()
	r.changes = append(r.changes, timed{change, now})
	old := max(0, len(r.changes)-limits.MaxRecent)
	for now.Sub(r.changes[old].at) > limits.RecentTime {
		old++
	}
	if old == 0 {
		return
	}
	r.forgotten = r.changes[old-1].at
	clear(r.changes[:old])
	r.changes = r.changes[old:]
}

// changed reports whether a key may have changed for a principal's clients since a time.
func (d *Feed) changed(key Change, since time.Time, principal string) bool {
	since = since.Add(-limits.ClockSkew)
	normal := key.Topic.normalize(key.Key)
	d.lock.Lock()
	defer d.lock.Unlock()
	for _, known := range d.recent.changes {
		change := known.change
		of := change.Topic == nil || change.Topic == key.Topic && key.Topic.normalize(change.Key) == normal && (!change.Private || change.Principal == principal)
		if of && known.at.After(since) {
			return true
		}
	}
	return d.recent.forgotten.After(since)
}
