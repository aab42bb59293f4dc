package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

// openRoute is the warning about an open route.
const openRoute = `level=WARN msg="a route is open: everybody who can reach the program can use the server; add a guard to the route, or Public() if that is meant" `

func TestAnOpenRouteOfAProgramThatOthersReachIsAWarning(t *testing.T) {
	t.Parallel()
	guard := auth.Bearer(auth.Static("bo " + strings.Repeat("0", 64)))
	for name, test := range map[string]struct {
		config mcp.Config
		routes func(*mcp.Router)
		want   []string // what the warnings name
	}{
		"a public URL": {
			config: mcp.Config{URL: "https://example.com/base"},
			routes: func(r *mcp.Router) { r.Web("open", boxOf()).LegacySSE(); r.Group("/v1").Web("also", boxOf()) },
			want:   []string{"url=https://example.com/base/mcp/open server=toolbox", "url=https://example.com/base/v1/mcp/also server=toolbox"},
		},
		"a guarded and a public route": {
			config: mcp.Config{URL: "https://example.com"},
			routes: func(r *mcp.Router) { r.Web("guarded", boxOf()).Guard(guard); r.Web("public", boxOf()).Public() },
		},
		"a public group in a router": {
			config: mcp.Config{URL: "https://example.com"},
			routes: func(r *mcp.Router) {
				group := r.Group("/v1")
				group.Public()
				group.Group("/docs").Web("public", boxOf())
				r.Web("open", boxOf())
			},
			want: []string{"url=https://example.com/mcp/open server=toolbox"},
		},
		"a public router": {
			config: mcp.Config{URL: "https://example.com"},
			routes: func(r *mcp.Router) { r.Group("/v1").Web("public", boxOf()); r.Public() },
		},
		"an address that others reach, without a URL": {
			config: mcp.Config{Addr: ":8080", AllowedHosts: []string{"mcp.internal"}},
			routes: func(r *mcp.Router) { r.Web("open", boxOf()) },
			want:   []string{"url=http://localhost:8080/mcp/open server=toolbox"},
		},
		"a loopback URL at an address that others reach": {
			config: mcp.Config{URL: "http://localhost:8080", Addr: ":8080"},
			routes: func(r *mcp.Router) { r.Web("open", boxOf()) },
			want:   []string{"url=http://localhost:8080/mcp/open server=toolbox"},
		},
		"the name of another machine at a loopback address": { // as behind a proxy, or in a handler that is mounted elsewhere
			config: mcp.Config{AllowedHosts: []string{"localhost", "mcp.example.com"}},
			routes: func(r *mcp.Router) { r.Web("open", boxOf()) },
			want:   []string{"url=http://127.0.0.1:8080/mcp/open server=toolbox"},
		},
		"a loopback address": {
			config: mcp.Config{AllowedHosts: []string{"localhost", "::1"}},
			routes: func(r *mcp.Router) { r.Web("open", boxOf()) },
		},
		"a loopback URL": {
			config: mcp.Config{URL: "http://localhost:8080"},
			routes: func(r *mcp.Router) { r.Web("open", boxOf()) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log logbook
			test.config.Logger = log.logger()
			app := mcp.New(test.config)
			test.routes(app.Router)
			if err := app.Validate(); err != nil || strings.Contains(log.String(), openRoute) {
				t.Fatalf("Validate returns %v and logs %s", err, log.String())
			}
			if _, err := app.Handler(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(app.Close)
			if got := strings.Count(log.String(), openRoute); got != len(test.want) {
				t.Errorf("%d warnings, want %d:\n%s", got, len(test.want), log.String())
			}
			for _, want := range test.want {
				if !strings.Contains(log.String(), openRoute+want+"\n") {
					t.Errorf("the log lacks %s:\n%s", want, log.String())
				}
			}
		})
	}
}

func TestTheWarningAboutAnOpenRouteIsLoggedWhenTheProgramServes(t *testing.T) {
	t.Parallel()
	var log logbook
	app := mcp.New(mcp.Config{Addr: "127.0.0.1:0", URL: "https://example.com", Logger: log.logger()})
	app.Router.Web("open", boxOf())
	served(t, app, func(*probe) {})
	if strings.Count(log.String(), openRoute) != 1 {
		t.Errorf("the log has not one warning:\n%s", log.String())
	}
}

func TestTheListSaysWhetherOtherMachinesReachTheProgram(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config mcp.Config
		want   string
	}{
		"on loopback": {mcp.Config{}, `"loopback": true`},
		"a loopback URL at an address that others reach": {mcp.Config{URL: "http://localhost:8080", Addr: ":8080"}, `"loopback": false`},
		"the name of another machine":                    {mcp.Config{AllowedHosts: []string{"mcp.example.com"}}, `"loopback": false`},
	} {
		if code, stdout, stderr := run(t, mcp.New(test.config), "", "list", "--json"); code != 0 || !strings.Contains(stdout, test.want) {
			t.Errorf("%s: exit code %d, stderr %q, want %s:\n%s", name, code, stderr, test.want, stdout)
		}
	}
}

func TestARouteIsEitherPublicOrGuarded(t *testing.T) {
	t.Parallel()
	guard := auth.Bearer(auth.Static("bo " + strings.Repeat("0", 64)))
	const fix = ", which refuses clients without a login; remove Public or the guard"
	for want, routes := range map[string]func(*mcp.Router){
		"the route /mcp/a: the route is public, but the route has a guard": func(r *mcp.Router) { r.Web("a", boxOf()).Public().Guard(guard) },
		`the route /v1/mcp/a: the route is public, but the group "/v1" has a guard`: func(r *mcp.Router) {
			group := r.Group("/v1")
			group.Web("a", boxOf()).Public()
			group.Guard(guard)
		},
		`the route /v1/mcp/a: the group "/v1" is public, but the router has a guard`: func(r *mcp.Router) {
			r.Guard(guard)
			group := r.Group("/v1")
			group.Public()
			group.Web("a", boxOf())
		},
	} {
		app := mcp.New(mcp.Config{})
		routes(app.Router)
		if err := app.Validate(); err == nil || err.Error() != want+fix {
			t.Errorf("Validate returns %v, want %s", err, want+fix)
		}
	}
}

func TestTheListHasTheAccessOfEachRoute(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{URL: "https://example.com"})
	company := auth.Bearer(auth.JWT(auth.Issuer{URL: "https://login.example.com/"}))
	app.Router.Web("both", boxOf()).Guard(company, auth.Bearer(auth.Static("bo "+strings.Repeat("0", 64))))
	app.Router.Web("public", boxOf()).Public()
	app.Router.Web("open", boxOf())
	code, stdout, stderr := run(t, app, "", "list")
	for _, want := range []string{
		"POST /mcp/both toolbox https://login.example.com/, auth.BearerGuard", "POST /mcp/public toolbox public", "POST /mcp/open toolbox open",
	} {
		if !strings.Contains(strings.Join(strings.Fields(stdout), " "), want+" ") {
			t.Errorf("exit code %d, stderr %q; the list lacks %s:\n%s", code, stderr, want, stdout)
		}
	}
	_, stdout, _ = run(t, app, "", "list", "--json")
	var listed struct {
		Web []struct {
			Access string
			Guards []string
		}
	}
	if err := json.Unmarshal([]byte(stdout), &listed); err != nil || len(listed.Web) != 3 {
		t.Fatalf("%v:\n%s", err, stdout)
	}
	for i, want := range []string{"guarded https://login.example.com/ auth.BearerGuard", "public", "open"} {
		if got := strings.Join(append([]string{listed.Web[i].Access}, listed.Web[i].Guards...), " "); got != want {
			t.Errorf("route %d: %s, want %s", i, got, want)
		}
	}
}
