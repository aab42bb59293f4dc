// Package memory is a store of an authorization server that keeps everything in memory, for
// tests. All clients have to log in again when the program restarts.
package memory

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
)

// Store is a store in memory.
type Store struct {
	mu      sync.Mutex
	closed  bool
	clients map[string]store.Client
	users   map[string]store.User
	grants  map[string]*grant
	tokens  map[string]store.Token
	values  map[store.Hash]store.Value
}

// A grant is a grant with its codes and refresh tokens.
type grant struct {
	store.Grant
	codes   map[store.Hash]*store.Code
	refresh map[store.Hash]*store.RefreshToken
}

var _ store.Store = (*Store)(nil)

// Driver opens stores whose address is memory:. Each is new and empty.
func Driver() store.Driver {
	return store.Driver{Schemes: []string{"memory"}, Open: func(context.Context, string) (store.Store, error) { return New(), nil }}
}

// errClosed is the error of all methods after Close.
var errClosed = errors.New("the store is closed")

// New returns an empty store.
func New() *Store {
	return &Store{
		clients: map[string]store.Client{},
		users:   map[string]store.User{},
		grants:  map[string]*grant{},
		tokens:  map[string]store.Token{},
		values:  map[store.Hash]store.Value{},
	}
}

// locked runs a method while no other runs.
func (s *Store) locked(ctx context.Context, method func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return method()
}

// find returns the record of a map, or ErrNotFound.
func find[K comparable, V any](ctx context.Context, s *Store, records map[K]V, key K) (found V, err error) {
	err = s.locked(ctx, func() error {
		var ok bool
		if found, ok = records[key]; !ok {
			return store.ErrNotFound
		}
		return nil
	})
	return found, err
}

// match returns a record of a map that meets a condition, or ErrNotFound.
func match[V any](ctx context.Context, s *Store, records map[string]V, has func(V) bool) (found V, err error) {
	err = s.locked(ctx, func() error {
		for _, record := range records {
			if has(record) {
				found = record
				return nil
			}
		}
		return store.ErrNotFound
	})
	return found, err
}

// create adds a record to a map. The error is ErrExists if the map has a record with its key, or
// one that conflicts with it.
func create[V any](ctx context.Context, s *Store, records map[string]V, key string, record V, conflicts func(V) bool) error {
	return s.locked(ctx, func() error {
		if _, taken := records[key]; taken || conflicts != nil && slices.ContainsFunc(slices.Collect(maps.Values(records)), conflicts) {
			return store.ErrExists
		}
		records[key] = record
		return nil
	})
}

// take removes the record of a map and returns it, or ErrNotFound.
func take[K comparable, V any](ctx context.Context, s *Store, records map[K]V, key K) (taken V, err error) {
	err = s.locked(ctx, func() error {
		var ok bool
		if taken, ok = records[key]; !ok {
			return store.ErrNotFound
		}
		delete(records, key)
		return nil
	})
	return taken, err
}

// page returns the records behind a key, in the order of their keys.
func page[V any](ctx context.Context, s *Store, records map[string]V, after string, limit int, has func(V) bool) (found []V, err error) {
	err = s.locked(ctx, func() error {
		for _, key := range slices.Sorted(maps.Keys(records)) {
			if record := records[key]; key > after && len(found) < limit && has(record) {
				found = append(found, record)
			}
		}
		return nil
	})
	return found, err
}

// CreateClient adds a client.
func (s *Store) CreateClient(ctx context.Context, client store.Client) error {
	return create(ctx, s, s.clients, client.ID, client, nil)
}

// Client returns a client.
func (s *Store) Client(ctx context.Context, id string) (store.Client, error) {
	return find(ctx, s, s.clients, id)
}

// ListClients returns clients by their IDs.
func (s *Store) ListClients(ctx context.Context, after string, limit int) ([]store.Client, error) {
	return page(ctx, s, s.clients, after, limit, func(store.Client) bool { return true })
}

// DeleteClient removes a client.
func (s *Store) DeleteClient(ctx context.Context, id string) error {
	_, err := take(ctx, s, s.clients, id)
	return err
}

// PruneClients removes the oldest clients that never got a grant.
func (s *Store) PruneClients(ctx context.Context, keep int) (removed int, err error) {
	err = s.locked(ctx, func() error {
		var unused []store.Client
		for _, client := range s.clients {
			if client.Source == store.Registered && client.Used.IsZero() {
				unused = append(unused, client)
			}
		}
		slices.SortFunc(unused, func(a, b store.Client) int {
			return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
		})
		for removed = 0; removed < len(unused)-keep; removed++ {
			delete(s.clients, unused[removed].ID)
		}
		return nil
	})
	return removed, err
}

// CreateUser adds a user.
func (s *Store) CreateUser(ctx context.Context, user store.User) error {
	return create(ctx, s, s.users, user.ID, user, func(other store.User) bool { return other.Name == user.Name })
}

// User returns a user by its ID.
func (s *Store) User(ctx context.Context, id string) (store.User, error) {
	return find(ctx, s, s.users, id)
}

// UserByName returns a user by its name.
func (s *Store) UserByName(ctx context.Context, name string) (store.User, error) {
	return match(ctx, s, s.users, func(user store.User) bool { return user.Name == name })
}

// ListUsers returns users by their IDs.
func (s *Store) ListUsers(ctx context.Context, after string, limit int) ([]store.User, error) {
	return page(ctx, s, s.users, after, limit, func(store.User) bool { return true })
}

// UpdateUser changes a user.
func (s *Store) UpdateUser(ctx context.Context, id string, change func(*store.User) error) error {
	return s.locked(ctx, func() error {
		known, ok := s.users[id]
		if !ok {
			return store.ErrNotFound
		}
		user := known
		if err := change(&user); err != nil {
			return err
		}
		user.ID, user.Name, user.Created = id, known.Name, known.Created
		s.users[id] = user
		return nil
	})
}

// DeleteUser removes a user.
func (s *Store) DeleteUser(ctx context.Context, id string) error {
	_, err := take(ctx, s, s.users, id)
	return err
}

// CreateToken adds a personal access token.
func (s *Store) CreateToken(ctx context.Context, token store.Token) error {
	return create(ctx, s, s.tokens, token.ID, token, func(other store.Token) bool { return other.Hash == token.Hash })
}

// Token returns a personal access token by its hash.
func (s *Store) Token(ctx context.Context, hash store.Hash) (store.Token, error) {
	return match(ctx, s, s.tokens, func(token store.Token) bool { return token.Hash == hash })
}

// ListTokens returns the tokens of a user, or of all, by their IDs.
func (s *Store) ListTokens(ctx context.Context, user, after string, limit int) ([]store.Token, error) {
	return page(ctx, s, s.tokens, after, limit, func(token store.Token) bool { return user == "" || token.UserID == user })
}

// DeleteToken removes a token.
func (s *Store) DeleteToken(ctx context.Context, id string) error {
	_, err := take(ctx, s, s.tokens, id)
	return err
}

// AddValue adds a value.
func (s *Store) AddValue(ctx context.Context, key store.Hash, value store.Value, now time.Time) error {
	return s.locked(ctx, func() error {
		if known, ok := s.values[key]; ok && now.Before(known.Expires) {
			return store.ErrExists
		}
		s.values[key] = value
		return nil
	})
}

// SetValue adds or replaces a value.
func (s *Store) SetValue(ctx context.Context, key store.Hash, value store.Value) error {
	return s.locked(ctx, func() error {
		s.values[key] = value
		return nil
	})
}

// Value returns a value.
func (s *Store) Value(ctx context.Context, key store.Hash) (store.Value, error) {
	return find(ctx, s, s.values, key)
}

// TakeValue removes a value and returns it.
func (s *Store) TakeValue(ctx context.Context, key store.Hash) (store.Value, error) {
	return take(ctx, s, s.values, key)
}

// Purge removes expired records.
func (s *Store) Purge(ctx context.Context, before time.Time) (removed int, err error) {
	expired := func(expires time.Time) bool {
		gone := !expires.IsZero() && expires.Before(before)
		if gone {
			removed++
		}
		return gone
	}
	err = s.locked(ctx, func() error {
		maps.DeleteFunc(s.grants, func(_ string, g *grant) bool { return expired(g.Expires) })
		maps.DeleteFunc(s.values, func(_ store.Hash, value store.Value) bool { return expired(value.Expires) })
		maps.DeleteFunc(s.tokens, func(_ string, token store.Token) bool { return expired(token.Expires) })
		return nil
	})
	return removed, err
}

// Close drops all records.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}
