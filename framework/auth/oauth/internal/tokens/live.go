package tokens

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
)

// liveGrant returns a grant, or store.ErrRevoked if it has ended.
func (e *Endpoint) liveGrant(ctx context.Context, id string) (store.Grant, error) {
	grant, err := e.Store.Grant(ctx, id)
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && !grant.Live(time.Now()):
		return grant, store.ErrRevoked
	case err != nil:
		return grant, err
	}
	return grant, e.checkGrant(ctx, grant)
}

// checkRefresh returns store.ErrRevoked for a grant that gets no more tokens.
func (e *Endpoint) checkRefresh(ctx context.Context, grant store.Grant) error {
	if err := e.checkGrant(ctx, grant); err != nil {
		return err
	}
	return e.checkUpstream(ctx, grant.UserID)
}

// checkGrant returns store.ErrRevoked for a grant whose client was removed from the store, or
// whose user was removed or disabled.
func (e *Endpoint) checkGrant(ctx context.Context, grant store.Grant) error {
	if grant.ClientSource != store.Document {
		_, err := e.Store.Client(ctx, grant.ClientID)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return store.ErrRevoked
		case err != nil:
			return err
		}
	}
	return e.CheckUser(ctx, grant.UserID)
}

// CheckUser returns store.ErrRevoked for a user of the store who was removed or disabled. A
// client that acts for itself has no user.
func (e *Endpoint) CheckUser(ctx context.Context, id string) error {
	if id == "" {
		return nil
	}
	user, err := e.Store.User(ctx, id)
	switch {
	case errors.Is(err, store.ErrNotFound) && e.Local && !IsProvided(e.IdentityProviders, id):
		return store.ErrRevoked
	case errors.Is(err, store.ErrNotFound): // a user of another login
		return nil
	case err != nil:
		return err
	case user.Disabled:
		return store.ErrRevoked
	}
	return nil
}

// checkUpstream returns store.ErrRevoked for a user whom the other server that logs users in
// no longer lets in.
func (e *Endpoint) checkUpstream(ctx context.Context, id string) error {
	if e.Upstream == nil || id == "" {
		return nil
	}
	return e.Upstream.CheckUser(ctx, id)
}

// LiveGrants returns the grants of a user, or of all for "", that have not ended.
func LiveGrants(ctx context.Context, from store.Grants, user string) iter.Seq2[store.Grant, error] {
	all := Each(func(after string) ([]store.Grant, error) { return from.ListGrants(ctx, user, after, Listed) }, func(g store.Grant) string { return g.ID })
	return func(yield func(store.Grant, error) bool) {
		for grant, err := range all {
			if (err != nil || grant.Live(time.Now())) && !yield(grant, err) {
				return
			}
		}
	}
}

// Listed is how many records of a list are read at once.
const Listed = 100

// Each returns all records of a list that is read in parts.
func Each[R any](list func(after string) ([]R, error), id func(R) string) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		for after := ""; ; {
			part, err := list(after)
			if err != nil {
				yield(*new(R), err)
				return
			}
			for _, record := range part {
				if !yield(record, nil) {
					return
				}
				after = id(record)
			}
			if len(part) == 0 {
				return
			}
		}
	}
}
