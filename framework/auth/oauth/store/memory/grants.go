package memory

import (
	"context"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
)

// CreateGrant adds a grant with its code.
func (s *Store) CreateGrant(ctx context.Context, made store.Grant, code *store.Code) error {
	return s.locked(ctx, func() error {
		if s.grants[made.ID] != nil {
			return store.ErrExists
		}
		if client, ok := s.clients[made.ClientID]; ok && client.Used.IsZero() {
			client.Used = made.Created
			s.clients[client.ID] = client
		}
		added := &grant{Grant: made, codes: map[store.Hash]*store.Code{}, refresh: map[store.Hash]*store.RefreshToken{}}
		if code != nil {
			kept := *code
			added.codes[code.Hash] = &kept
		}
		s.grants[made.ID] = added
		return nil
	})
}

// Grant returns a grant.
func (s *Store) Grant(ctx context.Context, id string) (store.Grant, error) {
	found, err := find(ctx, s, s.grants, id)
	if err != nil {
		return store.Grant{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return found.Grant, nil
}

// ListGrants returns the grants of a user, or of all, by their IDs.
func (s *Store) ListGrants(ctx context.Context, user, after string, limit int) (found []store.Grant, err error) {
	all, err := page(ctx, s, s.grants, after, limit, func(g *grant) bool { return user == "" || g.UserID == user })
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range all {
		found = append(found, g.Grant)
	}
	return found, nil
}

// RevokeGrant revokes a grant.
func (s *Store) RevokeGrant(ctx context.Context, id string, now time.Time) error {
	return s.locked(ctx, func() error {
		if g := s.grants[id]; g != nil && g.Revoked.IsZero() {
			g.Revoked = now
		}
		return nil
	})
}

// code returns a code of a grant. The caller holds the lock.
func (s *Store) code(id string, hash store.Hash) (*grant, *store.Code, error) {
	g := s.grants[id]
	if g == nil || g.codes[hash] == nil {
		return nil, nil, store.ErrNotFound
	}
	return g, g.codes[hash], nil
}

// Code returns a code.
func (s *Store) Code(ctx context.Context, id string, hash store.Hash) (found store.Code, err error) {
	err = s.locked(ctx, func() error {
		_, code, err := s.code(id, hash)
		if err == nil {
			found = *code
		}
		return err
	})
	return found, err
}

// FailCode counts a failed try to redeem a code.
func (s *Store) FailCode(ctx context.Context, id string, hash store.Hash) (failures int, err error) {
	err = s.locked(ctx, func() error {
		_, code, err := s.code(id, hash)
		if err != nil {
			return err
		}
		code.Failures++
		failures = code.Failures
		return nil
	})
	return failures, err
}

// RedeemCode uses a code.
func (s *Store) RedeemCode(ctx context.Context, id string, hash store.Hash, renewal store.Renewal) error {
	return s.locked(ctx, func() error {
		g, code, err := s.code(id, hash)
		if err != nil {
			return err
		}
		return g.renew(&code.Used, renewal)
	})
}

// renew uses a code or refresh token and adds the next refresh token.
func (g *grant) renew(used *time.Time, renewal store.Renewal) error {
	switch {
	case !used.IsZero():
		return store.ErrUsed
	case !g.Live(renewal.Now):
		return store.ErrRevoked
	}
	*used, g.Used, g.Expires = renewal.Now, renewal.Now, renewal.Expires
	if renewal.Next != (store.Hash{}) {
		g.refresh[renewal.Next] = &store.RefreshToken{Hash: renewal.Next}
	}
	return nil
}

// RefreshToken returns a refresh token.
func (s *Store) RefreshToken(ctx context.Context, id string, hash store.Hash) (found store.RefreshToken, err error) {
	err = s.locked(ctx, func() error {
		if g := s.grants[id]; g != nil && g.refresh[hash] != nil {
			found = *g.refresh[hash]
			return nil
		}
		return store.ErrNotFound
	})
	return found, err
}

// RotateRefreshToken uses a refresh token.
func (s *Store) RotateRefreshToken(ctx context.Context, id string, hash store.Hash, renewal store.Renewal) error {
	return s.locked(ctx, func() error {
		g := s.grants[id]
		if g == nil || g.refresh[hash] == nil {
			return store.ErrNotFound
		}
		token := g.refresh[hash]
		if err := g.renew(&token.Used, renewal); err != nil {
			return err
		}
		token.Next, token.Answer = renewal.Next, renewal.Answer
		return nil
	})
}
