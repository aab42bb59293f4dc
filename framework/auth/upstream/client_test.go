package upstream_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/memory"
	"github.com/bowline-mcp/bowline/framework/auth/upstream"
	"github.com/bowline-mcp/bowline/framework/exchange"
)

// The paths of a fake that the program sends requests to, for OpenID and GitHub.
func requested() map[string]func(*fake) *upstream.Provider {
	oidc := func(f *fake) *upstream.Provider { f.claims["email"] = nil; return f.oidc() }
	gitHub := func(f *fake) *upstream.Provider { return f.gitHub() }
	return map[string]func(*fake) *upstream.Provider{
		"/.well-known/openid-configuration": oidc, "/token": oidc, "/keys": oidc, "/userinfo": oidc,
		"/login/oauth/access_token": gitHub, "/api/v3/user": gitHub, "/api/v3/user/emails": gitHub,
	}
}

func TestAnswersOfAProviderAreBounded(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("a request follows a redirect to %s", r.URL) }))
	t.Cleanup(elsewhere.Close)
	for path, provider := range requested() {
		for name, handler := range map[string]http.HandlerFunc{
			"huge": func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, `{"a":"`+strings.Repeat("a", 1<<20)+`"}`)
			},
			"redirect": func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
			},
			"broken":     func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
			"nothing":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
			"failure":    func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "boom", http.StatusInternalServerError) },
			"no members": func(w http.ResponseWriter, _ *http.Request) { write(w, map[string]any{}) },
			"other JSON": func(w http.ResponseWriter, _ *http.Request) { write(w, "text") },
			"cut off":    func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		} {
			t.Run(path+" "+name, func(t *testing.T) {
				t.Parallel()
				f := newFake(t)
				f.replaced[path] = handler
				p := serve(t, provider(f))
				b := p.browser(t)
				page := b.submit(b.loginPage(), nil)
				if page.status == http.StatusSeeOther {
					page = b.follow(b.follow(page))
				}
				page.isRefused(t, path, http.StatusBadGateway, "Fake did not answer as it should")
				log := p.log.String()
				if !strings.Contains(log, "a login failed") || strings.Contains(log, clientSecret) || strings.Contains(log, "upstream-access-token") {
					t.Errorf("the log is %s", log)
				}
				if name == "huge" && !strings.Contains(log, "longer than 524288 bytes") {
					t.Errorf("the whole answer is read: %s", log)
				}
			})
		}
	}
}

// A provider that hangs is given up after ten seconds.
func TestAProviderThatHangsIsGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		records, err := store.Open(t.Context(), "memory:", memory.Driver())
		if err != nil {
			t.Fatal(err)
		}
		defer records.Close() //nolint:errcheck // a test
		client := &http.Client{Transport: hanging{}, Timeout: time.Hour}
		provider := upstream.OIDC(upstream.Config{ClientID: clientID, ClientSecret: clientSecret, Allow: upstream.Anyone(), URL: "https://login.example.com", Client: client})
		provider.Open("https://example.com", records, time.Hour)
		r := &oauth.LoginRequest{Request: httptest.NewRequest(http.MethodPost, "https://example.com/oauth/login", nil)}
		begun := time.Now()
		_, err = provider.Authenticate(httptest.NewRecorder(), r)
		if took := time.Since(begun); took != 10*time.Second || err == nil || !strings.Contains(err.Error(), "deadline exceeded") {
			t.Errorf("after %v the error is %v", took, err)
		}
		if client.Timeout != time.Hour || client.CheckRedirect != nil {
			t.Error("the client of the program was changed")
		}
	})
}

// hanging never answers.
type hanging struct{}

func (hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// caller returns the context of a call by a user.
func caller(ctx context.Context, issuer, subject string) context.Context {
	return exchange.WithPrincipal(ctx, exchange.Principal{ID: subject, Issuer: issuer, Subject: subject})
}
