package mcp_test

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

const wellKnown = "/.well-known/oauth-protected-resource"

// metadataHandler serves several guarded routes and one without a guard.
func metadataHandler(t *testing.T, config mcp.Config) http.Handler {
	t.Helper()
	return guardedRoutes(t, config, func(router *mcp.Router) {
		guard := auth.Bearer(&toggle{}, "mcp:use")
		router.Web("/", &gateServer{}).Guard(guard)
		router.Web("private", &vault{}).Guard(guard).LegacySSE()
		router.Web("open", &gateServer{})
		teams := router.Group("/teams/{team}")
		teams.Guard(guard)
		teams.Web("/mcp", &vault{}).LegacySSE()
		teams.Web("files/*", &vault{})
	})
}

func TestTheMetadataOfAGuardedRouteHasItsOwnPath(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"https://mcp.example.com", "https://mcp.example.com/", "https://mcp.example.com/api"} {
		handler := metadataHandler(t, mcp.Config{URL: base})
		prefix := strings.TrimSuffix(strings.TrimPrefix(base, "https://mcp.example.com"), "/")
		for path, want := range map[string]string{
			"/mcp/private":              "/mcp/private",
			"/mcp/private/sse":          "/mcp/private/sse",
			"/teams/red/mcp":            "/teams/red/mcp",
			"/teams/r%20d/mcp":          "/teams/r%20d/mcp",
			"/teams/red/mcp/sse":        "/teams/red/mcp/sse",
			"/teams/red/mcp/files/a/b":  "/teams/red/mcp/files/a/b",
			"":                          "/",
			"/mcp/open":                 "",
			"/mcp":                      "",
			"/":                         "/",
			"/mcp/private/":             "/mcp/private",
			"/mcp/private/sse/":         "/mcp/private/sse",
			"/teams/r%20d/mcp/":         "/teams/r%20d/mcp",
			"/teams/red/mcp/files/a/":   "/teams/red/mcp/files/a/",
			"/mcp/private//":            "",
			"/mcp/private/messages/":    "",
			"/mcp/open/":                "",
			"/mcp/private/messages":     "",
			"/mcp/unknown":              "",
			"/mcp%2fprivate":            "",
			"/mcp%2Fprivate":            "",
			"/teams/a%2fb/mcp":          "",
			"/teams/../mcp":             "",
			"/teams/%2e%2e/mcp":         "",
			"/teams//mcp":               "",
			"/teams/a%5cb/mcp":          "",
			"/teams/red/mcp/files/../b": "",
		} {
			if path == "" && prefix == "" {
				want = "/"
			}
			w := knock{method: "GET", path: wellKnown + prefix + path, header: map[string]string{"Host": "x"}}.send(t, asHost(handler, "mcp.example.com"))
			if want == "" {
				if w.Code != http.StatusNotFound {
					t.Errorf("%s: the metadata of %s is %d %s, want 404", base, path, w.Code, w.Body)
				}
				continue
			}
			resource := `{"resource":"https://mcp.example.com` + prefix + want + `","authorization_servers":["https://login.example.com"],"scopes_supported":["mcp:use"],"bearer_methods_supported":["header"]`
			if w.Code != http.StatusOK || !strings.HasPrefix(w.Body.String(), resource) || w.Header().Get("Content-Type") != "application/json" {
				t.Errorf("%s: the metadata of %s is %d %s, want %s", base, path, w.Code, w.Body, resource)
			}
		}
	}
}

// asHost serves all requests as if they were for a host.
func asHost(handler http.Handler, host string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = host
		handler.ServeHTTP(w, r)
	})
}

// A path with parameters covers others, which may have no guard.
func TestARouteWithoutAGuardHasNoMetadata(t *testing.T) {
	t.Parallel()
	handler := guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) {
		router.Web("/{team}", &vault{}).Guard(auth.Bearer(tokens()))
		router.Web("/open", &gateServer{})
		group := router.Group("/teams/{team}")
		group.Web("/{server}", &vault{}).Guard(auth.Bearer(tokens())).LegacySSE()
		group.Web("/open", &gateServer{}).LegacySSE()
	})
	for path, want := range map[string]int{
		"/red": 200, "/open": 404, "/teams/red/files": 200, "/teams/red/open": 404,
		"/teams/red/files/sse": 200, "/teams/red/open/sse": 404, "/teams/red/files/messages": 404,
	} {
		if w := (knock{method: "GET", path: wellKnown + path}).send(t, handler); w.Code != want {
			t.Errorf("the metadata of %s is %d %s, want %d", path, w.Code, w.Body, want)
		}
	}
}

// Clients normalize the URL that a user types, and compare the result with the resource.
func TestTheURLOfAResourceIsTheOneThatClientsDerive(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ base, path, want string }{
		{"https://MCP.Example.com", "/mcp", "https://mcp.example.com/mcp"},
		{"HTTPS://mcp.example.com:443/", "/mcp", "https://mcp.example.com/mcp"},
		{"https://mcp.example.com//", "/mcp", "https://mcp.example.com/mcp"},
		{"https://mcp.example.com:8443", "/mcp", "https://mcp.example.com:8443/mcp"},
		{"http://127.0.0.1:80", "/mcp", "http://127.0.0.1/mcp"},
		{"http://[::1]:80", "/mcp", "http://[::1]/mcp"},
		{"https://mcp.example.com", "/café", "https://mcp.example.com/caf%C3%A9"},
		{"https://mcp.example.com", `/"quoted"`, "https://mcp.example.com/%22quoted%22"},
		{"https://mcp.example.com/a%20b", "/mcp", "https://mcp.example.com/a%20b/mcp"},
		{"https://mcp.example.com/é", "/mcp", "https://mcp.example.com/%C3%A9/mcp"},
		{"https://mcp.example.com/{x}/*", "/mcp", "https://mcp.example.com/%7Bx%7D/%2A/mcp"},
	} {
		handler := guardedRoutes(t, mcp.Config{URL: test.base}, func(router *mcp.Router) {
			router.Web(test.path, &vault{}).Guard(auth.Bearer(tokens())).LegacySSE()
		})
		u, err := url.Parse(test.want)
		if err != nil {
			t.Fatal(err)
		}
		handler = asHost(handler, u.Host)
		for _, below := range []string{"", "/sse"} {
			got := knock{path: escapedPath(test.path) + below}.send(t, handler).Header().Get("WWW-Authenticate")
			document := u.Scheme + "://" + u.Host + wellKnown + u.EscapedPath() + below
			if !strings.HasSuffix(got, `resource_metadata="`+document+`"`) {
				t.Errorf("%s%s: the challenge is %s, want %s", test.base, test.path, got, document)
			}
			w := knock{method: "GET", path: wellKnown + u.EscapedPath() + below}.send(t, handler)
			if !strings.HasPrefix(w.Body.String(), `{"resource":"`+test.want+below+`",`) {
				t.Errorf("%s%s: the metadata is %d %s, want %s", test.base, test.path, w.Code, w.Body, test.want+below)
			}
		}
		root := knock{method: "GET", path: wellKnown}.send(t, handler)
		if !strings.HasPrefix(root.Body.String(), `{"resource":"`+test.want+`",`) {
			t.Errorf("%s%s: the metadata at the root is %d %s, want %s", test.base, test.path, root.Code, root.Body, test.want)
		}
	}
}

func escapedPath(path string) string { return (&url.URL{Path: path}).EscapedPath() }

func TestMetadataHasTheTitleAndTheWebsiteOfTheServer(t *testing.T) {
	t.Parallel()
	handler := guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) {
		router.Web("/mcp", newWireServer()).Guard(auth.Bearer(tokens(), "mcp:use"))
	})
	got := knock{method: "GET", path: wellKnown + "/mcp"}.send(t, handler).Body.String()
	const want = `{"resource":"http://127.0.0.1:8080/mcp","scopes_supported":["mcp:use"],"bearer_methods_supported":["header"],"resource_name":"Fixture","resource_documentation":"https://example.com"}`
	if got != want {
		t.Errorf("the metadata is\n%s, want\n%s", got, want)
	}
}

func TestAChallengeNamesTheMetadataOfThePathThatIsAsked(t *testing.T) {
	t.Parallel()
	handler := asHost(metadataHandler(t, mcp.Config{URL: "https://mcp.example.com"}), "mcp.example.com")
	for path, want := range map[string]string{
		"/mcp/private": "/mcp/private", "/mcp/private/sse": "/mcp/private/sse", "/mcp/private/messages?sessionId=1": "/mcp/private/sse",
		"/teams/r%20d/mcp": "/teams/r%20d/mcp", "/teams/red/mcp/sse": "/teams/red/mcp/sse", "/teams/red/mcp/messages": "/teams/red/mcp/sse",
		"/teams/red/mcp/files/a/b": "/teams/red/mcp/files/a/b", "/": "",
	} {
		got := knock{path: path}.send(t, handler).Header().Get("WWW-Authenticate")
		if !strings.HasSuffix(got, `resource_metadata="https://mcp.example.com`+wellKnown+want+`"`) {
			t.Errorf("the challenge of %s is %s, want the metadata of %s", path, got, want)
		}
	}
}

// The proxy removes /api from the paths of routes, and passes those of the metadata on.
func TestAClientBehindAProxyFindsTheMetadata(t *testing.T) {
	t.Parallel()
	handler := asHost(metadataHandler(t, mcp.Config{URL: "https://mcp.example.com/api"}), "mcp.example.com")
	for path, want := range map[string]string{
		"/mcp/private": "/mcp/private", "/mcp/private/sse": "/mcp/private/sse", "/mcp/private/messages?sessionId=1": "/mcp/private/sse",
		"/teams/r%20d/mcp": "/teams/r%20d/mcp", "/teams/red/mcp/files/a/b": "/teams/red/mcp/files/a/b",
	} {
		challenge := knock{path: path}.send(t, handler).Header().Get("WWW-Authenticate")
		document := "https://mcp.example.com" + wellKnown + "/api" + want
		if !strings.HasSuffix(challenge, `resource_metadata="`+document+`"`) {
			t.Errorf("the challenge of %s is %s, want %s", path, challenge, document)
		}
		metadata := knock{method: "GET", path: strings.TrimPrefix(document, "https://mcp.example.com")}.send(t, handler).Body.String()
		if !strings.HasPrefix(metadata, `{"resource":"https://mcp.example.com/api`+want+`",`) {
			t.Errorf("the metadata of %s is %s", path, metadata)
		}
	}
}

func TestTheURLsOfMetadataDontDependOnTheRequest(t *testing.T) {
	t.Parallel()
	handler := metadataHandler(t, mcp.Config{URL: "https://mcp.example.com"})
	hostile := map[string]string{
		"X-Forwarded-Host": "evil.example.com", "X-Forwarded-Proto": "http", "X-Forwarded-Prefix": "/evil", "X-Original-Url": "/evil",
		"Forwarded": "host=evil.example.com;proto=http", "X-Host": "evil.example.com", "X-Rewrite-Url": "/evil",
	}
	for _, path := range []string{wellKnown + "/mcp/private", wellKnown + "/teams/red/mcp", "/mcp/private", "/teams/red/mcp"} {
		w := knock{method: "GET", path: path, header: hostile}.send(t, asHost(handler, "127.0.0.1:9"))
		if got := w.Body.String() + w.Header().Get("WWW-Authenticate"); strings.Contains(got, "evil") || strings.Contains(got, "127.0.0.1") || !strings.Contains(got, "https://mcp.example.com/") {
			t.Errorf("%s: %s", path, got)
		}
		w = knock{method: "GET", path: path}.send(t, asHost(handler, "evil.example.com"))
		if w.Code != http.StatusForbidden || strings.Contains(w.Header().Get("WWW-Authenticate"), "evil") {
			t.Errorf("%s for a foreign host gets %d %s", path, w.Code, w.Body)
		}
	}
}

func TestMetadataIsOpenToEveryOrigin(t *testing.T) {
	t.Parallel()
	handler := metadataHandler(t, mcp.Config{URL: "http://127.0.0.1:8080"})
	path := wellKnown + "/mcp/private"
	origin := map[string]string{"Origin": "https://inspector.example.com"}
	for _, method := range []string{"GET", "HEAD"} {
		w := knock{method: method, path: path, header: origin}.send(t, handler)
		if w.Code != http.StatusOK || w.Header().Get("Access-Control-Allow-Origin") != "*" || w.Header().Get("Access-Control-Allow-Credentials") != "" || w.Header().Get("Cache-Control") != "public, max-age=300" {
			t.Errorf("%s gets %d %q", method, w.Code, w.Header())
		}
	}
	origin["Access-Control-Request-Method"], origin["Access-Control-Request-Headers"] = "GET", "mcp-protocol-version"
	w := knock{method: "OPTIONS", path: path, header: origin}.send(t, handler)
	if w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Origin") != "*" || w.Header().Get("Access-Control-Allow-Headers") != "mcp-protocol-version" {
		t.Errorf("a preflight gets %d %q", w.Code, w.Header())
	}
	for _, method := range []string{"POST", "PUT", "DELETE"} {
		if w := (knock{method: method, path: path}).send(t, handler); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s gets %d %q", method, w.Code, w.Header())
		}
	}
}

func TestTheRootMetadataIsThatOfTheOnlyGuardedRoute(t *testing.T) {
	t.Parallel()
	guard := auth.Bearer(tokens())
	for what, test := range map[string]struct {
		routes func(*mcp.Router)
		want   string
	}{
		"one route":                {func(r *mcp.Router) { r.Web("a", &vault{}).Guard(guard).LegacySSE() }, "http://127.0.0.1:8080/mcp/a"},
		"one route beside open":    {func(r *mcp.Router) { r.Web("a", &vault{}).Guard(guard); r.Web("b", &gateServer{}) }, "http://127.0.0.1:8080/mcp/a"},
		"the route of the root":    {func(r *mcp.Router) { r.Web("/", &vault{}).Guard(guard) }, "http://127.0.0.1:8080/"},
		"two routes":               {func(r *mcp.Router) { r.Web("a", &vault{}).Guard(guard); r.Web("b", &vault{}).Guard(guard) }, ""},
		"a route with a parameter": {func(r *mcp.Router) { r.Web("/{team}", &vault{}).Guard(guard) }, ""},
		"no guarded route":         {func(r *mcp.Router) { r.Web("a", &gateServer{}) }, ""},
		"root and another":         {func(r *mcp.Router) { r.Web("/", &vault{}).Guard(guard); r.Web("b", &vault{}).Guard(guard) }, "http://127.0.0.1:8080/"},
	} {
		for _, slash := range []string{"", "/"} {
			w := knock{method: "GET", path: wellKnown + slash}.send(t, guardedRoutes(t, mcp.Config{}, test.routes))
			if test.want == "" && w.Code != http.StatusNotFound || test.want != "" && !strings.Contains(w.Body.String(), `{"resource":"`+test.want+`",`) {
				t.Errorf("%s: the root%s has %d %s, want %s", what, slash, w.Code, w.Body, test.want)
			}
		}
	}
}

// A client compares the resource with the URL that it uses.
func TestTheURLOfAResourceHasThePortOnWhichTheProgramListens(t *testing.T) {
	t.Parallel()
	var log logbook
	app := mcp.New(mcp.Config{Addr: "127.0.0.1:0", Logger: log.logger()})
	app.Router.Web("/mcp", &vault{}).Guard(auth.Bearer(tokens()))
	served(t, app, func(p *probe) {
		got := p.ask("tools/list", nil).header.Get("WWW-Authenticate")
		_, line, _ := strings.Cut(log.String(), "serving url=http://")
		address, _, _ := strings.Cut(line, "/mcp\n")
		if want := `resource_metadata="http://` + address + wellKnown + `/mcp"`; address == "" || !strings.Contains(got, want) {
			t.Errorf("the challenge is %s, want %s", got, want)
		}
	})
}

// Clients drop metadata whose resource isn't the URL that they use, so this mistake would
// otherwise be silent.
func TestTheLogSaysOnceThatAClientUsesAnotherHostThanTheURL(t *testing.T) {
	t.Parallel()
	var log logBuffer
	handler := guardedRoutes(t, mcp.Config{URL: "http://127.0.0.1:8080", Logger: slog.New(slog.NewTextHandler(&log, nil))}, func(router *mcp.Router) {
		router.Web("/mcp", &vault{}).Guard(auth.Bearer(tokens()))
	})
	const line = `a client uses a host that differs from Config.URL (APP_URL)`
	knock{}.send(t, handler)
	if n := log.count(line); n != 0 {
		t.Errorf("the log has %d such lines for the right host", n)
	}
	standard := guardedRoutes(t, mcp.Config{URL: "http://Localhost", Logger: slog.New(slog.NewTextHandler(&log, nil))}, func(router *mcp.Router) {
		router.Web("/mcp", &vault{}).Guard(auth.Bearer(tokens()))
	})
	for _, host := range []string{"localhost", "LOCALHOST", "localhost:80"} {
		knock{}.send(t, asHost(standard, host))
		if log.count(line) != 0 {
			t.Errorf("the log has such a line for %s, another spelling of the right host", host)
		}
	}
	for range 3 {
		knock{}.send(t, asHost(handler, "localhost:8080"))
	}
	if n := log.count(line); n != 1 || !strings.Contains(log.String(), `localhost:8080`) || !strings.Contains(log.String(), "url=http://127.0.0.1:8080/mcp") {
		t.Errorf("the log has %d such lines, want 1:\n%s", n, log.String())
	}
}
