package mcp_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// marking is middleware that records in a header that it ran.
func marking(mark string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Add("X-Mark", mark)
			next.ServeHTTP(w, r)
		})
	}
}

// nowhere is middleware that forgets to return a handler.
func nowhere(http.Handler) http.Handler { return nil }

// routed builds the handler of routes.
func routed(t *testing.T, routes func(*mcp.Router)) http.Handler {
	t.Helper()
	app := mcp.New(mcp.Config{})
	routes(app.Router)
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return handler
}

func TestWebMapsServersToPaths(t *testing.T) {
	t.Parallel()
	handler := routed(t, func(r *mcp.Router) {
		r.Web("demo", boxOf(saying("demo", "")))
		r.Web("a/b", boxOf(saying("deep", "")))
		r.Web("/literal", boxOf(saying("literal", "")))
		r.Web("/", boxOf(saying("root", "")))
		v1 := r.Group("/v1")
		v1.Web("demo", boxOf(saying("v1", "")))
		v1.Web("/literal", boxOf(saying("v1-literal", "")))
		v1.Group("/inner").Web("/x", boxOf(saying("inner", "")))
		r.Group("").Web("/plain", boxOf(saying("plain", "")))
	})
	for path, want := range map[string]string{
		"/mcp/demo": "demo", "/mcp/a/b": "deep", "/literal": "literal", "/": "root", "/v1/mcp/demo": "v1", "/v1/literal": "v1-literal",
		"/v1/inner/x": "inner", "/plain": "plain",
	} {
		if names := probeHandler(t, handler, path).ask("tools/list", nil).names(); names != want {
			t.Errorf("%s has %s, want %s", path, names, want)
		}
	}
	for _, path := range []string{"/demo", "/mcp", "/mcp/literal", "/v1", "/mcp/demo/more"} {
		if r := probeHandler(t, handler, path).ask("tools/list", nil); r.status != 404 || !strings.Contains(r.body, "There is no MCP server at the path") {
			t.Errorf("%s gets %d %s", path, r.status, r.body)
		}
	}
}

func TestMiddlewareRunsFromTheOutsideIn(t *testing.T) {
	t.Parallel()
	handler := routed(t, func(r *mcp.Router) {
		// The order doesn't matter: middleware that is added after a route applies to it
		// too.
		r.Web("/a", boxOf()).Use(marking("route"), marking("route2"))
		group := r.Group("/g")
		group.Web("/b", boxOf()).Use(marking("b"))
		group.Use(marking("group"))
		nameless := r.Group("")
		nameless.Use(marking("nameless"))
		nameless.Web("/c", boxOf())
		nameless.Group("/h").Web("/d", boxOf())
		r.Use(marking("root"), marking("root2"))
		r.Web("/e", boxOf())
	})
	for path, want := range map[string]string{
		"/a": "root root2 route route2", "/g/b": "root root2 group b", "/c": "root root2 nameless", "/h/d": "root root2 nameless", "/e": "root root2",
	} {
		r := probeHandler(t, handler, path).ask("server/discover", nil)
		if got := strings.Join(r.header["X-Mark"], " "); r.status != 200 || got != want {
			t.Errorf("%s gets %d and the marks %q, want %q", path, r.status, got, want)
		}
	}
}

func TestALateRouteIsLogged(t *testing.T) {
	t.Parallel()
	var log logbook
	app := mcp.New(mcp.Config{Logger: log.logger()})
	v1 := app.Router.Group("/v1")
	v1.Web("/first", boxOf())
	app.Router.Use(marking("soon"))
	must(t, app.Validate())
	v1.Web("/second", boxOf(saying("second", "")))
	handler, err := app.Handler()
	must(t, err)
	if names := probeHandler(t, handler, "/v1/second").ask("tools/list", nil).names(); names != "second" || strings.Contains(log.String(), "too late") {
		t.Errorf("a route after Validate has %q; the log is\n%s", names, log.String())
	}
	v1.Web("/third", boxOf(saying("third", "")))
	v1.Use(marking("late"))
	const late = "a web route, guard, middleware or component was added after the handler was built, so it has no effect; add it before App.Handler or serve"
	for _, want := range []string{late + `" path=/third`, late + `" of="the group \"/v1\""`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, log.String())
		}
	}
	if r := probeHandler(t, handler, "/v1/third").ask("tools/list", nil); r.status != http.StatusNotFound {
		t.Errorf("the handler that was made before answers %d", r.status)
	}
	again, err := app.Handler()
	must(t, err)
	if names := probeHandler(t, again, "/v1/third").ask("tools/list", nil).names(); names != "third" {
		t.Errorf("the handler that was made after has %q", names)
	}
}

func TestMiddlewareMayRefuse(t *testing.T) {
	t.Parallel()
	handler := routed(t, func(r *mcp.Router) {
		r.Web("/mcp", boxOf()).Use(func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "No.", http.StatusTeapot) })
		})
	})
	if r := probeHandler(t, handler, "/mcp").ask("server/discover", nil); r.status != http.StatusTeapot {
		t.Errorf("got %d %s", r.status, r.body)
	}
}

func TestPathParametersReachHandlersAndHooks(t *testing.T) {
	t.Parallel()
	var seen []string
	box := boxOf(doing("where", func(_ context.Context, request *tools.Request) (tools.Result, error) {
		seen = append(seen, request.PathValue("team")+"/"+request.PathValue("room")+"/"+request.PathValue("none"))
		return tools.Text("ok"), nil
	}))
	handler := routed(t, func(r *mcp.Router) {
		r.Web("/teams/{team}/mcp", box)
		r.Group("/t/{team}").Web("/rooms/{room}", box)
	})
	for _, path := range []string{"/teams/blue/mcp", "/t/red/rooms/7"} {
		p := probeHandler(t, handler, path)
		legacy, _ := p.as("2025-06-18")
		p.call("where", nil)
		legacy.call("where", nil)
	}
	if got := strings.Join(seen, " "); got != "blue// blue// red/7/ red/7/" {
		t.Errorf("the handler saw %s", got)
	}
}

// The handler and the route's middleware get the decoded parameter. A path with a slash
// in a parameter is not found.
func TestPathParametersAreDecodedAndHaveNoSlash(t *testing.T) {
	t.Parallel()
	var seen []string
	noting := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			seen = append(seen, r.PathValue("team"), chi.URLParam(r, "team"))
			next.ServeHTTP(w, r)
		})
	}
	box := boxOf(doing("where", func(_ context.Context, request *tools.Request) (tools.Result, error) {
		seen = append(seen, request.PathValue("team"))
		return tools.Text("ok"), nil
	}))
	handler := routed(t, func(r *mcp.Router) {
		r.Web("/teams/{team}/mcp", box).Use(noting)
		group := r.Group("/t/{team}")
		group.Use(noting)
		group.Web("/mcp", box)
		r.Web("/plain", box)
	})
	for path, want := range map[string]string{
		"/teams/red%21/mcp": "red! red! red!", "/t/caf%c3%a9/mcp": "café café café", "/t/%72ed/mcp": "red red red", "/teams/100%2525/mcp": "100%25 100%25 100%25",
	} {
		seen = nil
		if r := probeHandler(t, handler, path).call("where", nil); r.status != 200 || strings.Join(seen, " ") != want {
			t.Errorf("%s gets %d, and the handler saw %q, want %q", path, r.status, seen, want)
		}
	}
	for _, path := range []string{
		"/teams/red%2f7/mcp", "/t/red%2F7/mcp", "/t/red%2fmcp", "/%2fplain", "/teams/../mcp", "/teams/%2e%2e/mcp", "/t/.%2E/mcp", "/teams/./mcp", "/teams/%2e/mcp",
		"/teams/a%5cb/mcp", "/teams/%00/mcp", "/teams/a%0ab/mcp", "/teams/a%0d/mcp", "/teams/%e2%80%a8/mcp", "/teams/%c2%85/mcp", "/teams/%7f/mcp", "/teams/%ff/mcp", "/t/%c0%ae%c0%ae/mcp",
	} {
		seen = nil
		if r := probeHandler(t, handler, path).call("where", nil); r.status != 404 || !strings.Contains(r.body, "There is no MCP server at the path") || seen != nil {
			t.Errorf("%s gets %d %s, and something saw %q", path, r.status, r.body, seen)
		}
	}
}

// A parameter may be a part of a segment, or several segments.
func TestPathParametersThatAreNotPlainAreNotFound(t *testing.T) {
	t.Parallel()
	var seen []string
	noting := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			seen = append(seen, "middleware")
			next.ServeHTTP(w, r)
		})
	}
	box := boxOf(doing("where", func(_ context.Context, request *tools.Request) (tools.Result, error) {
		seen = append(seen, request.PathValue("name")+request.PathValue("*"))
		return tools.Text("ok"), nil
	}))
	handler := routed(t, func(r *mcp.Router) {
		r.Web("/w/{name}-mcp", box).Use(noting)
		r.Web("/v{name}/mcp", box).Use(noting)
		r.Web("/teams/{name}/mcp", box).LegacySSE().Use(noting)
		r.Web("/tree/*", box).Use(noting)
		r.Web("/files/x*", box).Use(noting)
		group := r.Group("/g/v{name}")
		group.Use(noting)
		group.Group("").Web("/mcp", box)
		group.Group("/more").Web("/mcp", box)
	})
	for _, path := range []string{
		"/w/..-mcp", "/w/.-mcp", "/w/-mcp", "/v../mcp", "/v./mcp", "/v%2e%2e/mcp", "/v/mcp", "/teams//mcp", "/teams//mcp/messages", "/tree//etc/passwd", "/tree//",
		"/files/x../a", "/files/x/etc", "/g/v../mcp", "/g/v/mcp", "/g/v../more/mcp",
	} {
		seen = nil
		if r := probeHandler(t, handler, path).call("where", nil); r.status != 404 || !strings.Contains(r.body, "There is no MCP server at the path") || seen != nil {
			t.Errorf("%s gets %d %s, and something saw %q", path, r.status, r.body, seen)
		}
	}
	for path, want := range map[string]string{
		"/w/a..-mcp": "a..", "/v.a/mcp": ".a", "/tree/a/b": "a/b", "/tree/": "", "/files/xa/b": "a/b", "/g/v1/mcp": "1", "/g/v1/more/mcp": "1",
	} {
		seen = nil
		if r := probeHandler(t, handler, path).call("where", nil); r.status != 200 || strings.Join(seen, " ") != "middleware "+want {
			t.Errorf("%s gets %d, and the handler saw %q, want %q", path, r.status, seen, want)
		}
	}
}

func TestMistakesInRoutesAreFound(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		routes func(r *mcp.Router, box servers.Interface)
		want   string
	}{
		{"a path twice", func(r *mcp.Router, box servers.Interface) { r.Web("demo", box); r.Web("/mcp/demo", box) }, "the path /mcp/demo is mapped twice"},
		{"a path twice, with an escape", func(r *mcp.Router, box servers.Interface) { r.Web("/\x1b", box); r.Web("/\x1b", box) }, `the path "/\x1b" is mapped twice`},
		{"a path twice, by a group", func(r *mcp.Router, box servers.Interface) { r.Web("/a/b", box); r.Group("/a").Web("/b", box) }, "the path /a/b is mapped twice"},
		{"a path that is broken", func(r *mcp.Router, box servers.Interface) { r.Web("/teams/{team", box) }, "the route /teams/{team can't be mapped: "},
		{"a wildcard before the end", func(r *mcp.Router, box servers.Interface) { r.Web("/a/*/b", box) }, "the route /a/*/b can't be mapped: "},
		{"a parameter twice", func(r *mcp.Router, box servers.Interface) { r.Web("/{a}/{a}", box) }, "the route /{a}/{a} can't be mapped: "},
		{"an expression that is broken", func(r *mcp.Router, box servers.Interface) { r.Web("/{a:[}", box) }, "the route /{a:[} can't be mapped: "},
		{"a prefix without a slash", func(r *mcp.Router, box servers.Interface) { r.Group("api").Web("/a", box) }, `the prefix "api" of a group must begin with a slash and must not end with one`},
		{"a handle twice", func(r *mcp.Router, box servers.Interface) { r.Local("demo", box); r.Local("demo", boxOf()) }, `the handle "demo" is mapped twice`},
		{"a handle without a name", func(r *mcp.Router, box servers.Interface) { r.Local("", box) }, `a handle must be a name such as "demo", not ""`},
		{"a handle that is a flag", func(r *mcp.Router, box servers.Interface) { r.Local("-x", box) }, `a handle must be a name such as "demo", not "-x"`},
		{"no server", func(r *mcp.Router, box servers.Interface) { r.Web("demo", nil) }, "the route /mcp/demo: there is no server; give a pointer to one"},
		{"no server of a handle", func(r *mcp.Router, box servers.Interface) { r.Group("/a").Local("demo", nil) }, `the handle "demo": there is no server; give a pointer to one`},
		{"a path of health", func(r *mcp.Router, box servers.Interface) { r.Group("").Web("/healthz", box) }, "the path /healthz is the health check of the program; choose another"},
		{"a path of readiness", func(r *mcp.Router, box servers.Interface) { r.Web("/readyz", box) }, "the path /readyz is the health check"},
		{"no path", func(r *mcp.Router, box servers.Interface) { r.Web("", box) }, `the path "" must be only a path, such as "demo" or "/mcp"`},
		{"a path with a query", func(r *mcp.Router, box servers.Interface) { r.Web("/a?b", box) }, `the path "/a?b" must be only a path`},
		{"a path with a fragment", func(r *mcp.Router, box servers.Interface) { r.Web("/a#b", box) }, `the path "/a#b" must be only a path`},
		{"a path with an escape", func(r *mcp.Router, box servers.Interface) { r.Web("/a%20b", box) }, `the path "/a%20b" must be only a path`},
		{"a URL", func(r *mcp.Router, box servers.Interface) { r.Web("http://x/a", box) }, `the path "/mcp/http://x/a" must be only a path`},
		{"a method", func(r *mcp.Router, box servers.Interface) { r.Web("POST /a", box) }, `the path "/mcp/POST /a" must be only a path, such as "demo" or "/mcp", without a method`},
		{"white space", func(r *mcp.Router, box servers.Interface) { r.Web("/a b", box) }, `the path "/a b" must be only a path`},
		{"white space in a prefix", func(r *mcp.Router, box servers.Interface) { r.Group("/a b").Web("/c", box) }, `the path "/a b" must be only a path`},
		{"a prefix that ends with a slash", func(r *mcp.Router, box servers.Interface) { r.Group("/a/").Web("/b", box) }, `the prefix "/a/" of a group must begin with a slash and must not end with one`},
		{"a path twice, by another parameter", func(r *mcp.Router, box servers.Interface) { r.Web("/t/{a}", box); r.Web("/t/{b}", box) }, "the path /t/{b} is mapped twice: /t/{a} is the same"},
		{"no middleware", func(r *mcp.Router, box servers.Interface) { r.Web("/a", box).Use(marking(""), nil) }, "the route /a: middleware 2 is nil; give Use a function"},
		{"no middleware of the router", func(r *mcp.Router, box servers.Interface) { r.Web("/a", box); r.Use(nil) }, "the router: middleware 1 is nil; give Use a function"},
		{"no middleware of a group", func(r *mcp.Router, box servers.Interface) { r.Group("").Use(nil) }, `the group "": middleware 1 is nil; give Use a function`},
		{"middleware without a handler", func(r *mcp.Router, box servers.Interface) { r.Web("/a", box).Use(nowhere) }, "the route /a: middleware 1 returns no handler; return one that calls next"},
		{"middleware of the router without a handler", func(r *mcp.Router, box servers.Interface) { r.Web("/a", box); r.Use(nowhere) }, "the router: middleware 1 returns no handler"},
		{"middleware of a group without a handler", func(r *mcp.Router, box servers.Interface) {
			group := r.Group("/g")
			group.Web("/a", box)
			group.Use(nowhere)
		}, `the group "/g": middleware 1 returns no handler`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			guarded := mcp.New(mcp.Config{})
			guarded.Router.Guard(auth.Bearer(tokens()))
			test.routes(guarded.Router, boxOf())
			wants(t, "Validate of guarded routes", guarded.Validate(), test.want)
			app := mcp.New(mcp.Config{})
			test.routes(app.Router, boxOf())
			wants(t, "Validate", app.Validate(), test.want)
			if handler, err := app.Handler(); err == nil || handler != nil {
				t.Errorf("Handler returns %v, %v", handler, err)
			}
		})
	}
}

// runs runs a command line of an app with two handles and two routes.
func runs(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	app := mcp.New(mcp.Config{Logger: (&logbook{}).logger()})
	demo := boxOf(saying("first", ""), saying("second", ""))
	app.Router.Web("demo", demo)
	app.Router.Group("/v1").Web("/teams/{team}", &HTTPGatewayServer{})
	app.Router.Local("demo", demo)
	app.Router.Local("another", &HTTPGatewayServer{})
	var out, errs strings.Builder
	code = app.Run(t.Context(), args, strings.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}

func TestAnAppIsItsOwnCommandLine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args   string
		code   int
		stderr string
	}{
		{"", 2, "This program serves MCP"},
		{"dance", 2, "mcp: unknown command \"dance\"; --help lists the commands\n"},
		{"lst", 2, "mcp: unknown command \"lst\"; did you mean \"list\"?\n"},
		{"serve --addr=:80", 2, "mcp: serve: unexpected argument \"--addr=:80\"\n"},
		{"list all", 2, "mcp: list: unexpected argument \"all\"\n"},
		{"start demo twice", 2, "mcp: start: unexpected argument \"twice\"\n"},
		{"-x", 2, "mcp: flag provided but not defined: -x; --help lists the commands\n"},
		{"-help", 0, "This program serves MCP"},
		{"start", 1, "mcp: there is no handle \"\"; there are: \"another\", \"demo\"\n"},
		{"start dmo", 1, "mcp: there is no handle \"dmo\"; there are: \"another\", \"demo\"\n"},
		{"start demo", 0, ""},
	} {
		code, stdout, stderr := runs(t, "", strings.Fields(test.args)...)
		if code != test.code || stdout != "" || !strings.HasPrefix(stderr, test.stderr) || len(stderr) > len(test.stderr) && !strings.HasPrefix(stderr, "This program") {
			t.Errorf("%q: got %d, %q on stdout and %q on stderr; want %d and %q", test.args, code, stdout, stderr, test.code, test.stderr)
		}
	}
}

func TestListShowsRoutesAndTools(t *testing.T) {
	t.Parallel()
	const want = `ROUTE                  SERVER              GUARD
POST /mcp/demo         toolbox             open
POST /v1/teams/{team}  HTTPGatewayServer   open
stdio demo             toolbox             -
stdio another          HTTPGatewayServer   -

SERVER              KIND   NAME
toolbox             tool   first
                    tool   second
HTTPGatewayServer   -      -
`
	code, stdout, stderr := runs(t, "", "list")
	if squeezed := strings.ReplaceAll(stdout, "   ", "  "); code != 0 || stderr != "" || strings.Join(strings.Fields(squeezed), " ") != strings.Join(strings.Fields(want), " ") ||
		strings.Count(stdout, "\n") != strings.Count(want, "\n") {
		t.Errorf("got %d, %q and\n%s\nwant\n%s", code, stderr, stdout, want)
	}
}

func TestListEscapesControlCharacters(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{})
	app.Router.Local("x\x1b[31mred", boxOf())
	var stdout, stderr strings.Builder
	code := app.Run(t.Context(), []string{"list", "app/\x1b[31m/a.go:tool:tools.A", "app/\x1b[31m/a.go:server:servers.A"}, strings.NewReader(""), &stdout, &stderr)
	if code != 0 || !strings.Contains(stdout.String(), `stdio "x\x1b[31mred"`) || strings.Count(stderr.String(), `mcp: "app/\x1b[31m/a.go": `) != 2 {
		t.Errorf("got %d, %q and %q", code, stdout.String(), stderr.String())
	}
}

func TestAnAppWithoutHandlesSaysHowToMapOne(t *testing.T) {
	t.Parallel()
	var stderr strings.Builder
	code := mcp.New(mcp.Config{}).Run(t.Context(), []string{"start", "demo"}, strings.NewReader(""), io.Discard, &stderr)
	if want := "mcp: there is no handle \"demo\": no server is mapped to one; map one with Router.Local, such as Local(\"demo\", …)\n"; code != 1 || stderr.String() != want {
		t.Errorf("got %d and %q, want %q", code, stderr.String(), want)
	}
}

func TestServeWithoutAWebRouteSaysHowToMapOne(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{Addr: "127.0.0.1:0"})
	app.Router.Local("demo", boxOf())
	app.Router.Group("/v1")
	var stderr strings.Builder
	code := app.Run(t.Context(), []string{"serve"}, strings.NewReader(""), io.Discard, &stderr)
	if want := "mcp: there is no web route: no server is mapped to a path; map one with Router.Web, such as Web(\"demo\", …)\n"; code != 1 || stderr.String() != want {
		t.Errorf("got %d and %q, want %q", code, stderr.String(), want)
	}
}

func TestServeWithoutAKeyIsAWarning(t *testing.T) {
	t.Parallel()
	var log logbook
	app := mcp.New(mcp.Config{Addr: "127.0.0.1:0", Logger: log.logger()})
	app.Router.Web("demo", boxOf())
	served(t, app, func(*probe) {})
	const want = "Config.Key (APP_KEY) is not set: after a restart, and in other processes of the program, cursors, calls that wait for an answer and sessions of older clients are invalid"
	if !strings.Contains(log.String(), want) {
		t.Errorf("the log lacks %q:\n%s", want, log.String())
	}
}

func TestAnAddressThatCannotBeServedIsNamedWithItsSetting(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer func() { _ = taken.Close() }()
	for addr, want := range map[string]string{
		taken.Addr().String(): "; is another program using the address? Set Config.Addr (APP_ADDR) to serve at another\n",
		"192.0.2.1:8080":      "; set Config.Addr (APP_ADDR) to serve at another address\n", // of no machine (RFC 5737)
	} {
		app := mcp.New(mcp.Config{Addr: addr, URL: "https://mcp.example.com"})
		app.Router.Web("demo", boxOf())
		var stderr strings.Builder
		code := app.Run(t.Context(), []string{"serve"}, strings.NewReader(""), io.Discard, &stderr)
		if got := stderr.String(); code != 1 || !strings.HasPrefix(got, "mcp: listen tcp "+addr+": ") || !strings.HasSuffix(got, want) || strings.Count(got, "\n") != 1 {
			t.Errorf("%s: got %d and %q, want %q", addr, code, got, want)
		}
	}
}

func TestCommandsReportEachProblemOnALine(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"serve", "list", "start demo"} {
		app := mcp.New(mcp.Config{Key: []string{"short"}})
		broken := boxOf(nil, &hookTool{})
		app.Router.Web("demo", broken)
		app.Router.Local("demo", broken)
		var stderr strings.Builder
		code := app.Run(t.Context(), strings.Fields(command), strings.NewReader(""), io.Discard, &stderr)
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		if code != 1 || len(lines) < 3 {
			t.Errorf("%s: got %d and\n%s", command, code, stderr.String())
		}
		for _, line := range lines {
			if !strings.HasPrefix(line, "mcp: ") {
				t.Errorf("%s: a line is %q", command, line)
			}
		}
	}
}

func TestTheHandlerServesHealthEndpoints(t *testing.T) {
	t.Parallel()
	p := probeServer(t, mcp.Config{}, boxOf())
	for path, want := range map[string]string{"/healthz": "ok\n", "/readyz": "ready\n"} {
		w := asks(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.URL.Path = path
			p.handler.ServeHTTP(w, r)
		}), http.MethodGet, "10.0.0.1", "", nil)
		if w.Code != 200 || w.Body.String() != want {
			t.Errorf("%s gets %d %q", path, w.Code, w.Body)
		}
	}
}

func TestHandlerServesInsideAnyProgram(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.Handle("/teams/{team}/mcp", mcp.Handler(boxOf(doing("where", func(_ context.Context, request *tools.Request) (tools.Result, error) {
		return tools.Text(request.PathValue("team")), nil
	}))))
	modern := probeHandler(t, mux, "/teams/blue/mcp")
	legacy, _ := modern.as("2025-03-26")
	for _, p := range []*probe{modern, legacy} {
		if text, isError := p.call("where", nil).text(); isError || text != "blue" {
			t.Errorf("%s: got %q", p.version, text)
		}
	}
}

// A path that needs no router is served without one, with the same answers.
func TestAPlainPathIsServedLikeAnyOther(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{Logger: slog.New(slog.DiscardHandler)})
	app.Router.Web("/plain", newWireServer())
	app.Router.Web("/{team}/mcp", newWireServer())
	app.Router.Group("/group").Web("/plain", newWireServer())
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		method, path string
		want         int
	}{
		{"POST", "/plain", 200}, {"POST", "/red/mcp", 200}, {"POST", "/group/plain", 200},
		{"GET", "/plain", 405}, {"BREW", "/plain", 405}, {"POST", "/plain/", 200}, {"POST", "/plain//", 404}, {"POST", "/pl%61in", 200}, {"POST", "/group/pl%61in", 200}, {"POST", "/none", 404},
		{"POST", "/{team}/mcp", 200},
	} {
		r := httptest.NewRequestWithContext(t.Context(), test.method, "http://127.0.0.1"+test.path, strings.NewReader(modernCall(`1`, "echo", `{"message":"a"}`)))
		r.Header = http.Header{"Content-Type": {"application/json"}, "Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"echo"}}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != test.want {
			t.Errorf("%s %s gets %d %s, want %d", test.method, test.path, w.Code, w.Body, test.want)
		}
	}
}

// Clients and people add a slash to URLs. A redirect would lose the body of a POST.
func TestASlashAtTheEndOfAPathChangesNothing(t *testing.T) {
	t.Parallel()
	where := doing("where", func(_ context.Context, request *tools.Request) (tools.Result, error) {
		return tools.Text(request.PathValue("team")), nil
	})
	handler := routed(t, func(r *mcp.Router) {
		r.Web("demo", boxOf(where)).LegacySSE()
		r.Web("/used", boxOf(where)).Use(marking("used"))
		r.Web("/teams/{team}", boxOf(where)).LegacySSE()
		r.Group("/v1").Web("/x", boxOf(where))
		r.Group("/t/{team}").Web("/x", boxOf(where)).Use(marking("group"))
	})
	for _, path := range []string{"/mcp/demo", "/used", "/teams/red", "/teams/r%20d", "/v1/x", "/t/blue/x", "/mcp/demo/messages", "/teams/red/sse"} {
		for _, method := range []string{"POST", "GET", "HEAD", "DELETE", "PUT", "OPTIONS", "BREW"} {
			var answers []string
			for _, slash := range []string{"", "/"} {
				w := knock{method: method, path: path + slash, body: modernCall(`1`, "where", `{}`), header: map[string]string{"Accept": "application/json"}}.send(t, handler)
				answers = append(answers, fmt.Sprint(w.Code, w.Header(), w.Body))
			}
			if answers[0] != answers[1] || strings.Contains(answers[0], "There is no MCP server") {
				t.Errorf("%s %s gets %s, and with a slash %s", method, path, answers[0], answers[1])
			}
		}
		if strings.HasSuffix(path, "/sse") || strings.HasSuffix(path, "/messages") {
			continue
		}
		begun := knock{path: path, body: initialize("2025-11-25")}.send(t, handler)
		session := map[string]string{"Mcp-Session-Id": begun.Header().Get("Mcp-Session-Id")}
		ping := knock{path: path + "/", header: session, body: `{"jsonrpc":"2.0","id":1,"method":"ping"}`}.send(t, handler)
		if end := (knock{method: "DELETE", path: path + "/", header: session}).send(t, handler); ping.Code != http.StatusOK || end.Code != http.StatusNoContent {
			t.Errorf("with a slash, the session of %s gets %d %s, and its end %d %s", path, ping.Code, ping.Body, end.Code, end.Body)
		}
	}
	for _, path := range []string{"/mcp/demo//", "/mcp/none/", "/teams//", "/teams/", "/mcp/demo%2f", "/v1/", "//mcp/demo/"} {
		if w := (knock{path: path, body: modernCall(`1`, "where", `{}`)}).send(t, handler); w.Code != http.StatusNotFound {
			t.Errorf("%s gets %d %s", path, w.Code, w.Body)
		}
	}
}

func TestARouteWithASlashAtItsEndIsOneOfItsOwn(t *testing.T) {
	t.Parallel()
	handler := routed(t, func(r *mcp.Router) {
		r.Web("/a", boxOf(saying("bare", "")))
		r.Web("/a/", boxOf(saying("slash", "")))
		r.Web("/b/", boxOf(saying("only-slash", "")))
		r.Web("/c", boxOf(saying("beside", "")))
		r.Web("/c/*", boxOf(saying("rest", "")))
		r.Web("/d/{x}/", boxOf(saying("parameter", "")))
	})
	for path, want := range map[string]string{"/a": "bare", "/a/": "slash", "/b/": "only-slash", "/c": "beside", "/c/": "rest", "/c/x/": "rest", "/d/1/": "parameter"} {
		if names := probeHandler(t, handler, path).ask("tools/list", nil).names(); names != want {
			t.Errorf("%s has %s, want %s", path, names, want)
		}
	}
	if r := probeHandler(t, handler, "/b").ask("tools/list", nil); r.status != http.StatusNotFound {
		t.Errorf("a path without the slash of its route gets %d", r.status)
	}
	// Middleware of the router runs before the routes are looked up.
	rewritten := routed(t, func(r *mcp.Router) {
		r.Use(func(next http.Handler) http.Handler { return http.StripPrefix("/old", next) })
		r.Web("/a/", boxOf(saying("slash", "")))
	})
	if names := probeHandler(t, rewritten, "/old/a/").ask("tools/list", nil).names(); names != "slash" {
		t.Errorf("a path that middleware rewrites has %s", names)
	}
}

// The mcp command finds the types in the source; the program knows which of them it
// serves.
func TestListWarnsAboutUnservedTypes(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{})
	app.Router.Web("demo", boxOf(saying("hello", ""), &emptyTool{}))
	var stdout, stderr strings.Builder
	code := app.Run(t.Context(), []string{
		"list", "app/a.go:tool:mcp_test.emptyTool", "app/b.go:tool:tools.LostTool", "app/c.go:server:mcp_test.toolbox", "app/d.go:server:servers.LostServer",
		"app/e.go:resource:resources.LostResource",
	}, strings.NewReader(""), &stdout, &stderr)
	want := "mcp: app/b.go: the tool tools.LostTool is in no server; add &tools.LostTool{} to the Tools of one\n" +
		"mcp: app/d.go: the server servers.LostServer has no route; map it with mcp.Web or mcp.Local\n" +
		"mcp: app/e.go: the resource resources.LostResource is in no server; add &resources.LostResource{} to the Resources of one\n"
	if code != 0 || !strings.HasPrefix(stdout.String(), "ROUTE") || stderr.String() != want {
		t.Errorf("got %d and\n%s%s\nwant\n%s", code, stdout.String(), stderr.String(), want)
	}
}

type emptyTool struct{ plain }

func TestAnEmptyServerIsAWarning(t *testing.T) {
	t.Parallel()
	for want, box := range map[int]*toolbox{1: boxOf(), 0: boxOf(saying("hello", ""))} {
		var log logbook
		app := mcp.New(mcp.Config{Logger: log.logger()})
		app.Router.Web("demo", box)
		if err := app.Validate(); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(log.String(), "level=WARN msg=\"a server has no tools, resources, prompts or methods"); n != want {
			t.Errorf("got %d warnings, want %d:\n%s", n, want, log.String())
		}
	}
}
