package legacy

import (
	"context"
	"errors"
	"time"

	"github.com/bowline-mcp/bowline/framework/store"
	"github.com/bowline-mcp/bowline/internal/engine/shared"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// SharedRecords are the Records of several processes. A session has a record in the store until
// it ends, or until no process has used it for its idle time. Each change wakes the processes
// that listen to the session's topic.
type SharedRecords struct {
	store *shared.Store
	idle  time.Duration
}

// recordName returns the name of a session's record, and of the topic for its changes.
func recordName(id string) string { return "session/" + shared.Key(id) }

// Begin puts a record into the store, which expires unless the session is used soon.
func (r *SharedRecords) Begin(ctx context.Context, s Sealed) error {
	return r.store.Do(ctx, func(ctx context.Context, to store.Store) error {
		_, err := to.Put(ctx, recordName(s.ID), []byte("{}"), 2*limits.SessionUnused, store.Any)
		return err
	})
}

// Load reads the record of a session that is revived, and keeps it: perhaps no other request
// follows for the idle time.
func (r *SharedRecords) Load(ctx context.Context, s Sealed) (Settings, error) {
	return r.Use(ctx, s, true)
}

// Use reads a record, and keeps it for the idle time if keep is true. The caller keeps it for each
// tenth of that time, and after each change.
func (r *SharedRecords) Use(ctx context.Context, s Sealed, keep bool) (settings Settings, err error) {
	err = r.store.Do(ctx, func(ctx context.Context, in store.Store) error {
		if settings, _, err = load(ctx, in, s); err == nil && keep {
			err = in.Touch(ctx, recordName(s.ID), r.ttl())
		}
		return err
	})
	return settings, ended(err)
}

// load reads a record and its revision.
func load(ctx context.Context, from store.KV, s Sealed) (settings Settings, at store.Revision, err error) {
	value, at, err := from.Get(ctx, recordName(s.ID))
	if err == nil {
		err = codec.Unmarshal(value, &settings)
	}
	return settings, at, err
}

// Change changes a record that no other process changes meanwhile.
func (r *SharedRecords) Change(ctx context.Context, s Sealed, change func(*Settings)) (settings Settings, err error) {
	name := recordName(s.ID)
	err = r.store.Do(ctx, func(ctx context.Context, in store.Store) error {
		for {
			var at store.Revision
			if settings, at, err = load(ctx, in, s); err != nil {
				return err
			}
			change(&settings)
			value, err := codec.Marshal(settings)
			if err != nil {
				return err
			}
			if _, err := in.Put(ctx, name, value, r.ttl(), at); !errors.Is(err, store.ErrConflict) {
				return err
			}
		}
	})
	if err == nil {
		_ = r.store.Publish(ctx, name, nil) // the others read the record again anyway
	}
	return settings, ended(err)
}

// Release lets a record expire soon. A process that runs a call or a stream of the session is
// woken, and keeps the record; so does one that uses the session in time.
func (r *SharedRecords) Release(ctx context.Context, s Sealed) {
	name := recordName(s.ID)
	err := r.store.DoUnlessOut(ctx, func(ctx context.Context, in store.Store) error { return in.Touch(ctx, name, 2*limits.SessionUnused) })
	if err == nil { // otherwise, it expires after the idle time
		_ = r.store.Publish(ctx, name, nil)
	}
}

// End deletes a record.
func (r *SharedRecords) End(ctx context.Context, s Sealed) error {
	name := recordName(s.ID)
	err := r.store.Do(ctx, func(ctx context.Context, from store.Store) error {
		_, err := from.Delete(ctx, name)
		return err
	})
	if err == nil {
		_ = r.store.Publish(ctx, name, nil) // the others read the record again anyway
	}
	return err
}

// ttl returns how long a record is kept without being used. It exceeds the idle time, since not
// each use keeps the record.
func (r *SharedRecords) ttl() time.Duration { return r.idle + max(r.idle/5, 2*limits.SessionRefresh) }

// ended returns ErrEnded if a session has no record.
func ended(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return ErrEnded
	}
	return err
}
