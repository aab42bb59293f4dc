package oauth

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/clients"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/grants"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/keys"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/engine/transport"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/test/buffertest"
	"github.com/bowline-mcp/bowline/internal/test/databasetest"
)

const (
	issuer   = "https://example.com"
	resource = issuer + "/mcp/private"
	other    = issuer + "/mcp/other"
	callback = "http://127.0.0.1:1234/callback"
	verifier = "a-verifier-of-at-least-forty-three-characters"
	secret   = "a:secret+with%signs & spaces"
)

// The names of other packages that the tests use much.
const (
	authorizePath, loginPath, consentPath, accountPath        = endpoint.AuthorizePath, endpoint.LoginPath, endpoint.ConsentPath, endpoint.AccountPath
	tokenPath, revokePath, introspectPath, registerPath       = endpoint.TokenPath, endpoint.RevokePath, endpoint.IntrospectPath, endpoint.RegisterPath
	grantCode, grantRefresh, grantCredentials, grantAssertion = grants.Code, grants.Refresh, grants.Credentials, grants.Assertion
	methodNone, methodBasic, methodPost, methodKey            = clients.MethodNone, clients.MethodBasic, clients.MethodPost, clients.MethodKey

	personalPrefix = "bowline_pat_"
	identityType   = "oauth-id-jag+jwt"
)

// A fixture is a server with three clients and one user.
type fixture struct {
	*Server
	mux *http.ServeMux
	log *buffertest.Buffer
}

// The clients of a fixture.
var (
	app     = store.Client{ID: "app", Source: store.Registered, RedirectURIs: []string{"http://127.0.0.1/callback"}}
	web     = store.Client{ID: "web", Source: store.Static, RedirectURIs: []string{"https://web.example/cb"}, Secret: hashOf(secret)}
	machine = store.Client{ID: "machine", Source: store.Static, GrantTypes: []string{grantCredentials}, Secret: hashOf(secret), Scopes: []string{"mcp:use"}, Resources: []string{resource}}
)

func hashOf(text string) *store.Hash {
	hash := store.HashOf(text)
	return &hash
}

// The tests of this package run with each store.
func TestOnEveryStore(t *testing.T) {
	t.Parallel()
	databasetest.OnEveryStore(t)
}

func newFixture(t testing.TB, alter ...func(*Config, *mcp.Site)) *fixture {
	t.Helper()
	path := filepath.Join(t.TempDir(), "oauth.keys")
	if err := keys.Generate(path, jose.ES256, false); err != nil {
		t.Fatal(err)
	}
	f := &fixture{log: &buffertest.Buffer{}, mux: http.NewServeMux()}
	config := Config{
		Authenticator: door{}, Store: databasetest.Store(t), Drivers: databasetest.Drivers(), Keys: path,
		Scopes: map[string]string{"mcp:use": "Use the tools", "files:write": "Change files"},
	}
	site := mcp.Site{
		Address: func(r *http.Request) netip.Addr {
			from, _ := netip.ParseAddrPort(r.RemoteAddr)
			return from.Addr()
		},
		URL: issuer, Resources: []string{resource, other}, Logger: slog.New(unique{slog.NewTextHandler(f.log, &slog.HandlerOptions{Level: slog.LevelDebug}), t}),
		Resource: func(text string) (string, bool) {
			text = strings.TrimSuffix(strings.Replace(text, "EXAMPLE", "example", 1), "/")
			return text, slices.Contains([]string{resource, other}, text)
		},
	}
	for _, change := range alter {
		change(&config, &site)
	}
	f.Server = New(config)
	if err := f.Open(t.Context(), site); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	for _, client := range []store.Client{app, web, machine} {
		client.Created = time.Now()
		if err := f.base.Store.CreateClient(t.Context(), client); err != nil && !errors.Is(err, store.ErrExists) {
			t.Fatal(err)
		}
	}
	base, err := url.Parse(site.URL)
	if err != nil {
		t.Fatal(err)
	}
	endpoints, err := f.Endpoints(base.Path)
	if err != nil {
		t.Fatal(err)
	}
	shares := throttle.Config{Logger: site.Logger, Key: func(r *http.Request) throttle.Key { return throttle.KeyOf("", f.base.Address(r)) }}
	admission := transport.Admission{Shares: throttle.NewShares(shares), BodyTime: time.Minute, Logger: site.Logger}
	for _, endpoint := range endpoints {
		f.mux.Handle(endpoint.Path, admission.Handler(endpoint.MaxBody, cmp.Or(endpoint.Weight, limits.RequestWeight), endpoint.Refuse, endpoint.Handler))
	}
	return f
}

// unique fails the test if a log line has a key twice.
type unique struct {
	slog.Handler
	t testing.TB
}

func (u unique) Handle(ctx context.Context, line slog.Record) error {
	seen := map[string]bool{}
	line.Attrs(func(a slog.Attr) bool {
		if a.Key != "" && seen[a.Key] {
			u.t.Errorf("the log line %q has %s twice", line.Message, a.Key)
		}
		seen[a.Key] = true
		return true
	})
	return u.Handler.Handle(ctx, line)
}

// door lets ana in.
type door struct{}

func (door) Authenticate(w http.ResponseWriter, r *LoginRequest) (*User, error) {
	switch name := r.PostForm.Get("name"); name {
	case "":
		r.Form(w, http.StatusOK, "")
		return nil, nil
	case "broken":
		return nil, errors.New("the directory is down")
	case "nobody":
		return &User{Name: "nobody@example.com"}, nil
	case "wordy":
		return &User{ID: "u-wordy", Claims: map[string]any{"groups": strings.Repeat("g", 5000)}}, nil
	case "ana", "bob":
		return &User{ID: "u-" + name, Name: name + "@example.com", Claims: map[string]any{"department": "R&D"}}, nil
	default:
		r.Form(w, http.StatusForbidden, "login.wrong")
		return nil, nil
	}
}

// post sends a form.
func (f *fixture) post(path string, parameters url.Values, alter ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, issuer+path, strings.NewReader(parameters.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for _, change := range alter {
		change(r)
	}
	w := httptest.NewRecorder()
	f.mux.ServeHTTP(w, r)
	return w
}

func basic(id, password string) func(*http.Request) {
	return func(r *http.Request) { r.SetBasicAuth(url.QueryEscape(id), url.QueryEscape(password)) }
}

// from sends a request from an address.
func from(address string) func(*http.Request) {
	return func(r *http.Request) { r.RemoteAddr = address + ":1" }
}

// code returns a code for a client.
func (f *fixture) code(t testing.TB, client store.Client, redirectURI string) string {
	t.Helper()
	sum := sha256.Sum256([]byte(verifier))
	code, err := f.tokens.Grants.Authorize(t.Context(), grants.Authorization{
		Client: client, UserID: "u1", UserName: "Ana", Scopes: []string{"mcp:use", "files:write"}, Resources: []string{resource},
		RedirectURI: redirectURI, Challenge: base64.RawURLEncoding.EncodeToString(sum[:]),
	})
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// disable disables a user.
func (f *fixture) disable(t testing.TB, id string) error {
	t.Helper()
	return f.base.Store.UpdateUser(t.Context(), id, func(user *store.User) error {
		user.Disabled = true
		return nil
	})
}

// login returns the tokens of the public client.
func (f *fixture) login(t testing.TB) grants.Answer {
	t.Helper()
	return answerOf(t, f.post(tokenPath, url.Values{"grant_type": {grantCode}, "client_id": {"app"}, "code": {f.code(t, app, callback)}, "code_verifier": {verifier}}))
}

// An accessToken has the claims of an access token, and the ID of its grant.
type accessToken struct {
	claims map[string]any
	grant  string
}

// accessToken returns an access token of the server, if that has signed it.
func (f *fixture) accessToken(text string) (found accessToken, ok bool) {
	document, err := f.tokens.Keys.JSON()
	if err != nil {
		return found, false
	}
	set, err := jose.ParseKeySet(document)
	if err != nil {
		return found, false
	}
	unverified, err := jose.Parse(text)
	if err != nil {
		return found, false
	}
	token, err := set.Verify(unverified, time.Now(), 0)
	if err != nil || token.Claims["iss"] != f.base.URL {
		return found, false
	}
	found.claims = token.Claims
	found.grant, ok = token.Claims["gid"].(string)
	return found, ok
}

// answerOf returns the tokens of an answer.
func answerOf(t testing.TB, w *httptest.ResponseRecorder) (answer grants.Answer) {
	t.Helper()
	if w.Code != http.StatusOK {
		t.Fatalf("the answer is %d %s", w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// refuses fails the test unless an answer has an error.
func refuses(t *testing.T, what string, w *httptest.ResponseRecorder, status int, code string) {
	t.Helper()
	var answer map[string]string
	_ = json.Unmarshal(w.Body.Bytes(), &answer)
	if w.Code != status || answer["error"] != code || answer["error_description"] == "" || strings.ContainsAny(answer["error_description"], "\"\\\n") || len(answer) != 2 {
		t.Errorf("%s: the answer is %d %s, want %d %s", what, w.Code, w.Body, status, code)
	}
	if got := w.Header().Get("Cache-Control"); got != "no-store" {
		t.Errorf("%s: Cache-Control is %q", what, got)
	}
}
