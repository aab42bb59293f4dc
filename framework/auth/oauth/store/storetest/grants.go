package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
)

func grant(id string, created time.Time) store.Grant {
	return store.Grant{
		ID: id, ClientID: "client", ClientSource: store.Registered, UserID: "user", UserName: "Ana", Scopes: []string{"mcp:use"}, Resources: []string{"https://example.com/mcp"},
		Claims: map[string]any{"email": "ana@example.com"}, Created: created, Until: created.Add(100 * time.Hour), Expires: created.Add(time.Minute),
	}
}

func code(secret string, created time.Time) *store.Code {
	return &store.Code{Hash: store.HashOf(secret), RedirectURI: "http://127.0.0.1:1234/cb", Challenge: "challenge", Expires: created.Add(time.Minute)}
}

func grants(t *testing.T, s store.Store) {
	ctx, at := t.Context(), now()
	_, err := s.Grant(ctx, "g")
	must(t, "a grant that doesn't exist", err, store.ErrNotFound)
	must(t, "revoke it", s.RevokeGrant(ctx, "g", at), nil)
	want := grant("g", at)
	must(t, "create", s.CreateClient(ctx, client("client", at)), nil)
	must(t, "create", s.CreateGrant(ctx, want, code("c", at)), nil)
	got, err := s.Grant(ctx, "g")
	got.Until = time.UnixMilli(got.Until.UnixMilli())
	same(t, "a grant", got, err, want)
	must(t, "create again", s.CreateGrant(ctx, store.Grant{ID: "g", Created: at, Expires: at}, nil), store.ErrExists)

	used, err := s.Client(ctx, "client")
	must(t, "the client", err, nil)
	same(t, "the first use of the client", used.Used, nil, at)
	direct := grant("h", at.Add(time.Second)) // whose client got tokens without a code
	direct.Used = direct.Created
	must(t, "another grant", s.CreateGrant(ctx, direct, nil), nil)
	used, _ = s.Client(ctx, "client")
	same(t, "the first use of the client, later", used.Used, nil, at)

	must(t, "revoke", s.RevokeGrant(ctx, "g", at.Add(time.Second)), nil)
	must(t, "revoke again", s.RevokeGrant(ctx, "g", at.Add(time.Hour)), nil)
	got, err = s.Grant(ctx, "g")
	must(t, "a revoked grant", err, nil)
	same(t, "the time of the revocation", got.Revoked, nil, at.Add(time.Second))
	other, err := s.Grant(ctx, "h")
	if err != nil || !other.Revoked.IsZero() || !other.Used.Equal(direct.Used) {
		t.Errorf("another grant: %+v, %v", other, err)
	}
	if got.Live(at) || !want.Live(at) || want.Live(want.Expires) {
		t.Error("a grant is live after its end, or not before")
	}
}

func grantsAreListed(t *testing.T, s store.Store) {
	ctx, at := t.Context(), now()
	for _, id := range []string{"h", "g", "i"} {
		must(t, "create", s.CreateGrant(ctx, grant(id, at), nil), nil)
	}
	must(t, "create", s.CreateGrant(ctx, store.Grant{ID: "of another user", ClientID: "client", UserID: "v", Created: at, Expires: at.Add(time.Hour)}, nil), nil)
	must(t, "create", s.CreateGrant(ctx, store.Grant{ID: "of a client", ClientID: "client", Created: at, Expires: at.Add(time.Hour)}, nil), nil)
	must(t, "revoke", s.RevokeGrant(ctx, "h", at), nil)
	for _, list := range []struct {
		user, after string
		limit       int
		want        string
	}{
		{"user", "", 10, "g,h,i"},
		{"user", "", 2, "g,h"},
		{"user", "g", 1, "h"},
		{"user", "i", 1, ""},
		{"v", "", 10, "of another user"},
		{"nobody", "", 10, ""},
		{"", "", 10, "g,h,i,of a client,of another user"},
		{"", "of a client", 10, "of another user"},
	} {
		found, err := s.ListGrants(ctx, list.user, list.after, list.limit)
		must(t, "list", err, nil)
		var ids []string
		for _, one := range found {
			whole, err := s.Grant(ctx, one.ID)
			same(t, "a grant of a list", one, err, whole)
			ids = append(ids, one.ID)
		}
		same(t, fmt.Sprintf("the grants of %q behind %q", list.user, list.after), strings.Join(ids, ","), nil, list.want)
	}
	_, err := s.Purge(ctx, at.Add(2*time.Minute))
	must(t, "purge", err, nil)
	for user, want := range map[string]int{"user": 0, "v": 1, "": 2} {
		left, err := s.ListGrants(ctx, user, "", 10)
		same(t, "how many grants are left of "+user, len(left), err, want)
	}
}

func codes(t *testing.T, s store.Store) {
	ctx, at := t.Context(), now()
	want := code("c", at)
	must(t, "create", s.CreateGrant(ctx, grant("g", at), want), nil)
	must(t, "create", s.CreateGrant(ctx, grant("h", at), code("d", at)), nil)
	got, err := s.Code(ctx, "g", want.Hash)
	same(t, "a code", got, err, *want)
	_, err = s.Code(ctx, "g", store.HashOf("other"))
	must(t, "another code", err, store.ErrNotFound)
	_, err = s.Code(ctx, "h", want.Hash)
	must(t, "a code with another grant", err, store.ErrNotFound)
	for n := 1; n <= 3; n++ {
		failures, err := s.FailCode(ctx, "g", want.Hash)
		same(t, "failed tries", failures, err, n)
	}
	_, err = s.FailCode(ctx, "g", store.HashOf("other"))
	must(t, "fail another code", err, store.ErrNotFound)

	renewal := store.Renewal{Now: at.Add(time.Second), Expires: at.Add(time.Hour), Next: store.HashOf("r")}
	must(t, "redeem another code", s.RedeemCode(ctx, "g", store.HashOf("other"), renewal), store.ErrNotFound)
	must(t, "redeem with another grant", s.RedeemCode(ctx, "h", want.Hash, renewal), store.ErrNotFound)
	_, err = s.RefreshToken(ctx, "g", renewal.Next)
	must(t, "a refresh token without redemption", err, store.ErrNotFound)
	must(t, "redeem", s.RedeemCode(ctx, "g", want.Hash, renewal), nil)
	want.Used, want.Failures = renewal.Now, 3
	got, err = s.Code(ctx, "g", want.Hash)
	same(t, "a used code", got, err, *want)
	renewed, err := s.Grant(ctx, "g")
	must(t, "the grant", err, nil)
	same(t, "the end of the grant", renewed.Expires, nil, renewal.Expires)
	same(t, "the use of the grant", renewed.Used, nil, renewal.Now)
	token, err := s.RefreshToken(ctx, "g", renewal.Next)
	same(t, "the refresh token", token, err, store.RefreshToken{Hash: renewal.Next})

	must(t, "redeem again", s.RedeemCode(ctx, "g", want.Hash, store.Renewal{Now: at, Expires: at.Add(2 * time.Hour), Next: store.HashOf("r2")}), store.ErrUsed)
	_, err = s.RefreshToken(ctx, "g", store.HashOf("r2"))
	must(t, "a refresh token of a used code", err, store.ErrNotFound)
	renewed, _ = s.Grant(ctx, "g")
	same(t, "the end of the grant, unchanged", renewed.Expires, nil, renewal.Expires)

	must(t, "redeem without a refresh token", s.RedeemCode(ctx, "h", store.HashOf("d"), store.Renewal{Now: at, Expires: at.Add(time.Minute)}), nil)
	_, err = s.RefreshToken(ctx, "h", store.Hash{})
	must(t, "no refresh token", err, store.ErrNotFound)
}

func refreshTokens(t *testing.T, s store.Store) {
	ctx, at := t.Context(), now()
	must(t, "create", s.CreateGrant(ctx, grant("g", at), code("c", at)), nil)
	must(t, "create", s.CreateGrant(ctx, grant("h", at), nil), nil)
	first, second := store.HashOf("first"), store.HashOf("second")
	must(t, "redeem", s.RedeemCode(ctx, "g", store.HashOf("c"), store.Renewal{Now: at, Expires: at.Add(time.Hour), Next: first}), nil)
	renewal := store.Renewal{Now: at.Add(time.Second), Expires: at.Add(2 * time.Hour), Next: second, Answer: []byte("\x00sealed\xff")}
	must(t, "rotate another", s.RotateRefreshToken(ctx, "g", second, renewal), store.ErrNotFound)
	must(t, "rotate with another grant", s.RotateRefreshToken(ctx, "h", first, renewal), store.ErrNotFound)
	must(t, "rotate", s.RotateRefreshToken(ctx, "g", first, renewal), nil)
	used, err := s.RefreshToken(ctx, "g", first)
	same(t, "a used token", used, err, store.RefreshToken{Hash: first, Used: renewal.Now, Next: second, Answer: renewal.Answer})
	next, err := s.RefreshToken(ctx, "g", second)
	same(t, "the next token", next, err, store.RefreshToken{Hash: second})
	renewed, err := s.Grant(ctx, "g")
	must(t, "the grant", err, nil)
	same(t, "the end of the grant", renewed.Expires, nil, renewal.Expires)
	same(t, "the use of the grant", renewed.Used, nil, renewal.Now)

	must(t, "rotate again", s.RotateRefreshToken(ctx, "g", first, store.Renewal{Now: at, Expires: at.Add(9 * time.Hour), Next: store.HashOf("third")}), store.ErrUsed)
	unchanged, err := s.RefreshToken(ctx, "g", first)
	same(t, "a token that is used again", unchanged, err, used)
	_, err = s.RefreshToken(ctx, "g", store.HashOf("third"))
	must(t, "a token of a used one", err, store.ErrNotFound)
}

func endedGrants(t *testing.T, s store.Store) {
	ctx, at := t.Context(), now()
	for name, end := range map[string]func(id string) time.Time{
		"revoked": func(id string) time.Time {
			must(t, "revoke", s.RevokeGrant(ctx, id, at), nil)
			return at
		},
		"expired": func(string) time.Time { return at.Add(time.Hour) },
	} {
		id := "of " + name
		must(t, "create", s.CreateGrant(ctx, grant(id, at), code("used", at)), nil)
		must(t, "redeem", s.RedeemCode(ctx, id, store.HashOf("used"), store.Renewal{Now: at, Expires: at.Add(time.Hour), Next: store.HashOf("r")}), nil)
		must(t, "create", s.CreateGrant(ctx, grant(id+" too", at), code("unused", at)), nil)
		when := end(id)
		end(id + " too")
		renewal := store.Renewal{Now: when, Expires: at.Add(9 * time.Hour), Next: store.HashOf("new")}
		must(t, "a code of a grant that is "+name, s.RedeemCode(ctx, id+" too", store.HashOf("unused"), renewal), store.ErrRevoked)
		must(t, "a refresh token of a grant that is "+name, s.RotateRefreshToken(ctx, id, store.HashOf("r"), renewal), store.ErrRevoked)
		must(t, "a used code of a grant that is "+name, s.RedeemCode(ctx, id, store.HashOf("used"), renewal), store.ErrUsed)
		token, err := s.RefreshToken(ctx, id, store.HashOf("r"))
		same(t, "the refresh token", token, err, store.RefreshToken{Hash: store.HashOf("r")})
		unused, err := s.Code(ctx, id+" too", store.HashOf("unused"))
		same(t, "the code", unused, err, *code("unused", at))
	}
}

// racers is how many goroutines do the same.
const racers = 16

// together does something in many goroutines at once.
func together(do func(n int)) {
	var start, done sync.WaitGroup
	start.Add(1)
	for n := range racers {
		done.Go(func() {
			start.Wait()
			do(n)
		})
	}
	start.Done()
	done.Wait()
}

// oneWins fails the test unless one of many goroutines succeeds and the others get an error.
func oneWins(t *testing.T, what string, lost error, try func(n int) error) {
	t.Helper()
	errs := make([]error, racers)
	together(func(n int) { errs[n] = try(n) })
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if !errors.Is(err, lost) {
			t.Errorf("%s: the error is %v, want %v", what, err, lost)
		}
	}
	if won != 1 {
		t.Errorf("%s: %d of %d win, want one", what, won, racers)
	}
}

func races(t *testing.T, s store.Store) { race(t, s, s) }

// race lets goroutines of two stores with the same records do the same.
func race(t *testing.T, stores ...store.Store) {
	t.Helper()
	ctx, at := t.Context(), now()
	of := func(n int) store.Store { return stores[n%len(stores)] }
	for round := range 10 {
		id := fmt.Sprint("race", round)
		must(t, "create", stores[0].CreateGrant(ctx, grant(id, at), code("c", at)), nil)
		renewal := func(token string, n int) store.Renewal {
			return store.Renewal{Now: at, Expires: at.Add(time.Hour), Next: store.HashOf(fmt.Sprint(token, n))}
		}
		winner := -1
		oneWins(t, "redeem a code", store.ErrUsed, func(n int) error {
			err := of(n).RedeemCode(ctx, id, store.HashOf("c"), renewal("first", n))
			if err == nil {
				winner = n
			}
			return err
		})
		tokens := 0
		for n := range racers {
			if _, err := stores[0].RefreshToken(ctx, id, store.HashOf(fmt.Sprint("first", n))); err == nil {
				tokens++
			}
		}
		same(t, "refresh tokens of the code", tokens, nil, 1)
		oneWins(t, "rotate a refresh token", store.ErrUsed, func(n int) error {
			return of(n).RotateRefreshToken(ctx, id, store.HashOf(fmt.Sprint("first", winner)), renewal("second", n))
		})
		counts := make([]int, racers)
		together(func(n int) {
			var err error
			if counts[n], err = of(n).FailCode(ctx, id, store.HashOf("c")); err != nil {
				t.Errorf("fail a code: %v", err)
			}
		})
		slices.Sort(counts)
		for n, count := range counts {
			if count != n+1 {
				t.Fatalf("the failed tries of %d at once are counted as %v", racers, counts)
			}
		}
		key, value := store.HashOf(id), store.Value{Data: []byte("data"), Expires: at.Add(time.Hour)}
		oneWins(t, "add a value", store.ErrExists, func(n int) error { return of(n).AddValue(ctx, key, value, at) })
		oneWins(t, "take a value", store.ErrNotFound, func(n int) error {
			_, err := of(n).TakeValue(ctx, key)
			return err
		})
		oneWins(t, "create a user", store.ErrExists, func(n int) error {
			return of(n).CreateUser(ctx, store.User{ID: fmt.Sprint(id, n), Name: id, Created: at})
		})
		user, err := stores[0].UserByName(ctx, id)
		must(t, "the user", err, nil)
		together(func(n int) {
			err := of(n).UpdateUser(ctx, user.ID, func(u *store.User) error {
				u.Password += "x"
				return nil
			})
			if err != nil {
				t.Errorf("change a user: %v", err)
			}
		})
		changed, err := stores[0].User(ctx, user.ID)
		same(t, "changes of a user at once", len(changed.Password), err, racers)
		oneWins(t, "create a client", store.ErrExists, func(n int) error {
			return of(n).CreateClient(ctx, store.Client{ID: id, Source: store.Static, Created: at})
		})
		oneWins(t, "create a token", store.ErrExists, func(n int) error {
			return of(n).CreateToken(ctx, store.Token{ID: fmt.Sprint(id, n), UserID: "u", Hash: store.HashOf(id), Created: at})
		})
	}
}

func purge(t *testing.T, s store.Store) {
	ctx, at := t.Context(), now()
	must(t, "create", s.CreateGrant(ctx, grant("short", at), code("c", at)), nil)
	must(t, "redeem", s.RedeemCode(ctx, "short", store.HashOf("c"), store.Renewal{Now: at, Expires: at.Add(time.Minute), Next: store.HashOf("r")}), nil)
	must(t, "create", s.CreateGrant(ctx, grant("long", at), code("c", at)), nil)
	for _, next := range []string{"first", "second"} {
		renewal := store.Renewal{Now: at, Expires: at.Add(time.Hour), Next: store.HashOf(next)}
		if next == "first" {
			must(t, "redeem", s.RedeemCode(ctx, "long", store.HashOf("c"), renewal), nil)
		} else {
			must(t, "rotate", s.RotateRefreshToken(ctx, "long", store.HashOf("first"), renewal), nil)
		}
	}
	must(t, "create", s.CreateToken(ctx, store.Token{ID: "brief", UserID: "u", Hash: store.HashOf("short"), Created: at, Expires: at.Add(time.Minute)}), nil)
	must(t, "create", s.CreateToken(ctx, store.Token{ID: "endless", UserID: "u", Hash: store.HashOf("endless"), Created: at}), nil)
	must(t, "set", s.SetValue(ctx, store.HashOf("short"), store.Value{Data: []byte("x"), Expires: at.Add(time.Minute)}), nil)
	must(t, "set", s.SetValue(ctx, store.HashOf("long"), store.Value{Data: []byte("x"), Expires: at.Add(time.Minute)}), nil)
	must(t, "set again, for longer", s.SetValue(ctx, store.HashOf("long"), store.Value{Data: []byte("x"), Expires: at.Add(time.Hour)}), nil)
	must(t, "create", s.CreateGrant(ctx, store.Grant{ID: "revoked", Created: at, Expires: at.Add(time.Hour)}, nil), nil)
	must(t, "revoke", s.RevokeGrant(ctx, "revoked", at), nil)
	must(t, "create", s.CreateToken(ctx, store.Token{ID: "deleted", UserID: "u", Hash: store.HashOf("deleted"), Created: at, Expires: at.Add(time.Minute)}), nil)
	must(t, "delete", s.DeleteToken(ctx, "deleted"), nil)
	must(t, "set", s.SetValue(ctx, store.HashOf("taken"), store.Value{Data: []byte("x"), Expires: at.Add(time.Minute)}), nil)
	_, err := s.TakeValue(ctx, store.HashOf("taken"))
	must(t, "take", err, nil)

	removed, err := s.Purge(ctx, at.Add(time.Minute))
	same(t, "nothing has expired before its end", removed, err, 0)
	removed, err = s.Purge(ctx, at.Add(2*time.Minute))
	same(t, "a grant, a token and a value have expired", removed, err, 3)
	_, err = s.Grant(ctx, "short")
	must(t, "an expired grant", err, store.ErrNotFound)
	_, err = s.Code(ctx, "short", store.HashOf("c"))
	must(t, "the code of an expired grant", err, store.ErrNotFound)
	_, err = s.RefreshToken(ctx, "short", store.HashOf("r"))
	must(t, "the refresh token of an expired grant", err, store.ErrNotFound)
	_, err = s.Token(ctx, store.HashOf("short"))
	must(t, "an expired token", err, store.ErrNotFound)
	for _, user := range []string{"u", ""} {
		left, err := s.ListTokens(ctx, user, "", 1)
		must(t, "the tokens that are left", err, nil)
		if len(left) != 1 || left[0].ID != "endless" {
			t.Fatalf("the tokens that are left are %+v", left)
		}
	}
	_, err = s.Value(ctx, store.HashOf("short"))
	must(t, "an expired value", err, store.ErrNotFound)
	for _, token := range []string{"first", "second"} {
		_, err = s.RefreshToken(ctx, "long", store.HashOf(token))
		must(t, "the refresh tokens of a grant, used or not", err, nil)
	}
	_, err = s.Code(ctx, "long", store.HashOf("c"))
	must(t, "the used code of a grant", err, nil)
	_, err = s.Token(ctx, store.HashOf("endless"))
	must(t, "a token without end", err, nil)
	_, err = s.Value(ctx, store.HashOf("long"))
	must(t, "a value that has not expired", err, nil)
	_, err = s.Grant(ctx, "revoked")
	must(t, "a grant that was revoked before its end", err, nil)
	removed, err = s.Purge(ctx, at.Add(2*time.Minute))
	same(t, "everything that has expired was removed", removed, err, 0)
}
