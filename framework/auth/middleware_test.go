package auth_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// readerVerifier accepts the token "reader".
type readerVerifier struct{ reason string }

func (v readerVerifier) Verify(_ context.Context, token, resource string) (exchange.Principal, error) {
	if token != "reader" {
		return exchange.Principal{}, &auth.TokenError{Reason: v.reason, Err: fmt.Errorf("it isn't for %s", resource)}
	}
	return exchange.Principal{ID: "ana", Scopes: []string{"mcp:use"}}, nil
}

func (readerVerifier) Issuers() ([]string, error) { return []string{"https://login.example.com"}, nil }

// get sends a GET request with a token.
func get(t *testing.T, handler http.Handler, path, token string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://example.com"+path, nil)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

func TestMiddlewareProtectsAnyHandler(t *testing.T) {
	t.Parallel()
	guard := auth.Bearer(readerVerifier{"The token is not known"}, "mcp:use")
	mux := http.NewServeMux()
	mux.Handle("/files/", auth.Middleware(guard, "https://example.com/files")(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, exchange.PrincipalFrom(r.Context()).ID)
	})))
	path, metadata := auth.MetadataHandler(guard, "https://example.com/files")
	mux.Handle(path, metadata)
	const where = `resource_metadata="https://example.com/.well-known/oauth-protected-resource/files"`
	for token, want := range map[string]struct {
		status    int
		challenge string
	}{
		"":       {401, `Bearer scope="mcp:use", ` + where},
		"nobody": {401, `Bearer error="invalid_token", error_description="The token is not known", scope="mcp:use", ` + where},
		"reader": {200, ""},
	} {
		w := get(t, mux, "/files/a", token)
		if w.Code != want.status || w.Header().Get("WWW-Authenticate") != want.challenge || strings.Contains(w.Body.String(), "it isn't for") {
			t.Errorf("with the token %q the answer is %d %q %s", token, w.Code, w.Header(), w.Body)
		}
		if got := w.Body.String(); (got == "ana") != (want.status == http.StatusOK) {
			t.Errorf("with the token %q the handler gets the principal %q", token, got)
		}
	}
	w := get(t, mux, "/.well-known/oauth-protected-resource/files", "")
	const document = `{"resource":"https://example.com/files","authorization_servers":["https://login.example.com"],"scopes_supported":["mcp:use"],"bearer_methods_supported":["header"]}`
	if w.Code != http.StatusOK || w.Body.String() != document || w.Header().Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("the metadata is %d %q %s", w.Code, w.Header(), w.Body)
	}
	post := httptest.NewRecorder()
	mux.ServeHTTP(post, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "https://example.com"+path, nil))
	if post.Code != http.StatusMethodNotAllowed || post.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST of the metadata gets %d", post.Code)
	}
	preflight := httptest.NewRequestWithContext(t.Context(), http.MethodOptions, "https://example.com"+path, nil)
	preflight.Header = http.Header{"Origin": {"https://inspector.example.com"}, "Access-Control-Request-Method": {"GET"}, "Access-Control-Request-Headers": {"mcp-protocol-version"}}
	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, preflight)
	if h := answer.Header(); answer.Code != http.StatusNoContent || h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Allow-Headers") != "*" {
		t.Errorf("a preflight of the metadata gets %d %q", answer.Code, h)
	}
}

func TestMiddlewareLogsWhyItRefusesAToken(t *testing.T) { //nolint:paralleltest // replaces slog.Default
	before, output := slog.Default(), log.Writer() //nolint:forbidigo // see below
	defer func() {
		slog.SetDefault(before)
		log.SetOutput(output) //nolint:forbidigo // SetDefault redirects package log too
	}()
	var lines buffer
	slog.SetDefault(slog.New(slog.NewTextHandler(&lines, nil)))
	handler := auth.Middleware(auth.Bearer(readerVerifier{"The token is not known"}), "https://example.com/files")(http.NotFoundHandler())
	get(t, handler, "/files", "")
	if got := lines.String(); got != "" {
		t.Errorf("a request without a token is logged: %s", got)
	}
	get(t, handler, "/files?access_token=secret", "the-token")
	got := lines.String()
	const want = `level=WARN msg="a request was refused" status=401 http=GET path=/files reason="Unauthorized: The token is not known" cause="it isn't for https://example.com/files"`
	if !strings.Contains(got, want) || strings.Contains(got, "secret") || strings.Contains(got, "the-token") {
		t.Errorf("the log is %s, want %s", got, want)
	}
}

func TestMiddlewareProtectsAServerOutsideAnApp(t *testing.T) {
	t.Parallel()
	handler := auth.Middleware(auth.Bearer(readerVerifier{}, "mcp:use"), "https://example.com/mcp")(mcp.Handler(&lockedServer{}))
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "https://example.com/mcp", strings.NewReader(call))
	r.Header = http.Header{
		"Authorization": {"Bearer reader"}, "Content-Type": {"application/json"}, "Mcp-Protocol-Version": {"2026-07-28"},
		"Mcp-Method": {"tools/call"}, "Mcp-Name": {"write"},
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	want := `Bearer error="insufficient_scope", error_description="Insufficient scope: the operation needs files:write; the token has mcp:use", ` +
		`scope="files:write mcp:use", resource_metadata="https://example.com/.well-known/oauth-protected-resource/mcp"`
	if got := w.Header().Get("WWW-Authenticate"); w.Code != http.StatusForbidden || got != want {
		t.Errorf("the answer is %d %s, want %s", w.Code, got, want)
	}
}

// lockedServer has a tool that needs a scope.
type lockedServer struct{ servers.Server }

func (*lockedServer) Tools() []servers.Tool {
	return []servers.Tool{tools.New(tools.Definition{Name: "write", Description: "Writes.", Guardrails: writeScope()}, func(context.Context, *tools.Request) (tools.Result, error) {
		return tools.Text("written"), nil
	})}
}

func TestMiddlewarePanicsForAMistake(t *testing.T) {
	t.Parallel()
	for what, test := range map[string]struct {
		make func()
		want string
	}{
		"a URL without encryption": {func() { auth.Middleware(auth.Bearer(readerVerifier{}), "http://example.com/mcp") }, `auth: Middleware: the URL "http://example.com/mcp" must begin with https://`},
		"a path":                   {func() { auth.MetadataHandler(auth.Bearer(readerVerifier{}), "/mcp") }, `auth: MetadataHandler: the URL "/mcp" must be absolute`},
		"a query":                  {func() { auth.Middleware(auth.Bearer(readerVerifier{}), "https://example.com/?a") }, "must have no query"},
		"no guard":                 {func() { auth.Middleware(nil, "https://example.com/mcp") }, "guard 1 is missing or nil; give a guard, such as auth.Bearer(…)"},
		"no verifier":              {func() { auth.Middleware(auth.Bearer(nil), "https://example.com/mcp") }, "auth.Bearer has no verifier"},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, test.want) {
					t.Errorf("%s: it panics with %s, want %s", what, got, test.want)
				}
			}()
			test.make()
		}()
	}
}

// A header can't carry every text (RFC 6750, section 3), and a text must not end its
// parameter.
func TestAChallengeHasOnlyCharactersThatAHeaderCanCarry(t *testing.T) {
	t.Parallel()
	guard := auth.Bearer(readerVerifier{"a \"quote\", a \\ backslash,\r\nX-Evil: 1 and é"})
	_, err := guard.Authenticate(&http.Request{Header: http.Header{"Authorization": {"Bearer x"}}}, "https://example.com")
	want := `Bearer error="invalid_token", error_description="a 'quote', a  backslash,X-Evil: 1 and ", resource_metadata="https://example.com/m"`
	if got := guard.Challenge(err, "https://example.com/m"); got != want {
		t.Errorf("the challenge is\n%s, want\n%s", got, want)
	}
}

func writeScope() []guardrails.Guardrail { return []guardrails.Guardrail{auth.Require("files:write")} }

// Many proxies refuse an answer whose headers have more than 4 KiB.
func TestAChallengeNamesTheScopesOfATokenWithinLimits(t *testing.T) {
	t.Parallel()
	granted := []string{"mcp:use", "offline_access", "openid", "Global Admin", `x"y`, "", "é", "mcp:use"}
	for n := range 800 {
		granted = append(granted, fmt.Sprint("role", n))
	}
	guard := auth.Bearer(readerVerifier{}, "mcp:use")
	got := guard.Challenge(&exchange.ScopeError{Needed: []string{"files:write", "files:write", "openid"}, Granted: granted}, "https://example.com/m")
	_, scopes, _ := strings.Cut(got, ` scope="`)
	if want := "files:write openid mcp:use role0 role1 role2 "; !strings.HasPrefix(scopes, want) {
		t.Errorf("the challenge is %s, want the scopes %s", got, want)
	}
	if n := len(got); n < 1<<10 || n > 2<<10 {
		t.Errorf("the challenge has %d bytes, want 1 to 2 KiB: %s", n, got)
	}
}
