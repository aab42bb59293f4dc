package mcp_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

// A part is a component that does what its functions say, and otherwise nothing.
type part struct {
	endpoints func(prefix string) ([]mcp.Endpoint, error)
	commands  func() []mcp.Command
	open      func(context.Context, mcp.Site) error
	close     func() error
}

func (p *part) Endpoints(prefix string) ([]mcp.Endpoint, error) {
	if p.endpoints == nil {
		return nil, nil
	}
	return p.endpoints(prefix)
}

func (p *part) Commands() []mcp.Command {
	if p.commands == nil {
		return nil
	}
	return p.commands()
}

func (p *part) Open(ctx context.Context, site mcp.Site) error {
	if p.open == nil {
		return nil
	}
	return p.open(ctx, site)
}

func (p *part) Close() error {
	if p.close == nil {
		return nil
	}
	return p.close()
}

// A noted is a component that notes its name when it opens and closes.
type noted struct {
	part
	name  string
	notes *[]string
	fails error // what Open returns
}

func (n *noted) Open(ctx context.Context, site mcp.Site) error {
	*n.notes = append(*n.notes, "open "+n.name)
	return errors.Join(n.fails, n.part.Open(ctx, site))
}

func (n *noted) Close() error {
	*n.notes = append(*n.notes, "close "+n.name)
	return n.part.Close()
}

// at returns a component with an endpoint at each path.
func at(paths ...string) *part {
	return &part{endpoints: func(prefix string) (all []mcp.Endpoint, _ error) {
		for _, path := range paths {
			all = append(all, mcp.Endpoint{Path: prefix + path, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, path) })})
		}
		return all, nil
	}}
}

// withCommands returns a component with commands of these names.
func withCommands(names ...string) *part {
	return &part{commands: func() (all []mcp.Command) {
		for _, name := range names {
			all = append(all, quiet(name))
		}
		return all
	}}
}

// appOf returns an app with components and a route.
func appOf(config mcp.Config, components ...mcp.Component) *mcp.App {
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	app := mcp.New(config)
	for _, component := range components {
		app.Router.Component(component)
	}
	app.Router.Web("open", &lobby{})
	app.Router.Local("open", &lobby{})
	return app
}

func TestComponentsOpenInTheirOrderAndCloseInReverse(t *testing.T) {
	t.Parallel()
	var notes []string
	app := appOf(mcp.Config{Addr: "127.0.0.1:0"}, &noted{name: "a", notes: &notes}, &noted{name: "b", notes: &notes})
	app.Router.Group("/v1").Component(&noted{name: "c", notes: &notes})
	want := []string{"open a", "open b", "open c", "close c", "close b", "close a"}
	for run := range 2 { // an app may serve again
		served(t, app, func(*probe) {
			if !slices.Equal(notes, want[:3]) {
				t.Errorf("run %d: while the program serves: %q", run, notes)
			}
		})
		if !slices.Equal(notes, want) {
			t.Errorf("run %d: %q, want %q", run, notes, want)
		}
		notes = nil
	}
}

// An AI client starts a program on stdio for each conversation, beside the one that serves.
func TestComponentsStayClosedOnStdioAndForLists(t *testing.T) {
	t.Parallel()
	var notes []string
	app := appOf(mcp.Config{Addr: "127.0.0.1:0"}, &noted{name: "a", notes: &notes, part: *withCommands("a:b")})
	for _, args := range [][]string{{"start", "open"}, {"list"}, {"a:b"}} {
		if code, _, stderr := run(t, app, "", args...); code != 0 || notes != nil {
			t.Errorf("%q: exit code %d, %q, stderr %s", args, code, notes, stderr)
		}
	}
}

func TestAComponentThatFailsToOpenClosesTheOthers(t *testing.T) {
	t.Parallel()
	var notes []string
	log := &logBuffer{}
	third := &noted{name: "c", notes: &notes, fails: errors.New("the queue is down")}
	app := appOf(mcp.Config{Addr: "127.0.0.1:0", Logger: slog.New(slog.NewTextHandler(log, nil))},
		&noted{name: "a", notes: &notes}, &noted{name: "b", notes: &notes}, third, &noted{name: "d", notes: &notes})
	want := []string{"open a", "open b", "open c", "close b", "close a"}
	code, _, stderr := run(t, app, "", "serve")
	if code != 1 || stderr != "mcp: component 3 (*mcp_test.noted): the queue is down\n" || !slices.Equal(notes, want) || strings.Contains(log.String(), "msg=serving") {
		t.Errorf("serve: exit code %d, %q, stderr %slog %s", code, notes, stderr, log)
	}
	notes = nil
	if _, err := app.Handler(); err == nil || !slices.Equal(notes, want) {
		t.Errorf("the handler: %v, %q", err, notes)
	}
	third.fails, notes = nil, nil
	if _, err := app.Handler(); err != nil || len(notes) != 4 {
		t.Errorf("once the queue is up: %v, %q", err, notes)
	}
	app.Close()
}

func TestAComponentThatPanicsIsAnError(t *testing.T) {
	t.Parallel()
	var notes []string
	for method, broken := range map[string]*part{
		"Endpoints": {endpoints: func(string) ([]mcp.Endpoint, error) { panic("no paper") }},
		"Commands":  {commands: func() []mcp.Command { panic("no paper") }},
		"Open":      {open: func(context.Context, mcp.Site) error { panic("no paper") }},
	} {
		app := appOf(mcp.Config{Addr: "127.0.0.1:0"}, &noted{name: "a", notes: &notes}, broken)
		code, _, stderr := run(t, app, "", "serve")
		if code != 1 || !strings.HasPrefix(stderr, "mcp: component 2 (*mcp_test.part) panics in "+method+": no paper\n") || !strings.Contains(stderr, "component_test.go") {
			t.Errorf("%s: exit code %d, stderr %s", method, code, stderr)
		}
		if opens := slices.Index(notes, "open a") >= 0; opens != (method == "Open") || opens && !slices.Contains(notes, "close a") {
			t.Errorf("%s: %q", method, notes)
		}
		notes = nil
	}
	code, _, stderr := run(t, appOf(mcp.Config{}, &part{commands: func() []mcp.Command { panic("no paper") }}), "", "a:b")
	if code != 1 || !strings.Contains(stderr, "component 1 (*mcp_test.part) panics in Commands: no paper") {
		t.Errorf("a command: exit code %d, stderr %s", code, stderr)
	}
}

func TestAComponentThatDoesNotCloseIsLogged(t *testing.T) {
	t.Parallel()
	var notes []string
	log := &logBuffer{}
	app := appOf(mcp.Config{Addr: "127.0.0.1:0", Logger: slog.New(slog.NewTextHandler(log, nil))},
		&noted{name: "a", notes: &notes}, &part{close: func() error { panic("jammed") }}, &part{close: func() error { return errors.New("still busy") }})
	served(t, app, func(*probe) {})
	for _, want := range []string{`msg="a component was not closed" error="component 3 (*mcp_test.part): still busy"`, `component 2 (*mcp_test.part) panics in Close: jammed`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, log)
		}
	}
	if !slices.Equal(notes, []string{"open a", "close a"}) {
		t.Errorf("the other component: %q", notes)
	}
}

func TestAProgramThatIsToldToStopOpensNothingMore(t *testing.T) {
	t.Parallel()
	var notes []string
	for name, test := range map[string]struct {
		first func(ctx context.Context, stop func()) error
		want  string
		notes []string
	}{
		"before it": {
			first: func(_ context.Context, stop func()) error { stop(); return nil },
			want:  "mcp: the program was told to stop before component 2 (*mcp_test.noted) was open: context canceled\n",
			notes: []string{"open a", "close a"},
		},
		"meanwhile": {
			first: func(ctx context.Context, stop func()) error { stop(); <-ctx.Done(); return ctx.Err() },
			want:  "mcp: component 1 (*mcp_test.noted): context canceled\n",
			notes: []string{"open a"},
		},
	} {
		ctx, stop := context.WithCancel(t.Context())
		open := func(ctx context.Context, _ mcp.Site) error { return test.first(ctx, stop) }
		app := appOf(mcp.Config{Addr: "127.0.0.1:0"}, &noted{name: "a", notes: &notes, part: part{open: open}}, &noted{name: "b", notes: &notes})
		var stderr strings.Builder
		if code := app.Run(ctx, []string{"serve"}, nil, io.Discard, &stderr); code != 1 || stderr.String() != test.want || !slices.Equal(notes, test.notes) {
			t.Errorf("%s: exit code %d, %q, stderr %s", name, code, notes, &stderr)
		}
		stop()
		notes = nil
	}
}

func TestAPathOrCommandOfAComponentIsItsOwn(t *testing.T) {
	t.Parallel()
	for what, test := range map[string]struct {
		config     mcp.Config
		components []mcp.Component
		want       string
	}{
		"two components":        {components: []mcp.Component{at("/a", "/jobs"), at("/jobs")}, want: "the path /jobs belongs to component 1 (*mcp_test.part) and component 2 (*mcp_test.part); choose another path"},
		"several paths":         {components: []mcp.Component{at("/a", "/b"), at("/b", "/a")}, want: "the paths /b, /a belong to component 1 (*mcp_test.part) and component 2 (*mcp_test.part); take out one component, or choose other paths"},
		"one component":         {components: []mcp.Component{at("/a", "/a")}, want: "the path /a belongs to component 1 (*mcp_test.part) twice; choose another path"},
		"a route":               {components: []mcp.Component{at("/mcp/open")}, want: "the path /mcp/open belongs to the route /mcp/open and component 1 (*mcp_test.part); choose another path"},
		"a route behind a path": {config: mcp.Config{URL: "https://example.com/base"}, components: []mcp.Component{at("/mcp/open")}, want: "the path /base/mcp/open belongs to the route /mcp/open and component 1"},
		"the health check":      {components: []mcp.Component{at("/readyz")}, want: "the path /readyz belongs to the health check of the program and component 1"},
		"no slash":              {components: []mcp.Component{at("jobs")}, want: `component 1 (*mcp_test.part): the path "jobs" of an endpoint must begin with a slash and have no parameters, such as "/jobs"`},
		"a parameter":           {components: []mcp.Component{at("/jobs/{job}")}, want: `the path "/jobs/{job}" of an endpoint must`},
		"no handler": {components: []mcp.Component{&part{endpoints: func(string) ([]mcp.Endpoint, error) { return []mcp.Endpoint{{Path: "/jobs"}}, nil }}},
			want: "component 1 (*mcp_test.part): the endpoint /jobs has no Handler; set one"},
		"its own mistake": {components: []mcp.Component{at("/a"), &part{endpoints: func(string) ([]mcp.Endpoint, error) { return nil, errors.New("no queue; set one") }}},
			want: "component 2 (*mcp_test.part): no queue; set one"},
		"two commands":             {components: []mcp.Component{withCommands("jobs:list"), withCommands("jobs:list")}, want: "the command jobs:list belongs to component 1 (*mcp_test.part) and component 2 (*mcp_test.part); choose another command"},
		"a command twice":          {components: []mcp.Component{withCommands("a:b", "a:b")}, want: "the command a:b belongs to component 1 (*mcp_test.part) twice"},
		"a command of all":         {components: []mcp.Component{withCommands("serve", "start")}, want: "the commands serve, start belong to every program and component 1 (*mcp_test.part); take out one component, or choose other commands"},
		"a command without a name": {components: []mcp.Component{withCommands("")}, want: `component 1 (*mcp_test.part) has a command "" without a name or without Run; set both`},
		"nil":                      {components: []mcp.Component{at("/a"), nil}, want: "component 2 (<nil>) is nil; give Router.Component a value, such as oauth.New(config)"},
		"a nil pointer":            {components: []mcp.Component{(*part)(nil)}, want: "component 1 (*mcp_test.part) is nil; give Router.Component a value"},
	} {
		err := appOf(test.config, test.components...).Validate()
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "panics") {
			t.Errorf("%s: the error is %v, want %q in it", what, err, test.want)
		}
	}
}

func TestComponentsServeBesideTheRoutes(t *testing.T) {
	t.Parallel()
	app := appOf(mcp.Config{URL: "https://example.com/base"}, at("/jobs", "ball"), at("/queues"))
	app.Router.Use(func(http.Handler) http.Handler { return http.NotFoundHandler() })
	handler, err := app.Handler()
	must(t, err)
	defer app.Close()
	for path, want := range map[string]int{"/base/jobs": 200, "/jobs": 200, "/queues": 200, "/baseball": 200, "/ball": 404, "/jobs/": 404, "/mcp/open": 404} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "https://example.com"+path, nil))
		if w.Code != want {
			t.Errorf("%s is answered with %d, want %d", path, w.Code, want)
		}
	}
}

// Such a component checks access tokens by itself.
func TestAComponentDescribesAResourceOfItsOwn(t *testing.T) {
	t.Parallel()
	const metadata = "/.well-known/oauth-protected-resource"
	app := appOf(mcp.Config{URL: "https://example.com"}, at(metadata+"/jobs"))
	app.Router.Web("private", &vault{}).Guard(auth.Bearer(tokens()))
	handler, err := app.Handler()
	must(t, err)
	defer app.Close()
	for path, want := range map[string]string{"/jobs": metadata + "/jobs", "/mcp/private": `"resource":"https://example.com/mcp/private"`} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "https://example.com"+metadata+path, nil))
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
			t.Errorf("the metadata of %s is %d %s", path, w.Code, w.Body)
		}
	}
}

// Only clients that have to be sent elsewhere, such as to a login, need the program's URL.
func TestAComponentNeedsNoURL(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]mcp.Site{"0.0.0.0:8080": {}, "127.0.0.1:8080": {URL: "http://127.0.0.1:8080", Loopback: true}} {
		var site mcp.Site
		app := appOf(mcp.Config{Addr: addr, AllowedHosts: []string{"example.com"}}, &part{open: func(_ context.Context, s mcp.Site) error {
			site = s
			return nil
		}})
		_, err := app.Handler()
		must(t, err)
		if site.URL != want.URL || site.Loopback != want.Loopback {
			t.Errorf("at %s, the URL of the program is %q, and %v for loopback", addr, site.URL, site.Loopback)
		}
		app.Close()
	}
}

func TestAComponentThatIsAddedLateIsLogged(t *testing.T) {
	t.Parallel()
	log := &logBuffer{}
	app := appOf(mcp.Config{Addr: "127.0.0.1:8080", Logger: slog.New(slog.NewTextHandler(log, nil))})
	_, err := app.Handler()
	must(t, err)
	defer app.Close()
	app.Router.Component(&part{})
	if !strings.Contains(log.String(), "or component was added after the handler was built, so it has no effect; add it before App.Handler or serve") || !strings.Contains(log.String(), "component=*mcp_test.part") {
		t.Errorf("the log is %s", log)
	}
}
