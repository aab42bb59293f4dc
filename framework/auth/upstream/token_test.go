package upstream_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/sqlite"
	"github.com/bowline-mcp/bowline/framework/auth/upstream"
)

// brief makes access tokens expire at once.
func brief(f *fake) *fake {
	f.lifetime = 1
	return f
}

func TestTokensAreForgottenUnlessTheProgramKeepsThem(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	provider := f.oidc(func(c *upstream.Config) { c.Key = []string{key} })
	p := serve(t, provider)
	p.browser(t).login()
	database, wal := must(os.ReadFile(p.database)), must(os.ReadFile(p.database+"-wal"))
	if strings.Contains(string(database)+string(wal), `"token"`) {
		t.Error("the database has a token")
	}
	if _, err := provider.Token(caller(t.Context(), p.url, f.url+"|1098")); err == nil || errors.Is(err, upstream.ErrNoToken) || err.Error() != "upstream.OIDC: Config.Keep is not set, so there are no tokens; set it, and Key" {
		t.Errorf("the error is %v", err)
	}
}

// A token belongs to a user of our own issuer. Another issuer may name its users as it likes.
func TestATokenIsForItsUserOnly(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	provider := f.oidc(keep)
	p := serve(t, provider)
	p.browser(t).login()
	if token, err := provider.Token(caller(t.Context(), p.url, f.url+"|1098")); token != "upstream-access-token-1" || err != nil {
		t.Errorf("the token of the user is %q, %v", token, err)
	}
	for name, ctx := range map[string]context.Context{
		"another user":        caller(t.Context(), p.url, f.url+"|1099"),
		"another issuer":      caller(t.Context(), "https://evil.example", f.url+"|1098"),
		"nobody":              t.Context(),
		"no subject":          caller(t.Context(), p.url, ""),
		"without a provider":  caller(t.Context(), p.url, "1098"),
		"of another provider": caller(t.Context(), p.url, "https://evil.example|1098"),
	} {
		if token, err := provider.Token(ctx); token != "" || !errors.Is(err, upstream.ErrNoToken) {
			t.Errorf("%s gets %q, %v", name, token, err)
		}
	}
	fresh := f.oidc(keep)
	if token, err := fresh.Token(caller(t.Context(), "", f.url+"|1098")); token != "" || !errors.Is(err, upstream.ErrNoToken) {
		t.Errorf("before the program serves, the token is %q, %v", token, err)
	}
}

// reopened returns another provider with the records of a program, as after a restart.
func (p *program) reopened(t *testing.T, provider *upstream.Provider) (*upstream.Provider, store.Store) {
	t.Helper()
	records, err := store.Open(t.Context(), "sqlite:"+p.database, sqlite.Driver())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = records.Close() })
	provider.Open(p.url, records, time.Hour)
	return provider, records
}

// Tokens are sealed for one user with a key that can be rotated.
func TestTokensAreSealed(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	p := serve(t, f.oidc(keep))
	p.browser(t).login()
	ana, eve := f.url+"|1098", f.url+"|1099"
	rotated, records := p.reopened(t, f.oidc(func(c *upstream.Config) { c.Keep, c.Key = true, []string{"another key of sixteen", key} }))
	if token, err := rotated.Token(caller(t.Context(), p.url, ana)); token != "upstream-access-token-1" || err != nil {
		t.Errorf("after the rotation the token is %q, %v", token, err)
	}
	lost, _ := p.reopened(t, f.oidc(func(c *upstream.Config) { c.Keep, c.Key = true, []string{"another key of sixteen"} }))
	if token, err := lost.Token(caller(t.Context(), p.url, ana)); token != "" || !errors.Is(err, upstream.ErrNoToken) {
		t.Errorf("with another key the token is %q, %v", token, err)
	}
	value, err := records.Value(t.Context(), store.HashOf("upstream user "+ana))
	if err != nil {
		t.Fatal(err)
	}
	if err := records.SetValue(t.Context(), store.HashOf("upstream user "+eve), value); err != nil {
		t.Fatal(err)
	}
	if token, err := rotated.Token(caller(t.Context(), p.url, eve)); token != "" || !errors.Is(err, upstream.ErrNoToken) {
		t.Errorf("the sealed token of another user is %q, %v", token, err)
	}
}

// Of many calls with an expired token, in several processes, one refreshes it. The provider
// refuses a refresh token that was used.
func TestOneRequestAtATimeRefreshesAToken(t *testing.T) {
	t.Parallel()
	f := brief(newFake(t))
	provider := f.oidc(keep)
	p := serve(t, provider)
	p.browser(t).login()
	f.set(func() { f.lifetime = 3600 })
	second, _ := p.reopened(t, f.oidc(keep))
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			token, err := []*upstream.Provider{provider, second}[i%2].Token(caller(t.Context(), p.url, f.url+"|1098"))
			if token != "upstream-access-token-2" || err != nil {
				t.Errorf("the token is %q, %v", token, err)
			}
		})
	}
	group.Wait()
	if n := strings.Count(f.sent(), "grant_type=refresh_token"); n != 1 {
		t.Errorf("the token was refreshed %d times", n)
	}
}

func TestARefreshedTokenIsRefreshedAgain(t *testing.T) {
	t.Parallel()
	for name, provider := range map[string]func(*fake) *upstream.Provider{
		"OpenID": func(f *fake) *upstream.Provider { return f.oidc(keep) },
		"GitHub": func(f *fake) *upstream.Provider { return f.gitHub(keep) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := brief(newFake(t))
			p := serve(t, provider(f))
			got := p.browser(t).login()
			for _, want := range []string{"upstream-access-token-2", "upstream-access-token-3"} {
				if answer := p.call(t, got.Access); !strings.Contains(answer, want) {
					t.Errorf("the tool returns %s, want %s", answer, want)
				}
			}
		})
	}
}

// When the provider has ended the login, the token is forgotten, and the model hears what the
// user can do. When the provider is down, the token stays.
func TestALoginThatEndedIsForgotten(t *testing.T) {
	t.Parallel()
	f := brief(newFake(t))
	p := serve(t, f.oidc(keep))
	b := p.browser(t)
	got := b.login()
	f.set(func() {
		f.replaced["/token"] = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "down", http.StatusServiceUnavailable) })
	})
	if answer := p.call(t, got.Access); strings.Contains(answer, "connect it again") || strings.Contains(answer, "status 503") {
		t.Errorf("the tool returns %s", answer)
	}
	for end := time.Now().Add(10 * time.Second); !strings.Contains(p.log.String(), "the token endpoint answers with the status 503"); time.Sleep(time.Millisecond) {
		if time.Now().After(end) { // the call is logged after its answer
			t.Fatalf("the log is %s", p.log)
		}
	}
	for _, code := range []string{"invalid_grant", "bad_refresh_token"} {
		f.set(func() { f.replaced = map[string]http.Handler{} })
		b.forget()
		got = b.login()
		f.set(func() {
			f.replaced["/token"] = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { refuse(w, code) })
		})
		for range 2 {
			if answer := p.call(t, got.Access); !strings.Contains(answer, "There is no login at the provider for this user; disconnect the app from this server, connect it again, and log in") {
				t.Errorf("the tool returns %s", answer)
			}
		}
	}
	if n := strings.Count(f.sent(), "grant_type=refresh_token"); n != 3 {
		t.Errorf("the provider was asked %d times, want once for each login and once while it was down", n)
	}
	if strings.Contains(p.log.String(), "upstream-refresh-token") || strings.Contains(p.log.String(), clientSecret) {
		t.Errorf("the log has a secret: %s", p.log)
	}
}

// A request may end while it refreshes a token. The provider has rotated the refresh token then,
// so the answer is kept, and the next call finds neither the old token nor the lock of the user.
func TestARequestThatEndsDuringTheRefreshLeavesTokenAndLockInOrder(t *testing.T) {
	t.Parallel()
	f := brief(newFake(t))
	provider := f.oidc(keep)
	p := serve(t, provider)
	p.browser(t).login()
	ctx, end := context.WithCancel(caller(t.Context(), p.url, f.url+"|1098"))
	f.set(func() {
		f.replaced["/token"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			end()
			f.set(func() { f.token(w, r) })
		})
	})
	_, _ = provider.Token(ctx)
	f.set(func() { f.replaced = map[string]http.Handler{} })
	next, cancel := context.WithTimeout(caller(t.Context(), p.url, f.url+"|1098"), 10*time.Second) // a lock lasts longer
	defer cancel()
	if token, err := provider.Token(next); token != "upstream-access-token-3" || err != nil {
		t.Errorf("the next call gets the token %q, %v", token, err)
	}
}

// A process that died with the lock of a user doesn't keep others from it for ever.
func TestALockEndsByItself(t *testing.T) {
	t.Parallel()
	f := brief(newFake(t))
	provider := f.oidc(keep)
	p := serve(t, provider)
	p.browser(t).login()
	_, records := p.reopened(t, f.oidc(keep))
	ana := f.url + "|1098"
	lock := func(left time.Duration) {
		if err := records.SetValue(t.Context(), store.HashOf("upstream lock "+ana), store.Value{Data: []byte("locked"), Expires: time.Now().Add(left)}); err != nil {
			t.Fatal(err)
		}
	}
	lock(time.Hour)
	ctx, cancel := context.WithTimeout(caller(t.Context(), p.url, ana), 100*time.Millisecond)
	defer cancel()
	if _, err := provider.Token(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with a lock the error is %v", err)
	}
	lock(-time.Second)
	if token, err := provider.Token(caller(t.Context(), p.url, ana)); token != "upstream-access-token-2" || err != nil {
		t.Errorf("with an old lock the token is %q, %v", token, err)
	}
}

// A process that stood still for so long that its lock ended has refreshed the token all the same.
func TestALockThatEndsDuringTheRefreshIsNoError(t *testing.T) {
	t.Parallel()
	f := brief(newFake(t))
	provider := f.oidc(keep)
	p := serve(t, provider)
	p.browser(t).login()
	_, records := p.reopened(t, f.oidc(keep))
	f.set(func() {
		f.replaced["/token"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := records.TakeValue(r.Context(), store.HashOf("upstream lock "+f.url+"|1098")); err != nil {
				t.Errorf("the lock is gone already: %v", err)
			}
			f.set(func() { f.token(w, r) })
		})
	})
	if token, err := provider.Token(caller(t.Context(), p.url, f.url+"|1098")); token != "upstream-access-token-2" || err != nil {
		t.Errorf("the token is %q, %v", token, err)
	}
}
