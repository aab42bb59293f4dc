package authcheck_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/authcheck"
	"github.com/bowline-mcp/bowline/internal/cli/finding"
)

const (
	resourceWellKnown = "/.well-known/oauth-protected-resource"
	oauthWellKnown    = "/.well-known/oauth-authorization-server"
	openIDWellKnown   = "/.well-known/openid-configuration"
)

// A site is an MCP server at /mcp and its authorization server at /login, as they should
// be. Tests change one thing.
type site struct {
	url      string // of the MCP endpoint
	origin   string
	issuer   string
	token    string // that the check gets
	accepted string // the token that the server accepts

	challenge string         // without a token
	metadata  map[string]any // of the resource
	server    map[string]any // of the authorization server

	// guard answers requests to the MCP endpoint, or returns false.
	guard func(w http.ResponseWriter, r *http.Request, body string) bool
	// pages has the answers to other paths, in place of the right ones.
	pages map[string]http.HandlerFunc
	// unknown answers requests to all other paths.
	unknown http.HandlerFunc
}

// newSite returns a site on this machine.
func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{}
	host := httptest.NewServer(s)
	t.Cleanup(host.Close)
	s.setUp(host.URL)
	return s
}

// newPublicSite returns a site at the origin, and a transport that reaches it under every
// name.
func newPublicSite(t *testing.T, origin string) (*site, *http.Transport) {
	t.Helper()
	s := &site{}
	host := httptest.NewUnstartedServer(s)
	host.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	if strings.HasPrefix(origin, "https:") {
		host.StartTLS() // with a certificate for example.com
	} else {
		host.Start()
	}
	t.Cleanup(host.Close)
	s.setUp(origin)
	transport := host.Client().Transport.(*http.Transport).Clone()
	transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, host.Listener.Addr().String())
	}
	return s, transport
}

func (s *site) setUp(origin string) {
	s.pages, s.unknown = map[string]http.HandlerFunc{}, http.NotFound
	s.origin = origin
	s.url, s.issuer = s.origin+"/mcp", s.origin+"/login"
	s.challenge = fmt.Sprintf(`Bearer scope="mcp:use", resource_metadata="%s%s/mcp"`, s.origin, resourceWellKnown)
	s.metadata = map[string]any{"resource": s.url, "authorization_servers": []string{s.issuer}, "scopes_supported": []string{"mcp:use"}}
	s.server = map[string]any{
		"issuer":                                         s.issuer,
		"authorization_endpoint":                         s.issuer + "/authorize",
		"token_endpoint":                                 s.issuer + "/token",
		"registration_endpoint":                          s.issuer + "/register",
		"jwks_uri":                                       s.issuer + "/jwks",
		"response_types_supported":                       []string{"code"},
		"grant_types_supported":                          []string{"authorization_code", "refresh_token"},
		"code_challenge_methods_supported":               []string{"S256"},
		"scopes_supported":                               []string{"mcp:use", "offline_access"},
		"token_endpoint_auth_methods_supported":          []string{"none"},
		"client_id_metadata_document_supported":          true,
		"authorization_response_iss_parameter_supported": true,
	}
	s.guard = func(http.ResponseWriter, *http.Request, string) bool { return false }
}

// useToken gives the check a token with the claims, which the server accepts.
func (s *site) useToken(claims map[string]any) {
	all := map[string]any{"aud": s.url, "iss": s.issuer, "exp": time.Now().Add(time.Hour).Unix(), "scope": "mcp:use"}
	for name, value := range claims {
		all[name] = value
	}
	encoded, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	s.token = encode([]byte(`{"alg":"ES256","typ":"at+jwt"}`)) + "." + encode(encoded) + ".c2lnbmF0dXJl"
	s.accepted = s.token
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Origin") != "" {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Allow-Headers", "Content-Type, MCP-Protocol-Version")
	}
	if page, has := s.pages[r.URL.Path]; has {
		page(w, r)
		return
	}
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	switch r.URL.Path {
	case "/mcp":
		s.serveMCP(w, r)
	case resourceWellKnown + "/mcp":
		serveJSON(w, http.StatusOK, s.metadata)
	case oauthWellKnown + "/login":
		serveJSON(w, http.StatusOK, s.server)
	case "/login/token":
		serveJSON(w, http.StatusBadRequest, map[string]any{"error": "invalid_request"})
	case "/login/jwks":
		serveJSON(w, http.StatusOK, map[string]any{"keys": []any{map[string]any{"kty": "EC"}}})
	default:
		s.unknown(w, r)
	}
}

func (s *site) serveMCP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	authorization := r.Header.Get("Authorization")
	switch {
	case s.guard(w, r, string(body)):
	case authorization == "":
		w.Header().Set("WWW-Authenticate", s.challenge)
		w.WriteHeader(http.StatusUnauthorized)
	case s.accepted == "" || authorization != "Bearer "+s.accepted:
		w.Header().Set("WWW-Authenticate", s.challenge+`, error="invalid_token"`)
		w.WriteHeader(http.StatusUnauthorized)
	default:
		serveJSON(w, http.StatusOK, map[string]any{"jsonrpc": "2.0", "id": 1, "result": map[string]any{}})
	}
}

func serveJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

// answers returns a page with a status only.
func answers(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}

// check returns the report, and its faults and notes. The report never has the token.
func check(t *testing.T, url, token string) (report string, faults, notes []string) {
	t.Helper()
	return checkOver(t, nil, url, token)
}

// checkOver is check over another transport, unless it is nil.
func checkOver(t *testing.T, transport *http.Transport, url, token string) (report string, faults, notes []string) {
	t.Helper()
	c, err := authcheck.New(url, token)
	if err != nil {
		t.Fatal(err)
	}
	if transport != nil {
		c.SetTransport(transport)
	}
	var b strings.Builder
	for step := range c.Steps(context.Background()) {
		if _, err := step.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		for _, one := range step.Findings {
			switch one.Level {
			case finding.LevelBroken:
				faults = append(faults, one.What+" Fix: "+one.Fix)
			case finding.LevelHint:
				notes = append(notes, one.What+" Fix: "+one.Fix)
			case finding.LevelOK:
			}
		}
	}
	if token != "" && strings.Contains(b.String(), token) {
		t.Errorf("the report has the token:\n%s", b.String())
	}
	return b.String(), faults, notes
}
