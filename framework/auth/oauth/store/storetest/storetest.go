// Package storetest checks that a store of an authorization server keeps the contract of
// [store.Store]. The tests of a store call [Run], and [Durable] if other processes can use
// the same records.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
)

// Run checks a store. Open returns a new, empty one, which the test closes.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	t.Helper()
	for name, check := range map[string]func(*testing.T, store.Store){
		"Clients": clients, "ClientsArePruned": clientsArePruned, "Users": users, "Tokens": tokens, "Values": values,
		"Grants": grants, "GrantsAreListed": grantsAreListed, "Codes": codes, "RefreshTokens": refreshTokens, "GrantsThatEnded": endedGrants,
		"OneWins": races, "Purge": purge, "Ends": ends,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opened := open(t)
			t.Cleanup(func() { _ = opened.Close() })
			check(t, opened)
		})
	}
}

// RunAt checks a store that is opened by an address, as [Run] and [Durable] do. Address
// returns that of a new, empty one.
func RunAt(t *testing.T, address func(t testing.TB) string, open func(ctx context.Context, address string) (store.Store, error)) {
	t.Helper()
	must := func(t *testing.T, address string) store.Store {
		t.Helper()
		opened, err := open(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		return opened
	}
	t.Run("OneProcess", func(t *testing.T) {
		Run(t, func(t *testing.T) store.Store {
			t.Helper()
			return must(t, address(t))
		})
	})
	t.Run("SeveralProcesses", func(t *testing.T) {
		shared := address(t)
		Durable(t, func(t *testing.T) store.Store {
			t.Helper()
			return must(t, shared)
		})
	})
}

// now is the time of the tests. Stores keep milliseconds.
func now() time.Time { return time.UnixMilli(time.Now().UnixMilli()) }

// must fails the test if an error is not the wanted one.
func must(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("%s: the error is %v, want %v", what, err, want)
	}
}

// same fails the test if a record is not the wanted one.
func same[R any](t *testing.T, what string, got R, err error, want R) {
	t.Helper()
	must(t, what, err, nil)
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: got\n%+v, want\n%+v", what, got, want)
	}
}

func client(id string, created time.Time) store.Client {
	secret := store.HashOf("secret of " + id)
	return store.Client{
		ID: id, Source: store.Registered, Name: "Ünïcode <b> " + id, RedirectURIs: []string{"https://client.example/cb?a=b", "cursor://x"},
		GrantTypes: []string{"authorization_code"}, AuthMethods: []string{"client_secret_post"}, Scopes: []string{"mcp:use", "files:write"},
		ApplicationType: "web", URI: "https://client.example", Secret: &secret, Keys: []byte(`{"keys":[]}`), KeysURI: "https://client.example/keys", Created: created,
	}
}

func clients(t *testing.T, s store.Store) {
	ctx, at := t.Context(), now()
	_, err := s.Client(ctx, "a")
	must(t, "a client that doesn't exist", err, store.ErrNotFound)
	want := []store.Client{client("a", at), {ID: "b", Source: store.Static, Created: at, Used: at.Add(time.Second)}, client("C' OR 1=1 --", at)}
	for _, one := range want {
		must(t, "create", s.CreateClient(ctx, one), nil)
		got, err := s.Client(ctx, one.ID)
		same(t, "a client", got, err, one)
	}
	must(t, "create again", s.CreateClient(ctx, store.Client{ID: "a", Source: store.Static, Created: at}), store.ErrExists)
	got, err := s.Client(ctx, "a")
	same(t, "a client after another was refused", got, err, want[0])

	all, err := s.ListClients(ctx, "", 10)
	same(t, "all clients", all, err, []store.Client{want[2], want[0], want[1]})
	first, err := s.ListClients(ctx, "", 2)
	same(t, "two clients", first, err, []store.Client{want[2], want[0]})
	rest, err := s.ListClients(ctx, "a", 2)
	same(t, "the clients behind a", rest, err, []store.Client{want[1]})

	must(t, "grant", s.CreateGrant(ctx, store.Grant{ID: "of a", ClientID: "a", Created: at, Expires: at.Add(time.Hour)}, nil), nil)
	must(t, "delete", s.DeleteClient(ctx, "a"), nil)
	_, err = s.Grant(ctx, "of a")
	must(t, "the grant of a deleted client", err, nil)
	must(t, "delete again", s.DeleteClient(ctx, "a"), store.ErrNotFound)
	_, err = s.Client(ctx, "a")
	must(t, "a deleted client", err, store.ErrNotFound)
}

func clientsArePruned(t *testing.T, s store.Store) {
	ctx, at := t.Context(), now()
	for n := range 10 {
		must(t, "create", s.CreateClient(ctx, client(fmt.Sprint("unused", n), at.Add(time.Duration(n)*time.Second))), nil)
	}
	for name, created := range map[string]time.Time{"old": at.Add(-time.Hour), "new": at.Add(time.Hour)} {
		must(t, "create", s.CreateClient(ctx, client(name+" in use", created)), nil)
		must(t, "create", s.CreateClient(ctx, store.Client{ID: name + " static", Source: store.Static, Created: created}), nil)
		must(t, "grant", s.CreateGrant(ctx, store.Grant{ID: name, ClientID: name + " in use", Created: at, Expires: at.Add(time.Hour)}, nil), nil)
	}
	must(t, "create", s.CreateClient(ctx, client("deleted", at.Add(time.Hour))), nil)
	must(t, "delete", s.DeleteClient(ctx, "deleted"), nil)
	removed, err := s.PruneClients(ctx, 10)
	same(t, "none is too many", removed, err, 0)
	removed, err = s.PruneClients(ctx, 4)
	same(t, "six are too many", removed, err, 6)
	left, err := s.ListClients(ctx, "", 100)
	must(t, "list", err, nil)
	var ids []string
	for _, one := range left {
		ids = append(ids, one.ID)
	}
	same(t, "the newest, those in use and the static ones stay", strings.Join(ids, ","), nil, "new in use,new static,old in use,old static,unused6,unused7,unused8,unused9")
}

func users(t *testing.T, s store.Store) {
	ctx, at := t.Context(), now()
	ana := store.User{ID: "u1", Name: "ana@example.com", Password: "hash", Created: at}
	must(t, "create", s.CreateUser(ctx, ana), nil)
	must(t, "the same ID", s.CreateUser(ctx, store.User{ID: "u1", Name: "other", Created: at}), store.ErrExists)
	must(t, "the same name", s.CreateUser(ctx, store.User{ID: "u2", Name: ana.Name, Created: at}), store.ErrExists)
	_, err := s.User(ctx, "u2")
	must(t, "a refused user", err, store.ErrNotFound)
	got, err := s.User(ctx, "u1")
	same(t, "by ID", got, err, ana)
	got, err = s.UserByName(ctx, "ana@example.com")
	same(t, "by name", got, err, ana)
	_, err = s.UserByName(ctx, "Ana@example.com")
	must(t, "another name", err, store.ErrNotFound)

	ana.Password, ana.Disabled, ana.LoggedIn = "new", true, at.UTC()
	must(t, "update", s.UpdateUser(ctx, "u1", func(u *store.User) error {
		*u = store.User{ID: "ignored", Name: "ignored", Password: "new", Disabled: true, LoggedIn: at.UTC()}
		return nil
	}), nil)
	got, err = s.UserByName(ctx, "ana@example.com")
	same(t, "an updated user", got, err, ana)
	refusal := errors.New("refused")
	must(t, "an update that is refused", s.UpdateUser(ctx, "u1", func(u *store.User) error {
		u.Disabled = false
		return refusal
	}), refusal)
	got, err = s.User(ctx, "u1")
	same(t, "a user after an update that was refused", got, err, ana)
	must(t, "update nobody", s.UpdateUser(ctx, "u2", func(*store.User) error { return nil }), store.ErrNotFound)

	for _, id := range []string{"u3", "u2"} {
		must(t, "create", s.CreateUser(ctx, store.User{ID: id, Name: id, Created: at}), nil)
	}
	all, err := s.ListUsers(ctx, "", 2)
	same(t, "the first users", all, err, []store.User{ana, {ID: "u2", Name: "u2", Created: at}})
	all, err = s.ListUsers(ctx, "u2", 2)
	same(t, "the users behind u2", all, err, []store.User{{ID: "u3", Name: "u3", Created: at}})

	must(t, "create", s.CreateGrant(ctx, grant("of u1", at), nil), nil)
	must(t, "delete", s.DeleteUser(ctx, "u1"), nil)
	must(t, "delete again", s.DeleteUser(ctx, "u1"), store.ErrNotFound)
	_, err = s.User(ctx, "u1")
	must(t, "a deleted user by ID", err, store.ErrNotFound)
	_, err = s.UserByName(ctx, ana.Name)
	must(t, "a deleted user by name", err, store.ErrNotFound)
	all, err = s.ListUsers(ctx, "", 1)
	same(t, "the first user after a removal", all, err, []store.User{{ID: "u2", Name: "u2", Created: at}})
	_, err = s.Grant(ctx, "of u1")
	must(t, "the grant of a deleted user", err, nil)
	must(t, "the name is free again", s.CreateUser(ctx, store.User{ID: "u4", Name: ana.Name, Created: at}), nil)
}

func tokens(t *testing.T, s store.Store) {
	ctx, at := t.Context(), now()
	first := store.Token{ID: "1", UserID: "u", Hash: store.HashOf("first"), Name: "CI", UserName: "ana", Scopes: []string{"mcp:use"}, Created: at, Expires: at.Add(time.Hour)}
	second := store.Token{ID: "2", UserID: "u", Hash: store.HashOf("second"), Name: "for ever", Created: at}
	other := store.Token{ID: "3", UserID: "v", Hash: store.HashOf("other"), Created: at}
	for _, token := range []store.Token{first, second, other} {
		must(t, "create", s.CreateToken(ctx, token), nil)
		got, err := s.Token(ctx, token.Hash)
		same(t, "a token", got, err, token)
	}
	must(t, "the same ID", s.CreateToken(ctx, store.Token{ID: "1", Hash: store.HashOf("new"), Created: at}), store.ErrExists)
	must(t, "the same hash", s.CreateToken(ctx, store.Token{ID: "4", Hash: first.Hash, Created: at}), store.ErrExists)
	_, err := s.Token(ctx, store.HashOf("new"))
	must(t, "a refused token", err, store.ErrNotFound)
	all, err := s.ListTokens(ctx, "u", "", 10)
	same(t, "the tokens of a user", all, err, []store.Token{first, second})
	one, err := s.ListTokens(ctx, "u", "", 1)
	same(t, "the first token", one, err, []store.Token{first})
	one, err = s.ListTokens(ctx, "u", "1", 1)
	same(t, "the next token", one, err, []store.Token{second})
	all, err = s.ListTokens(ctx, "", "1", 2)
	same(t, "the tokens of all users behind 1", all, err, []store.Token{second, other})
	must(t, "delete", s.DeleteToken(ctx, "1"), nil)
	must(t, "delete again", s.DeleteToken(ctx, "1"), store.ErrNotFound)
	all, err = s.ListTokens(ctx, "", "", 1)
	same(t, "the first token after a removal", all, err, []store.Token{second})
	_, err = s.Token(ctx, first.Hash)
	must(t, "a deleted token", err, store.ErrNotFound)
	must(t, "the hash is free again", s.CreateToken(ctx, first), nil)
}

func values(t *testing.T, s store.Store) {
	ctx, at := t.Context(), now()
	key, value := store.HashOf("key"), store.Value{Data: []byte("\x00binary\xff"), Expires: at.Add(time.Minute)}
	_, err := s.Value(ctx, key)
	must(t, "a value that doesn't exist", err, store.ErrNotFound)
	must(t, "add", s.AddValue(ctx, key, value, at), nil)
	must(t, "add again", s.AddValue(ctx, key, store.Value{Data: []byte("other"), Expires: at.Add(time.Hour)}, at), store.ErrExists)
	got, err := s.Value(ctx, key)
	same(t, "a value", got, err, value)
	later := store.Value{Data: []byte("later"), Expires: at.Add(time.Hour)}
	must(t, "add after the end of the first", s.AddValue(ctx, key, later, value.Expires), nil)
	got, err = s.Value(ctx, key)
	same(t, "the second value", got, err, later)
	must(t, "set", s.SetValue(ctx, key, value), nil)
	got, err = s.TakeValue(ctx, key)
	same(t, "a value that is taken", got, err, value)
	_, err = s.TakeValue(ctx, key)
	must(t, "take again", err, store.ErrNotFound)
	_, err = s.Value(ctx, key)
	must(t, "a value that was taken", err, store.ErrNotFound)
	must(t, "add a value without data", s.AddValue(ctx, key, store.Value{Expires: value.Expires}, at), nil)
	must(t, "set a value without data", s.SetValue(ctx, key, store.Value{Expires: value.Expires}), nil)
	if got, err = s.Value(ctx, key); err != nil || len(got.Data) != 0 {
		t.Errorf("a value without data is %+v, %v", got, err)
	}
}

// ends checks the errors after the end of a context and of the store.
func ends(t *testing.T, s store.Store) {
	at := now()
	must(t, "create", s.CreateGrant(t.Context(), grant("g", at), code("c", at)), nil)
	redeem := func(ctx context.Context) error {
		return s.RedeemCode(ctx, "g", store.HashOf("c"), store.Renewal{Now: at, Expires: at.Add(time.Hour), Next: store.HashOf("r")})
	}
	methods := map[string]func(ctx context.Context) error{
		"create a user": func(ctx context.Context) error {
			return s.CreateUser(ctx, store.User{ID: "u", Name: "u", Created: at})
		},
		"read a user":   func(ctx context.Context) error { _, err := s.User(ctx, "u"); return err },
		"list users":    func(ctx context.Context) error { _, err := s.ListUsers(ctx, "", 1); return err },
		"update a user": func(ctx context.Context) error { return s.UpdateUser(ctx, "u", func(*store.User) error { return nil }) },
		"list grants":   func(ctx context.Context) error { _, err := s.ListGrants(ctx, "", "", 1); return err },
		"list clients":  func(ctx context.Context) error { _, err := s.ListClients(ctx, "", 1); return err },
		"redeem a code": redeem,
		"set a value":   func(ctx context.Context) error { return s.SetValue(ctx, store.HashOf("v"), store.Value{Expires: at}) },
		"take a value":  func(ctx context.Context) error { _, err := s.TakeValue(ctx, store.HashOf("v")); return err },
		"purge":         func(ctx context.Context) error { _, err := s.Purge(ctx, at); return err },
	}
	fail := func(ctx context.Context, when string) {
		t.Helper()
		for what, method := range methods {
			if err := method(ctx); err == nil || errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrUsed) {
				t.Errorf("%s: %s: the error is %v", when, what, err)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	fail(ctx, "after the end of the context")
	_, err := s.User(t.Context(), "u")
	must(t, "a user whose context ended", err, store.ErrNotFound)
	must(t, "a code whose context ended", redeem(t.Context()), nil)
	must(t, "close", s.Close(), nil)
	fail(t.Context(), "after the end of the store")
}
