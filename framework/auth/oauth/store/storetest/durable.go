package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
)

// Durable checks a store whose records several processes share and that survive its end.
// Open opens the same records each time, as another process would.
func Durable(t *testing.T, open func(t *testing.T) store.Store) {
	t.Helper()
	first, second := open(t), open(t)
	t.Run("OneWins", func(t *testing.T) { race(t, first, second) })
	ctx, at := t.Context(), now()
	for round := range 100 {
		id := fmt.Sprint("seen", round)
		must(t, "create", first.CreateGrant(ctx, grant(id, at), code("code "+id, at)), nil)
		_, err := second.Code(ctx, id, store.HashOf("code "+id))
		must(t, "the other process reads a code", err, nil)
		must(t, "revoke", second.RevokeGrant(ctx, id, at), nil)
		got, err := first.Grant(ctx, id)
		if err != nil || got.Live(at) {
			t.Fatalf("a grant that the other process revoked: %+v, %v", got, err)
		}
	}
	must(t, "create", first.CreateGrant(ctx, grant("kept", at), code("kept", at)), nil)
	must(t, "redeem", second.RedeemCode(ctx, "kept", store.HashOf("kept"), store.Renewal{Now: at, Expires: at.Add(time.Hour), Next: store.HashOf("next")}), nil)
	must(t, "close", first.Close(), nil)
	must(t, "close", second.Close(), nil)
	again := open(t)
	_, err := again.RefreshToken(ctx, "kept", store.HashOf("next"))
	must(t, "a refresh token after a restart", err, nil)
	must(t, "a used code after a restart", again.RedeemCode(ctx, "kept", store.HashOf("kept"), store.Renewal{Now: at, Expires: at.Add(time.Hour)}), store.ErrUsed)
	must(t, "close", again.Close(), nil)
}

// Fill keeps one record of each kind whose secrets are the given ones, and returns texts
// that a copy of the store must not have.
func Fill(t *testing.T, s store.Store) (secrets []string) {
	t.Helper()
	ctx, at := t.Context(), now()
	secret := func(what string) string {
		text := "the-secret-" + what
		secrets = append(secrets, text)
		return text
	}
	hash := store.HashOf(secret("client"))
	must(t, "create", s.CreateClient(ctx, store.Client{ID: "client", Source: store.Static, Secret: &hash, Created: at}), nil)
	must(t, "create", s.CreateGrant(ctx, grant("g", at), code(secret("code"), at)), nil)
	renewal := store.Renewal{Now: at, Expires: at.Add(time.Hour), Next: store.HashOf(secret("refresh"))}
	must(t, "redeem", s.RedeemCode(ctx, "g", store.HashOf("the-secret-code"), renewal), nil)
	must(t, "create", s.CreateToken(ctx, store.Token{ID: "1", UserID: "u", Hash: store.HashOf(secret("token")), Created: at}), nil)
	must(t, "add", s.AddValue(ctx, store.HashOf(secret("key")), store.Value{Data: []byte("x"), Expires: at.Add(time.Hour)}, at), nil)
	return secrets
}

// HasNone fails the test if a text has one of the secrets of [Fill].
func HasNone(t *testing.T, what, text string, secrets []string) {
	t.Helper()
	if text == "" || len(secrets) == 0 {
		t.Errorf("%s is empty, or there is no secret to look for", what)
	}
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("%s has %q in clear", what, secret)
		}
	}
}
