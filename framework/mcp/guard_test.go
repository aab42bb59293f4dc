package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

const challenge = `Bearer scope="mcp:use", resource_metadata="http://127.0.0.1:8080/.well-known/oauth-protected-resource/mcp"`

func TestAGuardAnswersEveryMethodAndPathBeforeTheBodyIsRead(t *testing.T) {
	t.Parallel()
	handler := guardedVault(t, mcp.Config{AllowedOrigins: []string{"https://app.example.com"}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // a stream that no guard refuses ends at once
	for _, path := range []string{"/mcp", "/mcp/sse", "/mcp/messages", "/mcp/", "/mcp/sse/", "/mcp/messages/"} {
		for _, method := range []string{"POST", "GET", "HEAD", "DELETE", "PUT", "PATCH", "OPTIONS", "TRACE"} {
			r := knock{method: method, path: path}.request(t).WithContext(ctx)
			r.Body, r.ContentLength = io.NopCloser(untouched{t}), 1000
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if w.Code != http.StatusUnauthorized || !strings.HasPrefix(w.Header().Get("WWW-Authenticate"), `Bearer scope="mcp:use", resource_metadata="http`) {
				t.Errorf("%s %s gets %d %q", method, path, w.Code, w.Header())
			}
		}
	}
	preflight := knock{method: "OPTIONS", header: map[string]string{"Origin": "https://app.example.com", "Access-Control-Request-Method": "POST"}}.send(t, handler)
	if preflight.Code != http.StatusNoContent {
		t.Errorf("a preflight gets %d, want 204: it has no credentials", preflight.Code)
	}
	refused := knock{header: map[string]string{"Origin": "https://app.example.com"}}.send(t, handler)
	if !strings.Contains(refused.Header().Get("Access-Control-Expose-Headers"), "WWW-Authenticate") {
		t.Errorf("a page can't read the challenge: %q", refused.Header())
	}
	foreign := knock{token: "ana-token", header: map[string]string{"Origin": "https://evil.example.com"}}.send(t, handler)
	if foreign.Code != http.StatusForbidden || foreign.Header().Get("WWW-Authenticate") != "" {
		t.Errorf("a foreign page gets %d %q, want 403 without a challenge", foreign.Code, foreign.Header())
	}
}

// A guard that a slash could avoid would be none.
func TestAGuardProtectsAPathWithASlashAtItsEndAlike(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "http://127.0.0.1:8080/api"} {
		handler := guardedRoutes(t, mcp.Config{URL: base}, func(router *mcp.Router) {
			router.Web("/mcp", &vault{}).Guard(auth.Bearer(tokens(), "mcp:use")).LegacySSE()
			router.Web("/used", &vault{}).Guard(auth.Bearer(tokens(), "mcp:use")).Use(marking("used"))
			router.Web("/teams/{team}", &vault{}).Guard(auth.Bearer(tokens(), "mcp:use")).LegacySSE()
			group := router.Group("/v1")
			group.Guard(auth.Bearer(tokens(), "mcp:use"))
			group.Web("/x", &vault{})
			router.Web("/open", &gateServer{})
			router.Web("/open/", &vault{}).Guard(auth.Bearer(tokens(), "mcp:use"))
		})
		for _, path := range []string{"/mcp", "/used", "/teams/r%20d", "/v1/x", "/mcp/sse", "/mcp/messages", "/teams/red/sse", "/teams/red/messages"} {
			for _, token := range []string{"", "wrong", "cy-token", "ana-token"} {
				for _, method := range []string{"POST", "GET", "DELETE", "PUT"} {
					var answers []string
					for _, slash := range []string{"", "/"} {
						call := knock{method: method, path: path + slash, token: token, body: modernCall(`1`, "write", `{}`), header: map[string]string{"Accept": "application/json"}}
						w := call.send(t, handler)
						answers = append(answers, fmt.Sprint(w.Code, w.Header(), w.Body))
					}
					if answers[0] != answers[1] || (token == "" || token == "wrong") != strings.HasPrefix(answers[1], "401") {
						t.Errorf("%s: %s %s with the token %q gets %s, and with a slash %s", base, method, path, token, answers[0], answers[1])
					}
				}
			}
		}
		if w := (knock{path: "/open/", body: modernCall(`1`, "read", `{}`)}).send(t, handler); w.Code != http.StatusUnauthorized {
			t.Errorf("the guarded route beside an open one gets %d %s", w.Code, w.Body)
		}
	}
}

func TestATokenIsOnlyReadFromOneAuthorizationHeader(t *testing.T) {
	t.Parallel()
	handler := guardedVault(t, mcp.Config{})
	for _, test := range []struct {
		what, query string
		header      []string
		want        int
		invalid     bool // whether the challenge says that the token is invalid
	}{
		{what: "no token", want: 401},
		{what: "a token", header: []string{"Bearer ana-token"}, want: 200},
		{what: "a scheme in lower case", header: []string{"bearer ana-token"}, want: 200},
		{what: "several spaces", header: []string{"Bearer   ana-token"}, want: 200},
		{what: "a token in the query", query: "?access_token=ana-token", want: 401},
		{what: "a right token, whatever the query has", query: "?access_token=nobody", header: []string{"Bearer ana-token"}, want: 200},
		{what: "another scheme", header: []string{"Basic YW5hOmFuYS10b2tlbg=="}, want: 401},
		{what: "no scheme", header: []string{"ana-token"}, want: 401},
		{what: "an empty header", header: []string{""}, want: 401},
		{what: "an empty token", header: []string{"Bearer "}, want: 401, invalid: true},
		{what: "two tokens", header: []string{"Bearer ana-token ana-token"}, want: 401, invalid: true},
		{what: "two headers", header: []string{"Bearer ana-token", "Bearer ana-token"}, want: 401, invalid: true},
		{what: "a list", header: []string{"Bearer ana-token, Bearer ana-token"}, want: 401, invalid: true},
		{what: "a quoted token", header: []string{`Bearer "ana-token"`}, want: 401, invalid: true},
		{what: "a control character", header: []string{"Bearer ana-token\x00"}, want: 401, invalid: true},
		{what: "a letter beyond ASCII", header: []string{"Bearer ana-tokén"}, want: 401, invalid: true},
		{what: "a token of 8 KiB", header: []string{"Bearer " + strings.Repeat("a", 8<<10)}, want: 401, invalid: true},
		{what: "a longer token", header: []string{"Bearer " + strings.Repeat("a", 8<<10+1)}, want: 401, invalid: true},
		{what: "an unknown token", header: []string{"Bearer nobody"}, want: 401, invalid: true},
	} {
		r := knock{path: "/mcp" + test.query, body: modernCall(`1`, "read", `{}`)}.request(t)
		r.Header["Authorization"] = test.header
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		got := w.Header().Get("WWW-Authenticate")
		if w.Code != test.want || strings.Contains(got, `error="invalid_token"`) != test.invalid || (got == challenge) != (test.want == 401 && !test.invalid) {
			t.Errorf("%s gets %d %s %s", test.what, w.Code, got, w.Body)
		}
	}
}

func TestAGuardRunsBetweenTheMiddlewareOfTheRouterAndThatOfTheRoute(t *testing.T) {
	t.Parallel()
	var ran []string
	noting := func(name string) func(http.Handler) http.Handler {
		return func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				ran = append(ran, name+" "+exchange.PrincipalFrom(r.Context()).ID)
				next.ServeHTTP(w, r)
			})
		}
	}
	handler := guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) {
		router.Use(noting("router"))
		group := router.Group("/g")
		group.Use(noting("group"))
		group.Web("/mcp", &vault{}).Use(noting("route")).Guard(auth.Bearer(tokens())).Throttle(1, time.Hour)
	})
	if w := (knock{path: "/g/mcp", body: modernCall(`1`, "read", `{}`)}).send(t, handler); w.Code != http.StatusUnauthorized {
		t.Errorf("without a token the status is %d", w.Code)
	}
	if got, want := fmt.Sprint(ran), "[router  group ]"; got != want {
		t.Errorf("without a token %v ran, want %v", got, want)
	}
	ran = nil
	call := knock{path: "/g/mcp", body: modernCall(`1`, "read", `{}`), token: "ana-token"}
	if w := call.send(t, handler); w.Code != http.StatusOK {
		t.Errorf("with a token the status is %d: the refused request counted towards the rate limit", w.Code)
	}
	if got, want := fmt.Sprint(ran), "[router  group  route ana]"; got != want {
		t.Errorf("with a token %v ran, want %v", got, want)
	}
	if w := call.send(t, handler); w.Code != http.StatusTooManyRequests {
		t.Errorf("the second call gets %d, want 429", w.Code)
	}
	call.token = "bo-token"
	if w := call.send(t, handler); w.Code != http.StatusOK {
		t.Errorf("the call of another principal gets %d, want 200", w.Code)
	}
}

func TestAllGuardsOfARouteAndItsGroupsMustAcceptARequest(t *testing.T) {
	t.Parallel()
	handler := guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) {
		router.Guard(auth.Bearer(tokens()))
		group := router.Group("/g")
		group.Guard(auth.Bearer(tokens(), "mcp:use"))
		group.Web("/mcp", &vault{}).Guard(auth.Bearer(tokens(), "files:write"), auth.Bearer(tokens(), "mcp:use"))
		router.Web("/mcp", &vault{})
		router.Group("/h").Web("/mcp", &vault{})
	})
	for _, test := range []struct {
		path, token string
		want        int
	}{
		{"/mcp", "", 401}, {"/mcp", "cy-token", 200}, {"/h/mcp", "", 401}, {"/h/mcp", "cy-token", 200},
		{"/g/mcp", "", 401}, {"/g/mcp", "cy-token", 403}, {"/g/mcp", "ana-token", 403}, {"/g/mcp", "bo-token", 200},
	} {
		if w := (knock{path: test.path, token: test.token, body: modernCall(`1`, "read", `{}`)}).send(t, handler); w.Code != test.want {
			t.Errorf("%s with %s gets %d %q, want %d", test.path, test.token, w.Code, w.Header().Get("WWW-Authenticate"), test.want)
		}
	}
	got := knock{method: "GET", path: "/.well-known/oauth-protected-resource/g/mcp"}.send(t, handler).Body.String()
	if want := `"scopes_supported":["mcp:use","files:write"],"bearer_methods_supported":["header"],"resource_name":"Vault"}`; !strings.HasSuffix(got, want) {
		t.Errorf("the metadata is %s, want all scopes once: %s", got, want)
	}
	outermost := knock{path: "/g/mcp"}.send(t, handler).Header().Get("WWW-Authenticate")
	if strings.Contains(outermost, "scope=") {
		t.Errorf("the challenge is %s, want that of the outermost guard, which requires no scope", outermost)
	}
}

func TestAScopeThatLooksAlikeIsAnotherScope(t *testing.T) {
	t.Parallel()
	verifier := &toggle{}
	handler := toggledVault(t, verifier)
	for _, scopes := range [][]string{nil, {""}, {"mcp"}, {"mcp:use2"}, {"mcp:us"}, {"MCP:USE"}, {"mcp:*"}, {"mcp:use:all"}, {"mcp:use files:write"}, {"mcp:use "}} {
		verifier.becomes(exchange.Principal{ID: "ana", Scopes: scopes})
		if w := (knock{token: "ana-token", body: modernCall(`1`, "read", `{}`)}).send(t, handler); w.Code != http.StatusForbidden {
			t.Errorf("with the scopes %q the status is %d, want 403", scopes, w.Code)
		}
	}
}

func TestTheGuardThatRefusesMakesTheChallenge(t *testing.T) {
	t.Parallel()
	key := &ownGuard{}
	handler := guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) {
		router.Web("/mcp", &vault{}).Guard(key, auth.Bearer(tokens(), "mcp:use"))
	})
	call := knock{body: modernCall(`1`, "write", `{}`)}
	for _, test := range []struct {
		key         error
		token, want string
		status      int
	}{
		{errors.New("the key is wrong"), "bo-token", `ApiKey realm="vault"`, 401},
		{nil, "", challenge, 401},
		{nil, "cy-token", `Bearer error="insufficient_scope"`, 403},
		{nil, "ana-token", `Bearer error="insufficient_scope"`, 403}, // refused by the tool
		{nil, "bo-token", "", 200},
	} {
		key.err, call.token = test.key, test.token
		w := call.send(t, handler)
		if got := w.Header()["Www-Authenticate"]; w.Code != test.status || test.want == "" && got != nil || test.want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], test.want)) {
			t.Errorf("with %v and the token %q, the answer is %d %q, want %d %s", test.key, test.token, w.Code, got, test.status, test.want)
		}
		if test.status == 200 && !strings.Contains(w.Body.String(), "done by bo") {
			t.Errorf("the principal is not that of the last guard: %s", w.Body)
		}
	}
}

func TestAToolThatNeedsScopesAfterMiddlewareThatWrapsTheWriter(t *testing.T) {
	t.Parallel()
	plain := func(next http.Handler) http.Handler { // a wrapper without Unwrap
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(struct{ http.ResponseWriter }{w}, r) })
	}
	refusing := func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusUnauthorized) })
	}
	handler := guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) {
		router.Web("/mcp", &vault{}).Guard(auth.Bearer(tokens(), "mcp:use")).Use(plain)
		router.Web("/own", &vault{}).Guard(auth.Bearer(tokens(), "mcp:use")).Use(refusing)
	})
	w := knock{token: "ana-token", body: modernCall(`1`, "write", `{}`)}.send(t, handler)
	if got := w.Header().Get("WWW-Authenticate"); w.Code != http.StatusForbidden || !strings.Contains(got, `scope="files:write mcp:use"`) {
		t.Errorf("behind a wrapper of the writer, the answer is %d %q", w.Code, got)
	}
	w = knock{path: "/own", token: "ana-token"}.send(t, handler)
	if got := w.Header().Get("WWW-Authenticate"); w.Code != http.StatusUnauthorized || !strings.HasPrefix(got, `Bearer error="invalid_token", scope="mcp:use", resource_metadata=`) {
		t.Errorf("a 401 of the program's middleware has the challenge %q", got)
	}
}

func TestAChallengeOfTheProgramIsKept(t *testing.T) {
	t.Parallel()
	own := func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", "Negotiate")
			w.WriteHeader(http.StatusUnauthorized)
		})
	}
	handler := guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) { router.Web("/mcp", &vault{}).Guard(auth.Bearer(tokens())).Use(own) })
	if got := (knock{token: "ana-token"}).send(t, handler).Header()["Www-Authenticate"]; len(got) != 1 || got[0] != "Negotiate" {
		t.Errorf("the challenges are %q, want that of the middleware", got)
	}
}

func TestMistakesOfGuardsKeepAProgramFromStarting(t *testing.T) {
	t.Parallel()
	bearer := func(verifier auth.Verifier, scopes ...string) *auth.BearerGuard {
		return auth.Bearer(verifier, scopes...)
	}
	web := func(guards ...mcp.Guard) func(*mcp.Router) {
		return func(router *mcp.Router) { router.Web("private", &vault{}).Guard(guards...) }
	}
	for what, test := range map[string]struct {
		config mcp.Config
		routes func(*mcp.Router)
		want   string
	}{
		"no guard":                 {mcp.Config{}, web(nil), "the route /mcp/private: guard 1 is missing or nil; give a guard"},
		"no argument":              {mcp.Config{}, web(), "the route /mcp/private: guard 1 is missing or nil; give a guard"},
		"no argument of a router":  {mcp.Config{}, func(router *mcp.Router) { router.Guard(); router.Web("/mcp", &gateServer{}) }, "the route /mcp: guard 1 is missing or nil"},
		"no guard of its type":     {mcp.Config{}, web((*ownGuard)(nil)), "guard 1 is missing or nil"},
		"no verifier of its type":  {mcp.Config{}, web(bearer((*toggle)(nil))), "guard 1: auth.Bearer has no verifier"},
		"no verifier in a list":    {mcp.Config{}, web(bearer(auth.Any((*toggle)(nil)))), "guard 1: auth.Any: verifier 1 is nil; remove it"},
		"no verifier":              {mcp.Config{}, web(bearer(nil)), "guard 1: auth.Bearer has no verifier"},
		"a scope of two words":     {mcp.Config{}, web(bearer(tokens(), "a b")), `guard 1: the scope "a b" must be one word`},
		"a scope twice":            {mcp.Config{}, web(bearer(tokens(), "a", "b", "a")), `guard 1: the scope "a" is there twice; remove one`},
		"a scope of no right":      {mcp.Config{}, web(bearer(tokens(), "mcp:use", "offline_access")), `guard 1: the scope "offline_access" is no right, but asks for a refresh token; remove it`},
		"a required scope offered": {mcp.Config{}, web(auth.Bearer(tokens(), "a").Offer("b", "a")), `guard 1: the scope "a" is there twice; remove one`},
		"an offer of no right":     {mcp.Config{}, web(auth.Bearer(tokens(), "a").Offer("offline_access")), `guard 1: the scope "offline_access" is no right`},
		"an offer of two words":    {mcp.Config{}, web(auth.Bearer(tokens()).Offer("a b")), `guard 1: the scope "a b" must be one word`},
		"a token that isn't one":   {mcp.Config{}, web(bearer(auth.Static("ana hunter2"))), "guard 1: auth.Static: token 1: its second word must be the SHA-256 of the token"},
		"no URL off loopback":      {mcp.Config{Addr: ":8080", AllowedHosts: []string{"x.example"}}, web(bearer(tokens())), "it has a guard, so clients need the program's URL; set Config.URL (APP_URL)"},
		"a URL without encryption": {mcp.Config{URL: "http://mcp.example.com"}, web(bearer(tokens())), `the URL "http://mcp.example.com" must begin with https://`},
		"a tool without a guard":   {mcp.Config{}, func(router *mcp.Router) { router.Web("private", &vault{}) }, "the tool write has Require(\"files:write\"), but the route /mcp/private has no guard"},
		"an open route beside a guarded one": {mcp.Config{}, func(router *mcp.Router) {
			server := &vault{}
			router.Web("private", server).Guard(bearer(tokens()))
			router.Web("demo", server)
		}, "the route /mcp/demo has no guard"},
		"a permission and scopes": {mcp.Config{}, func(router *mcp.Router) {
			allowed := guardrails.Permission(func(context.Context, string) bool { return true })
			router.Web("private", &vault{own: []guardrails.Guardrail{allowed}}).Guard(bearer(tokens()))
		}, `it has Require("files:write"), by which clients ask for scopes, and a Permission, which hides it from them`},
		"no scope": {mcp.Config{}, func(router *mcp.Router) {
			router.Web("private", &vault{own: []guardrails.Guardrail{auth.Require()}}).Guard(bearer(tokens()))
		}, "it has no scope to require"},
		"a scope of a tool twice": {mcp.Config{}, func(router *mcp.Router) {
			router.Web("private", &vault{own: []guardrails.Guardrail{auth.Require("a", "a")}}).Guard(bearer(tokens()))
		}, `Require("a a"): the scope "a" is there twice`},
		"a scope of a tool that is no right": {mcp.Config{}, func(router *mcp.Router) {
			router.Web("private", &vault{own: []guardrails.Guardrail{auth.Require("offline_access")}}).Guard(bearer(tokens()))
		}, `the scope "offline_access" is no right`},
		"no function": {mcp.Config{}, func(router *mcp.Router) {
			router.Web("private", &vault{own: []guardrails.Guardrail{auth.RequireFunc(nil)}}).Guard(bearer(tokens()))
		}, "it has no function to call"},
		"scopes of lists": {mcp.Config{}, func(router *mcp.Router) {
			router.Web("private", &vault{own: []guardrails.Guardrail{auth.Require("a").On(guardrails.List)}}).Guard(bearer(tokens()))
		}, "On must name one or more of: call, read, get, complete"},
	} {
		app := mcp.New(test.config)
		test.routes(app.Router)
		err := app.Validate()
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: the error is %v, want %s", what, err, test.want)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the error has the token: %v", what, err)
		}
	}
}

// A tool that is added while the server serves can't weaken what was checked at boot.
func TestAToolThatNeedsScopesIsNotAddedToAnOpenServer(t *testing.T) {
	t.Parallel()
	open, closed := newLateVault(), newLateVault()
	guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) {
		router.Web("/open", open)
		router.Web("/closed", closed).Guard(auth.Bearer(tokens()))
	})
	late := (&vault{}).Tools()[1]
	if err := open.AddTool(late); err == nil || !strings.Contains(err.Error(), "the route /open has no guard") {
		t.Errorf("the open server says %v", err)
	}
	if err := closed.AddTool(late); err != nil {
		t.Errorf("the guarded server says %v", err)
	}
}

type lateVault struct{ servers.Server }

func newLateVault() *lateVault           { return &lateVault{} }
func (*lateVault) Tools() []servers.Tool { return (&vault{}).Tools()[:1] }

func TestAGuardOfTheProgramDecidesAboutStatusAndChallenge(t *testing.T) {
	t.Parallel()
	guard := &ownGuard{}
	handler := guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) { router.Web("/mcp", &vault{}).Guard(guard) })
	for _, test := range []struct {
		err       error
		want      int
		challenge string
		retry     string
	}{
		{errors.New("the key is wrong"), 401, `ApiKey realm="vault"`, ""},
		{&exchange.Error{Message: "no status"}, 401, `ApiKey realm="vault"`, ""},
		{&exchange.Error{Message: "a success", Status: 200}, 401, `ApiKey realm="vault"`, ""},
		{&exchange.Error{Message: "no status of HTTP", Status: 1}, 401, `ApiKey realm="vault"`, ""},
		{&exchange.Error{Message: "no status of HTTP", Status: 1000}, 401, `ApiKey realm="vault"`, ""},
		{&exchange.ScopeError{Needed: []string{"a"}}, 403, `ApiKey realm="vault"`, ""},
		{&exchange.Error{Message: "Try again", Status: 503, Header: http.Header{"Retry-After": {"1"}}}, 503, "", "1"},
		{nil, 200, "", ""},
	} {
		guard.err = test.err
		w := knock{body: modernCall(`1`, "read", `{}`)}.send(t, handler)
		if w.Code != test.want || w.Header().Get("WWW-Authenticate") != test.challenge || w.Header().Get("Retry-After") != test.retry {
			t.Errorf("%v: the answer is %d %q %s", test.err, w.Code, w.Header(), w.Body)
		}
		if strings.Contains(w.Body.String(), "the key is wrong") || strings.Contains(w.Body.String(), "success") {
			t.Errorf("the client reads the error of the guard: %s", w.Body)
		}
	}
	if guard.resource != "http://127.0.0.1:8080/mcp" {
		t.Errorf("the guard gets the resource %q", guard.resource)
	}
	both := guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) {
		router.Web("/mcp", &vault{}).Guard(guard, auth.Bearer(tokens(), "mcp:use"))
	})
	if got := (knock{}).send(t, both).Header().Get("WWW-Authenticate"); got != challenge {
		t.Errorf("the challenge is %s, want that of the second guard, which refuses", got)
	}
}

// ownGuard is a guard of a program, which has nothing to do with OAuth.
type ownGuard struct {
	err      error
	panics   bool
	resource string
}

func (g *ownGuard) Authenticate(_ *http.Request, resource string) (exchange.Principal, error) {
	if g.panics {
		panic("oops")
	}
	g.resource = resource
	return exchange.Principal{ID: "ana"}, g.err
}
func (*ownGuard) Challenge(error, string) string { return `ApiKey realm="vault"` }
func (*ownGuard) Metadata() (exchange.ResourceMetadata, error) {
	return exchange.ResourceMetadata{}, nil
}

func TestAGuardThatPanicsRefusesTheRequest(t *testing.T) {
	t.Parallel()
	for what, guard := range map[string]mcp.Guard{
		"Authenticate": &ownGuard{panics: true},
		"Challenge":    &challengePanics{ownGuard{err: errors.New("the key is wrong")}},
	} {
		var log logBuffer
		handler := guardedRoutes(t, mcp.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))}, func(router *mcp.Router) {
			router.Web("/mcp", &vault{}).Guard(guard)
		})
		w := knock{body: modernCall(`1`, "read", `{}`)}.send(t, handler)
		want := map[string]int{"Authenticate": http.StatusInternalServerError, "Challenge": http.StatusUnauthorized}[what]
		if w.Code != want || strings.Contains(w.Body.String(), "oops") || strings.Contains(w.Body.String(), "done by") {
			t.Errorf("if %s panics, the answer is %d %s, want %d", what, w.Code, w.Body, want)
		}
		if got := log.String(); !strings.Contains(got, `msg="a guard panicked" resource=http://127.0.0.1:8080/mcp panic=oops stack=`) {
			t.Errorf("if %s panics, the log is %s", what, got)
		}
	}
}

type challengePanics struct{ ownGuard }

func (*challengePanics) Challenge(error, string) string { panic("oops") }

// An error of a verifier that isn't about the token must not make clients discard it, and a
// principal without ID must not share the sessions of others.
func TestTheMistakesOfAVerifierAreNotThoseOfTheToken(t *testing.T) {
	t.Parallel()
	for what, test := range map[string]struct {
		err       error
		principal exchange.Principal
		log       string
	}{
		"an error":                {errors.New("there is no database"), exchange.Principal{ID: "ana"}, `cause="there is no database"`},
		"an error of the context": {context.DeadlineExceeded, exchange.Principal{ID: "ana"}, `cause="context deadline exceeded"`},
		"a principal without ID":  {nil, exchange.Principal{Subject: "ana"}, "returns a principal without ID; set it to"},
	} {
		var log logBuffer
		verifier := &toggle{}
		verifier.fail(test.err)
		verifier.becomes(test.principal)
		handler := guardedRoutes(t, mcp.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))}, func(router *mcp.Router) {
			router.Web("/mcp", &vault{}).Guard(auth.Bearer(verifier))
		})
		w := knock{token: "ana-token", body: modernCall(`1`, "read", `{}`)}.send(t, handler)
		if w.Code != http.StatusInternalServerError || w.Header().Get("WWW-Authenticate") != "" || !strings.Contains(w.Body.String(), `"message":"Internal error"`) {
			t.Errorf("for %s, the answer is %d %q %s", what, w.Code, w.Header(), w.Body)
		}
		if !strings.Contains(log.String(), test.log) {
			t.Errorf("for %s, the log is %s", what, log.String())
		}
	}
}

// A client asks the user once (specification: Scope Challenge Handling).
func TestAChallengeNamesTheScopesOfAllGuardrails(t *testing.T) {
	t.Parallel()
	depends := func(scopes []string, err error) guardrails.Guardrail {
		return auth.RequireFunc(func(context.Context, *guardrails.Operation) ([]string, error) { return scopes, err })
	}
	server := &vault{own: []guardrails.Guardrail{auth.Require("vault:open"), depends([]string{"files:write"}, nil), depends(nil, errors.New("unknown")).On(guardrails.Read)}}
	handler := guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) { router.Web("/mcp", server).Guard(auth.Bearer(tokens(), "mcp:use")) })
	for _, test := range []struct{ tool, arguments, want string }{
		{"read", `{}`, "vault:open files:write mcp:use"},
		{"write", `{}`, "vault:open files:write mcp:use"},
		{"move", `{"to":"archive"}`, "vault:open files:write files:archive mcp:use"},
	} {
		w := knock{token: "ana-token", body: modernCall(`1`, test.tool, test.arguments)}.send(t, handler)
		if got := w.Header().Get("WWW-Authenticate"); w.Code != http.StatusForbidden || !strings.Contains(got, ` scope="`+test.want+`"`) {
			t.Errorf("the tool %s answers %d %s, want the scopes %s", test.tool, w.Code, got, test.want)
		}
	}
}

// A client would ask for scopes that no token can have, and then again.
func TestAToolWithoutAScopeToAskForHasNoChallenge(t *testing.T) {
	t.Parallel()
	var log logBuffer
	needs := func(scopes ...string) guardrails.Guardrail {
		return auth.RequireFunc(func(context.Context, *guardrails.Operation) ([]string, error) { return scopes, nil })
	}
	says := func(context.Context, *tools.Request) (tools.Result, error) { return tools.Text("done"), nil }
	server := boxOf(
		tools.New(locked("words", needs("files:write files:read")), says), tools.New(locked("quotes", needs(`files:"write"`)), says), tools.New(locked("empty", needs("")), says),
		tools.New(locked("nothing"), func(_ context.Context, r *tools.Request) (tools.Result, error) {
			return nil, &exchange.ScopeError{Granted: r.Principal().Scopes}
		}),
	)
	handler := guardedRoutes(t, mcp.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))}, func(router *mcp.Router) {
		router.Web("/mcp", server).Guard(auth.Bearer(tokens(), "mcp:use"))
	})
	for name, want := range map[string]int{"words": 200, "quotes": 200, "empty": 200, "nothing": 403} {
		w := knock{token: "ana-token", body: modernCall(`1`, name, `{}`)}.send(t, handler)
		if w.Code != want || w.Header().Get("WWW-Authenticate") != "" || strings.Contains(w.Body.String(), "done") {
			t.Errorf("the tool %s answers %d %q %s", name, w.Code, w.Header(), w.Body)
		}
	}
	if n := log.count("must be one word of printable ASCII characters"); n != 3 {
		t.Errorf("the log has %d mistakes in scopes, want 3:\n%s", n, log.String())
	}
}
