package upstream_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/sqlite"
	"github.com/bowline-mcp/bowline/framework/auth/upstream"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/test/buffertest"
)

// The app at the provider.
const (
	clientID     = "bowline"
	clientSecret = "the+secret of the app"
	key          = "a key of at least sixteen characters"
)

// A fake is a provider: an OpenID provider, and GitHub at the paths of an Enterprise Server. It
// logs everybody in without a page.
type fake struct {
	url string
	key *jose.PrivateKey

	mu       sync.Mutex
	claims   map[string]any          // of ID tokens, beside the usual ones; nil removes one
	userinfo map[string]any          // nil means that there is none
	metadata map[string]any          // beside the usual ones; nil removes one
	answer   url.Values              // of the authorization endpoint, beside the usual one
	replaced map[string]http.Handler // by path
	requests []string                // without those to the authorization endpoint, with headers and body
	query    url.Values              // of the last authorization request
	lifetime int                     // of access tokens in seconds
	tokens   int                     // that were returned
}

func newFake(t *testing.T) *fake {
	t.Helper()
	signing, err := jose.GenerateKey(jose.ES256)
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{key: signing, claims: map[string]any{"email": "ana@example.com", "email_verified": true}, metadata: map[string]any{}, answer: url.Values{}, replaced: map[string]http.Handler{}, lifetime: 3600}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	f.url = server.URL
	return f
}

// set changes the fake while it serves.
func (f *fake) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// sent returns the requests of the program, in one text.
func (f *fake) sent() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.requests, "\n")
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	f.mu.Lock()
	if !strings.HasSuffix(r.URL.Path, "/authorize") {
		headers := &strings.Builder{}
		_ = r.Header.Write(headers)
		f.requests = append(f.requests, r.Method+" "+r.URL.String()+"\n"+headers.String()+"\n"+string(body))
	}
	replaced := f.replaced[r.URL.Path]
	f.mu.Unlock()
	if replaced != nil {
		replaced.ServeHTTP(w, r)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		write(w, merge(map[string]any{
			"issuer": f.url, "authorization_endpoint": f.url + "/authorize", "token_endpoint": f.url + "/token", "jwks_uri": f.url + "/keys", "userinfo_endpoint": f.url + "/userinfo",
			"id_token_signing_alg_values_supported": []string{"ES256", "HS256", "none"}, "authorization_response_iss_parameter_supported": true,
		}, f.metadata))
	case "/keys":
		write(w, map[string]any{"keys": []any{f.key.Public()}})
	case "/authorize", "/login/oauth/authorize":
		f.query = r.URL.Query()
		answer := url.Values{"code": {"the-code"}, "state": f.query["state"], "iss": {f.url + strings.TrimSuffix(r.URL.Path, "/authorize")}}
		maps.Copy(answer, f.answer)
		http.Redirect(w, r, f.query.Get("redirect_uri")+"?"+answer.Encode(), http.StatusFound)
	case "/token", "/login/oauth/access_token":
		f.token(w, r)
	case "/userinfo":
		if f.userinfo == nil {
			http.Error(w, "there is no such page", http.StatusNotFound)
			return
		}
		write(w, f.userinfo)
	case "/api/v3/user":
		write(w, map[string]any{"id": 583231, "login": "octocat", "name": "The Octocat", "email": "boss@example.com"})
	case "/api/v3/user/emails":
		write(w, []map[string]any{
			{"email": "boss@example.com", "verified": false, "primary": false},
			{"email": "octocat@github.example", "verified": true, "primary": true}, {"email": "Octo.Cat@Example.com", "verified": true, "primary": false},
		})
	default:
		http.NotFound(w, r)
	}
}

// token is the token endpoint. It checks everything that a provider can.
func (f *fake) token(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	id, secret, basic := r.BasicAuth()
	if basic {
		id, _ = url.QueryUnescape(id)
		secret, _ = url.QueryUnescape(secret)
	} else {
		id, secret = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	}
	challenge := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
	switch {
	case id != clientID || secret != clientSecret || basic != (r.URL.Path == "/token"):
		refuse(w, "invalid_client")
		return
	case r.PostForm.Get("grant_type") == "refresh_token" && r.PostForm.Get("refresh_token") == "upstream-refresh-token-"+digits(f.tokens):
	case r.PostForm.Get("code") != "the-code", base64.RawURLEncoding.EncodeToString(challenge[:]) != f.query.Get("code_challenge"),
		f.query.Get("code_challenge_method") != "S256", r.PostForm.Get("redirect_uri") != f.query.Get("redirect_uri"):
		refuse(w, "invalid_grant")
		return
	}
	f.tokens++
	write(w, map[string]any{
		"access_token": "upstream-access-token-" + digits(f.tokens), "refresh_token": "upstream-refresh-token-" + digits(f.tokens), "token_type": "bearer", "expires_in": f.lifetime,
		"id_token": f.idToken(f.key),
	})
}

// idToken returns an ID token for the last authorization request.
func (f *fake) idToken(signing *jose.PrivateKey) string {
	return must(signing.Sign("JWT", merge(map[string]any{
		"iss": f.url, "sub": "1098", "aud": clientID, "nonce": f.query.Get("nonce"), "iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(),
	}, f.claims)))
}

// merge returns members with changes; nil removes one.
func merge(members, changes map[string]any) map[string]any {
	maps.Copy(members, changes)
	maps.DeleteFunc(members, func(_ string, value any) bool { return value == nil })
	return members
}

func digits(n int) string { return string(rune('0' + n)) }

func write(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}

func refuse(w http.ResponseWriter, code string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": code, "error_description": "it is not right, and the secret is " + clientSecret})
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// oidc and gitHub return providers of the fake, with changes.
func (f *fake) oidc(changes ...func(*upstream.Config)) *upstream.Provider {
	return upstream.OIDC(f.config(changes...))
}

func (f *fake) gitHub(changes ...func(*upstream.Config)) *upstream.Provider {
	return upstream.GitHub(f.config(changes...))
}

func (f *fake) config(changes ...func(*upstream.Config)) upstream.Config {
	config := upstream.Config{ClientID: clientID, ClientSecret: clientSecret, Allow: upstream.Anyone(), URL: f.url, Name: "Fake"}
	for _, change := range changes {
		change(&config)
	}
	return config
}

// keep keeps the tokens of the provider.
func keep(config *upstream.Config) { config.Keep, config.Key = true, []string{key} }

// office is a server whose tool says who calls it, and with which token of the provider.
type office struct {
	servers.Server
	provider *upstream.Provider
}

func (*office) Name() string { return "office" }
func (o *office) Tools() []servers.Tool {
	definition := tools.Definition{Name: "whoami", Description: "Says who calls.", InputSchema: []byte(`{"type":"object"}`)}
	return []servers.Tool{tools.New(definition, func(ctx context.Context, r *tools.Request) (tools.Result, error) {
		token, err := o.provider.Token(ctx)
		if err != nil {
			return nil, err
		}
		return tools.Text(r.Principal().Subject + " with " + token), nil
	})}
}

// A program serves the office behind its authorization server, whose users log in at a
// provider.
type program struct {
	url, database string
	log           *buffertest.Buffer
}

func serve(t *testing.T, provider *upstream.Provider) *program {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &program{url: "http://" + listener.Addr().String(), database: filepath.Join(t.TempDir(), "oauth.db"), log: &buffertest.Buffer{}}
	server := oauth.New(oauth.Config{Authenticator: provider, Store: "sqlite:" + p.database, Drivers: []store.Driver{sqlite.Driver()}, Keys: p.database + ".keys"})
	app := mcp.New(mcp.Config{Addr: listener.Addr().String(), Logger: slog.New(slog.NewTextHandler(p.log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	app.Router.Component(server)
	app.Router.Web("office", &office{provider: provider}).Guard(server.Guard("mcp:use"))
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	web := &http.Server{Handler: handler, ReadHeaderTimeout: time.Second}
	go web.Serve(listener) //nolint:errcheck // until Close
	t.Cleanup(func() { _ = web.Close(); app.Close() })
	return p
}
