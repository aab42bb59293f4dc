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

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// issuing is a component with the endpoints of an authorization server, which does nothing.
type issuing struct {
	site           mcp.Site
	opened, closed int
	mistake, fails error
	commands       []mcp.Command
}

func (s *issuing) Commands() []mcp.Command { return s.commands }

func (s *issuing) Endpoints(prefix string) ([]mcp.Endpoint, error) {
	says := func(text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
	}
	return []mcp.Endpoint{
		{Path: "/.well-known/oauth-authorization-server" + prefix, Handler: says("metadata"), Public: true},
		{Path: prefix + "/oauth/login", Handler: says("login")},
	}, s.mistake
}

func (s *issuing) Open(_ context.Context, site mcp.Site) error {
	s.site = site
	s.opened++
	return s.fails
}

func (s *issuing) Close() error {
	s.closed++
	return nil
}

// lobby is a server for everybody.
type lobby struct{ servers.Server }

func (*lobby) Tools() []servers.Tool { return []servers.Tool{tools.New(locked("read"), says)} }

func says(context.Context, *tools.Request) (tools.Result, error) { return tools.Text("hello"), nil }

// issuingApp returns an app with an authorization server and routes.
func issuingApp(server *issuing, config mcp.Config) *mcp.App {
	config.Logger = slog.New(slog.DiscardHandler)
	app := mcp.New(config)
	app.Router.Component(server)
	app.Router.Web("private", &vault{}).Guard(auth.Bearer(tokens()))
	app.Router.Web("/teams/{team}/mcp", &vault{}).Guard(auth.Bearer(tokens()))
	app.Router.Web("open", &lobby{})
	return app
}

func TestAComponentIsOpenWhileTheProgramServes(t *testing.T) {
	t.Parallel()
	server := &issuing{}
	app := issuingApp(server, mcp.Config{Name: "Demo", URL: "https://example.com/base/", TrustedProxies: []string{"10.0.0.1"}})
	if err := app.Validate(); err != nil || server.opened != 0 {
		t.Fatalf("the server was opened %d times before the program serves, %v", server.opened, err)
	}
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := app.Handler(); err != nil || server.opened != 1 || server.closed != 0 {
		t.Fatalf("the server was opened %d times and closed %d times, %v", server.opened, server.closed, err)
	}
	if site := server.site; site.Name != "Demo" || site.URL != "https://example.com/base" || site.Loopback || fmt.Sprint(site.Resources) != "[https://example.com/base/mcp/private]" || site.Logger == nil || site.Events != app.Events {
		t.Errorf("the site is %+v", site)
	}
	forwarded := httptest.NewRequest(http.MethodGet, "https://example.com/oauth/login", nil)
	forwarded.RemoteAddr = "10.0.0.1:1"
	forwarded.Header.Set("X-Forwarded-For", "192.0.2.7")
	if got := server.site.Address(forwarded).String(); got != "192.0.2.7" {
		t.Errorf("the address behind a trusted proxy is %s", got)
	}
	for path, want := range map[string]string{"/.well-known/oauth-authorization-server/base": "metadata", "/oauth/login": "login", "/base/oauth/login": "login"} {
		r := httptest.NewRequest(http.MethodGet, "https://example.com"+path, nil)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Body.String() != want {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	app.Close()
	app.Close()
	if server.closed != 1 {
		t.Errorf("the server was closed %d times", server.closed)
	}
}

func TestTheResourcesOfASiteAreTheGuardedRoutes(t *testing.T) {
	t.Parallel()
	server := &issuing{}
	app := issuingApp(server, mcp.Config{URL: "https://example.com/base"})
	if _, err := app.Handler(); err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	const private, team = "https://example.com/base/mcp/private", "https://example.com/base/teams/a%20b/mcp"
	for text, want := range map[string]string{
		private: private, private + "/": private, "https://EXAMPLE.com:443/base/mcp/private": private, "HTTPS://example.com/base/mcp/private": private, team: team, team + "/": team,
		"": "", "https://example.com": "", "https://example.com/mcp/private": "", "http://example.com/base/mcp/private": "", "https://evil.test/base/mcp/private": "", "https://example.com:8443/base/mcp/private": "",
		private + "?": "", private + "?x=y": "", private + "#": "", private + "#x": "", "https://u@example.com/base/mcp/private": "", private + "//": "", private + "/x": "", "https://example.com/base/mcp/Private": "",
		"https://example.com/base/mcp/open": "", "https://example.com/base/teams//mcp": "", "https://example.com/base/teams/../mcp": "", "https://example.com/base/teams/a%2fb/mcp": "", "/base/mcp/private": "", ":": "",
	} {
		if got, ok := server.site.Resource(text); got != want || ok != (want != "") {
			t.Errorf("%q: the resource is %q, %v; want %q", text, got, ok, want)
		}
	}
}

func TestMistakesInAComponentKeepTheProgramFromStarting(t *testing.T) {
	t.Parallel()
	for what, test := range map[string]struct {
		config mcp.Config
		server *issuing
		alter  func(*mcp.App)
		want   string
	}{
		"no URL":          {config: mcp.Config{Addr: "0.0.0.0:8080", AllowedHosts: []string{"example.com"}}, server: &issuing{}, want: "it has a guard, so clients need the program's URL; set Config.URL (APP_URL)"},
		"http":            {config: mcp.Config{URL: "http://example.com"}, server: &issuing{}, want: `the URL "http://example.com" must begin with https://`},
		"its own":         {config: mcp.Config{URL: "https://example.com"}, server: &issuing{mistake: errors.New("there is no door")}, want: "component 1 (*mcp_test.issuing): there is no door"},
		"two servers":     {config: mcp.Config{URL: "https://example.com"}, server: &issuing{}, alter: func(app *mcp.App) { app.Router.Group("/v1").Component(&issuing{}) }, want: "the paths /.well-known/oauth-authorization-server, /oauth/login belong to component 1 (*mcp_test.issuing) and component 2 (*mcp_test.issuing); take out one component, or choose other paths"},
		"a taken path":    {config: mcp.Config{URL: "https://example.com/base"}, server: &issuing{}, alter: func(app *mcp.App) { app.Router.Web("/oauth/login", &lobby{}) }, want: "the path /base/oauth/login belongs to the route /oauth/login and component 1 (*mcp_test.issuing); choose another path"},
		"a taken command": {config: mcp.Config{URL: "https://example.com"}, server: &issuing{commands: []mcp.Command{quiet("list")}}, want: "the command list belongs to every program and component 1 (*mcp_test.issuing); choose another command"},
		"a command twice": {config: mcp.Config{URL: "https://example.com"}, server: &issuing{commands: []mcp.Command{quiet("a:b"), quiet("a:b")}}, want: "the command a:b belongs to component 1 (*mcp_test.issuing) twice"},
		"no Run":          {config: mcp.Config{URL: "https://example.com"}, server: &issuing{commands: []mcp.Command{{Name: "a:b"}}}, want: `component 1 (*mcp_test.issuing) has a command "a:b" without a name or without Run`},
		"it can't open":   {config: mcp.Config{URL: "https://example.com"}, server: &issuing{fails: errors.New("the store is down")}, want: "component 1 (*mcp_test.issuing): the store is down"},
	} {
		app := issuingApp(test.server, test.config)
		if test.alter != nil {
			test.alter(app)
		}
		if _, err := app.Handler(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: the error is %v, want %q in it", what, err, test.want)
		}
		if test.server.fails == nil && test.server.opened != 0 {
			t.Errorf("%s: the server was opened", what)
		}
	}
}

// A page of another origin may call the routes, but must not log users in.
func TestPagesOfOtherOriginsUseOnlyPublicEndpoints(t *testing.T) {
	t.Parallel()
	app := issuingApp(&issuing{}, mcp.Config{URL: "https://example.com", AllowedOrigins: []string{"https://app.example"}})
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	for path, want := range map[string]string{"/mcp/open": "https://app.example", "/.well-known/oauth-authorization-server": "*", "/oauth/login": ""} {
		r := httptest.NewRequest(http.MethodGet, "https://example.com"+path, nil)
		r.Header.Set("Origin", "https://app.example")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if got := w.Header().Get("Access-Control-Allow-Origin"); got != want || want == "" && w.Code != http.StatusForbidden {
			t.Errorf("%s: %d, Access-Control-Allow-Origin is %q, want %q", path, w.Code, got, want)
		}
	}
}
