package mcp_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// marking is middleware that notes in a header that it ran.
func marking(mark string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Add("X-Mark", mark)
			next.ServeHTTP(w, r)
		})
	}
}

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
	handler := routed(t, func(mcp *mcp.Router) {
		mcp.Web("demo", boxOf(saying("demo", "")))
		mcp.Web("a/b", boxOf(saying("deep", "")))
		mcp.Web("/literal", boxOf(saying("literal", "")))
		mcp.Web("/", boxOf(saying("root", "")))
		v1 := mcp.Group("/v1")
		v1.Web("demo", boxOf(saying("v1", "")))
		v1.Web("/literal", boxOf(saying("v1-literal", "")))
		v1.Group("/inner").Web("/x", boxOf(saying("inner", "")))
		mcp.Group("").Web("/plain", boxOf(saying("plain", "")))
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
		if r := probeHandler(t, handler, path).ask("tools/list", nil); r.status != 404 || !strings.Contains(r.body, "There is no MCP server at this path.") {
			t.Errorf("%s gets %d %s", path, r.status, r.body)
		}
	}
}

func TestMiddlewareRunsFromTheOutsideIn(t *testing.T) {
	t.Parallel()
	handler := routed(t, func(mcp *mcp.Router) {
		// Order does not matter: what is used after a route is mapped counts too.
		mcp.Web("/a", boxOf()).Use(marking("route"), marking("route2"))
		group := mcp.Group("/g")
		group.Web("/b", boxOf()).Use(marking("b"))
		group.Use(marking("group"))
		nameless := mcp.Group("")
		nameless.Use(marking("nameless"))
		nameless.Web("/c", boxOf())
		nameless.Group("/h").Web("/d", boxOf())
		mcp.Use(marking("root"), marking("root2"))
		mcp.Web("/e", boxOf())
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

func TestMiddlewareMayRefuse(t *testing.T) {
	t.Parallel()
	handler := routed(t, func(mcp *mcp.Router) {
		mcp.Web("/mcp", boxOf()).Use(func(http.Handler) http.Handler {
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
	handler := routed(t, func(mcp *mcp.Router) {
		mcp.Web("/teams/{team}/mcp", box)
		mcp.Group("/t/{team}").Web("/rooms/{room}", box)
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

// A parameter is what the client meant, to the handler and to what guards the route. A
// slash in it is neither a part of it nor the end of it: there is no server.
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
	handler := routed(t, func(mcp *mcp.Router) {
		mcp.Web("/teams/{team}/mcp", box).Use(noting)
		group := mcp.Group("/t/{team}")
		group.Use(noting)
		group.Web("/mcp", box)
		mcp.Web("/plain", box)
	})
	for path, want := range map[string]string{
		"/teams/red%21/mcp": "red! red! red!", "/t/caf%c3%a9/mcp": "café café café", "/t/%72ed/mcp": "red red red", "/teams/100%2525/mcp": "100%25 100%25 100%25",
	} {
		seen = nil
		if r := probeHandler(t, handler, path).call("where", nil); r.status != 200 || strings.Join(seen, " ") != want {
			t.Errorf("%s gets %d, and the handler saw %q, want %q", path, r.status, seen, want)
		}
	}
	for _, path := range []string{"/teams/red%2f7/mcp", "/t/red%2F7/mcp", "/t/red%2fmcp", "/%2fplain"} {
		seen = nil
		if r := probeHandler(t, handler, path).call("where", nil); r.status != 404 || !strings.Contains(r.body, "There is no MCP server at this path.") || seen != nil {
			t.Errorf("%s gets %d %s, and something saw %q", path, r.status, r.body, seen)
		}
	}
}

func TestMistakesInRoutesAreFound(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		routes func(mcp *mcp.Router, box servers.Interface)
		want   string
	}{
		{"a path twice", func(mcp *mcp.Router, box servers.Interface) { mcp.Web("demo", box); mcp.Web("/mcp/demo", box) }, "the path /mcp/demo is mapped twice"},
		{"a path twice, by a group", func(mcp *mcp.Router, box servers.Interface) { mcp.Web("/a/b", box); mcp.Group("/a").Web("/b", box) }, "the path /a/b is mapped twice"},
		{"a path that is broken", func(mcp *mcp.Router, box servers.Interface) { mcp.Web("/teams/{team", box) }, "the route /teams/{team can't be mapped: "},
		{"a prefix without a slash", func(mcp *mcp.Router, box servers.Interface) { mcp.Group("api").Web("/a", box) }, `the prefix "api" of a group must begin with a slash`},
		{"a handle twice", func(mcp *mcp.Router, box servers.Interface) { mcp.Local("demo", box); mcp.Local("demo", boxOf()) }, `the handle "demo" is mapped twice`},
		{"a handle without a name", func(mcp *mcp.Router, box servers.Interface) { mcp.Local("", box) }, `a handle must be a name such as "demo", not ""`},
		{"a handle that is a flag", func(mcp *mcp.Router, box servers.Interface) { mcp.Local("-x", box) }, `a handle must be a name such as "demo", not "-x"`},
		{"no server", func(mcp *mcp.Router, box servers.Interface) { mcp.Web("demo", nil) }, "a route has no server"},
		{"no server of a handle", func(mcp *mcp.Router, box servers.Interface) { mcp.Group("/a").Local("demo", nil) }, "a route has no server"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
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
		{"dance", 2, "start HANDLE     serve one server on stdin and stdout"},
		{"serve now", 2, "This program serves MCP"},
		{"start demo twice", 2, "This program serves MCP"},
		{"-x", 2, "-x"},
		{"-help", 0, "This program serves MCP"},
		{"start", 1, "mcp: there is no handle \"\"; there are: \"another\", \"demo\"\n"},
		{"start dmo", 1, "mcp: there is no handle \"dmo\"; there are: \"another\", \"demo\"\n"},
		{"start demo", 0, ""},
	} {
		code, stdout, stderr := runs(t, "", strings.Fields(test.args)...)
		if code != test.code || stdout != "" || !strings.Contains(stderr, test.stderr) || test.stderr == "" && stderr != "" {
			t.Errorf("%q: got %d, %q on stdout and %q on stderr; want %d and %q", test.args, code, stdout, stderr, test.code, test.stderr)
		}
	}
}

func TestListShowsRoutesAndTools(t *testing.T) {
	t.Parallel()
	const want = `ROUTE                  SERVER              KIND   NAME
POST /mcp/demo         toolbox             tool   first
                                           tool   second
POST /v1/teams/{team}  HTTPGatewayServer   -      -
stdio demo             toolbox             tool   first
                                           tool   second
stdio another          HTTPGatewayServer   -      -
`
	code, stdout, stderr := runs(t, "", "list")
	if squeezed := strings.ReplaceAll(stdout, "   ", "  "); code != 0 || stderr != "" || strings.Join(strings.Fields(squeezed), " ") != strings.Join(strings.Fields(want), " ") ||
		strings.Count(stdout, "\n") != strings.Count(want, "\n") {
		t.Errorf("got %d, %q and\n%s\nwant\n%s", code, stderr, stdout, want)
	}
}

func TestAnAppWithoutHandlesSaysHowToMapOne(t *testing.T) {
	t.Parallel()
	var stderr strings.Builder
	code := mcp.New(mcp.Config{}).Run(t.Context(), []string{"start", "demo"}, strings.NewReader(""), io.Discard, &stderr)
	if want := "mcp: there is no handle \"demo\": no server is mapped to one; add mcp.Local(\"demo\", …) to routes/ai.go\n"; code != 1 || stderr.String() != want {
		t.Errorf("got %d and %q, want %q", code, stderr.String(), want)
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

func TestHealthIsToldBesideTheRoutes(t *testing.T) {
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

// A path that needs no router is served without one: the answers are the same.
func TestAPlainPathIsServedAsAnyOther(t *testing.T) {
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
		{"GET", "/plain", 405}, {"BREW", "/plain", 405}, {"POST", "/plain/", 404}, {"POST", "/pl%61in", 200}, {"POST", "/group/pl%61in", 200}, {"POST", "/none", 404},
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
