package mcp_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// Each field has the name of its environment variable in its comment, and
// config/app.go reads it into the field.
func TestEveryFieldOfTheConfigurationHasItsVariable(t *testing.T) {
	t.Parallel()
	app, err := os.ReadFile("../../config/app.go")
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "config.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`\((APP_[A-Z_]+)\)`)
	variables := map[string]string{}
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.TypeSpec)
		if !ok || spec.Name.Name != "Config" {
			return true
		}
		for _, field := range spec.Type.(*ast.StructType).Fields.List {
			found := named.FindStringSubmatch(field.Doc.Text() + field.Comment.Text())
			for _, name := range field.Names {
				if found != nil {
					variables[name.Name] = found[1]
				}
			}
		}
		return false
	})
	for field := range reflect.TypeFor[mcp.Config]().Fields() {
		variable, documented := variables[field.Name]
		if field.Type.Kind() == reflect.Interface {
			continue // a program that wants a validator names it: docs/adr/0009
		}
		if field.Type == reflect.TypeFor[*slog.Logger]() {
			continue // the default is that of an app
		}
		if !documented {
			t.Errorf("the comment of Config.%s names no variable", field.Name)
			continue
		}
		if reads := regexp.MustCompile(`\b` + field.Name + `:\s+env\.\w+\("` + variable + `"`); !reads.Match(app) {
			t.Errorf("config/app.go does not read %s into %s", variable, field.Name)
		}
	}
}

func TestTheZeroConfigurationIsFine(t *testing.T) {
	t.Parallel()
	if err := mcp.New(mcp.Config{}).Validate(); err != nil {
		t.Error(err)
	}
}

func TestMistakesInTheConfigurationAreFound(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		config mcp.Config
		want   string // "" if there is none
	}{
		{"a short key", mcp.Config{Key: []string{"0123456789abcdef", "hunter2"}}, "a Config.Key (APP_KEY) has fewer than 16 characters; make one with: openssl rand -hex 32"},
		{"an unknown version", mcp.Config{Versions: []string{"2025-06-18", "2023-01-01"}}, `the protocol version "2023-01-01" of Config.Versions (APP_VERSIONS) is not supported; choose from 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28`},
		{"a URL without a scheme", mcp.Config{URL: "mcp.example.com"}, `Config.URL (APP_URL) is "mcp.example.com"; it must be a URL such as https://mcp.example.com`},
		{"a URL of no web", mcp.Config{URL: "ftp://mcp.example.com"}, `Config.URL (APP_URL) is "ftp://mcp.example.com"; it must be a URL such as https://mcp.example.com`},
		{"a URL without a host", mcp.Config{URL: "http://:8080"}, `Config.URL (APP_URL) is "http://:8080"`},
		{"a host with a port", mcp.Config{AllowedHosts: []string{"b.example", "a.example:8080"}}, `the host "a.example:8080" of Config.AllowedHosts (APP_ALLOWED_HOSTS) must be a name such as mcp.example.com, without a scheme, a port, a path or *`},
		{"a host with a scheme", mcp.Config{AllowedHosts: []string{"http://a.example"}}, `the host "http://a.example" of Config.AllowedHosts`},
		{"a host with a path", mcp.Config{AllowedHosts: []string{"a.example/mcp"}}, `the host "a.example/mcp" of Config.AllowedHosts`},
		{"hosts of a pattern", mcp.Config{AllowedHosts: []string{"*.example.com"}}, `the host "*.example.com" of Config.AllowedHosts`},
		{"an IPv6 host in brackets", mcp.Config{AllowedHosts: []string{"[2001:db8::1]"}}, `the host "[2001:db8::1]" of Config.AllowedHosts`},
		{"an empty host", mcp.Config{AllowedHosts: []string{""}}, `the host "" of Config.AllowedHosts`},
		{"hosts by address", mcp.Config{AllowedHosts: []string{"10.0.0.1", "2001:db8::1"}}, ""},
		{"an origin with a query", mcp.Config{AllowedOrigins: []string{"https://app.example.com?a"}}, `the origin "https://app.example.com?a" of Config.AllowedOrigins`},
		{"an origin in capitals", mcp.Config{AllowedOrigins: []string{"https://App.example.com"}}, `the origin "https://App.example.com" of Config.AllowedOrigins`},
		{"origins of a pattern", mcp.Config{AllowedOrigins: []string{"https://*.example.com"}}, `the origin "https://*.example.com" of Config.AllowedOrigins`},
		{"an origin of an extension", mcp.Config{AllowedOrigins: []string{"chrome-extension://abcdef", "http://[::1]:3000"}}, ""},
		{"an origin with a path", mcp.Config{AllowedOrigins: []string{"https://app.example.com/"}}, `the origin "https://app.example.com/" of Config.AllowedOrigins (APP_ALLOWED_ORIGINS) must be one such as https://app.example.com`},
		{"any origin", mcp.Config{AllowedOrigins: []string{"*"}}, `the origin "*" of Config.AllowedOrigins`},
		{"a proxy by name", mcp.Config{TrustedProxies: []string{"10.0.0.0/8", "localhost"}}, `the proxy "localhost" of Config.TrustedProxies (APP_TRUSTED_PROXIES) must be an address such as 10.0.0.1, or a network such as 10.0.0.0/8`},
		{"everybody as a proxy", mcp.Config{TrustedProxies: []string{"0.0.0.0/0"}}, `the proxy "0.0.0.0/0" of Config.TrustedProxies (APP_TRUSTED_PROXIES) must be`},
		{"an address without a port", mcp.Config{Addr: "localhost"}, `Config.Addr (APP_ADDR) is "localhost"; it must be an address such as 127.0.0.1:8080 or :8080`},
		{"a body larger than the memory", mcp.Config{Memory: 1 << 20}, "the limit Config.Memory (APP_MEMORY) is 1048576 bytes, but a body may have 4194304; raise it, or lower Config.MaxBody (APP_MAX_BODY)"},
		{"a body larger than a client's memory", mcp.Config{ClientMemory: 1 << 20}, "the limit Config.ClientMemory (APP_CLIENT_MEMORY) is 1048576 bytes, but a body may have 4194304"},
		{"a limit below zero", mcp.Config{MaxBody: -1}, "Config.MaxBody (APP_MAX_BODY) must be more than 0"},
		{"a time below zero", mcp.Config{CallTimeout: -time.Second}, "the limit Config.CallTimeout (APP_CALL_TIMEOUT) is -1s; it must be 1ms or more, such as 30s"},
		{"a life without a unit", mcp.Config{SessionLife: 24}, "the limit Config.SessionLife (APP_SESSION_LIFE) is 24ns; it must be 1ms or more, such as 30s"},
		{"a time without a unit", mcp.Config{StdioDrain: 30}, "the limit Config.StdioDrain (APP_STDIO_DRAIN) is 30ns; it must be 1ms or more, such as 30s"},
		{"a delay without a unit", mcp.Config{DrainDelay: 5}, "the limit Config.DrainDelay (APP_DRAIN_DELAY) is 5ns; it must be 1ms or more, such as 30s"},
		{"a delay below zero", mcp.Config{DrainDelay: -time.Second}, "the limit Config.DrainDelay (APP_DRAIN_DELAY) is -1s"},
		{"a delay", mcp.Config{DrainDelay: 5 * time.Second}, ""},
		{"sessions off", mcp.Config{Sessions: mcp.Off}, ""},
		{"sessions below that", mcp.Config{Sessions: -2}, "Config.Sessions (APP_SESSIONS) is -2; it must be the number of sessions that may be open, or -1 for none"},
		{"a port that is none", mcp.Config{Addr: "127.0.0.1:99999"}, `Config.Addr (APP_ADDR) is "127.0.0.1:99999"; it must be an address such as 127.0.0.1:8080 or :8080`},
		{"a host name that does not resolve", mcp.Config{Addr: "nosuch.invalid:1"}, "the address nosuch.invalid:1 is not a loopback address"},
		{"an address for other machines, without a name", mcp.Config{Addr: ":8080"}, "the address :8080 is not a loopback address, so the program needs its public name: " +
			"set Config.URL (APP_URL) or Config.AllowedHosts (APP_ALLOWED_HOSTS), or serve on 127.0.0.1"},
		{"another one", mcp.Config{Addr: "0.0.0.0:80"}, "the address 0.0.0.0:80 is not a loopback address"},
		{"one with a URL", mcp.Config{Addr: ":8080", URL: "https://mcp.example.com"}, ""},
		{"one with a host", mcp.Config{Addr: ":8080", AllowedHosts: []string{"mcp.example.com"}}, ""},
		{"loopback by name", mcp.Config{Addr: "localhost:0"}, ""},
		{"loopback of IPv6", mcp.Config{Addr: "[::1]:8080"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := mcp.New(test.config).Validate()
			if test.want != "" {
				wants(t, "Validate", err, test.want)
			} else if err != nil {
				t.Error(err)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the message shows the key: %v", err)
			}
		})
	}
}

func TestAMistakeInAServerIsReportedOnceForAllItsRoutes(t *testing.T) {
	t.Parallel()
	app, server := mcp.New(mcp.Config{}), boxOf(&hookTool{})
	app.Router.Web("one", server)
	app.Router.Web("two", server)
	app.Router.Local("demo", server)
	for range 2 {
		err := app.Validate()
		wants(t, "Validate", err, "the method Guardrail is never called")
		if n := strings.Count(err.Error(), "Guardrail is never called"); n != 1 {
			t.Errorf("it is reported %d times:\n%v", n, err)
		}
	}
	if code := app.Run(t.Context(), []string{"start", "demo"}, strings.NewReader(""), io.Discard, io.Discard); code != 1 {
		t.Errorf("start ends with %d", code)
	}
}

func TestAllProblemsOfAnAppAreReportedAtOnceAndInOrder(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{Addr: ":80", Key: []string{"short"}, MaxBody: -1, MaxLine: -1, Drain: -1})
	app.Router.Web("demo", boxOf(nil))
	app.Router.Web("demo", boxOf())
	app.Router.Local("", boxOf(&hookTool{}))
	first := app.Validate()
	wants(t, "Validate", first, "Config.Key", "Config.MaxBody", "Config.MaxLine", "Config.Drain", "the address :80", "the server toolbox: tool 1: it is nil",
		"the path /mcp/demo is mapped twice", "a handle must be a name", "hook")
	for range 5 {
		if again := app.Validate(); again == nil || again.Error() != first.Error() {
			t.Errorf("the second time it is\n%v\nand the first\n%v", again, first)
		}
	}
}

// asks sends a request with a Host and an Origin, and returns the answer.
func asks(t *testing.T, handler http.Handler, method, host, origin string, header http.Header) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "http://"+host+"/mcp", strings.NewReader(`{}`))
	r.Header = header.Clone()
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set("Content-Type", "application/json")
	if origin != "" {
		r.Header.Set("Origin", origin)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

func TestHostsAndOriginsAreChecked(t *testing.T) {
	t.Parallel()
	const refused, past = http.StatusForbidden, http.StatusBadRequest // the body is no message
	public := mcp.Config{Addr: ":8080", URL: "https://mcp.example.com:8443/x", AllowedHosts: []string{"internal"}, AllowedOrigins: []string{"https://app.example.com"}}
	for _, test := range []struct {
		name         string
		config       mcp.Config
		host, origin string
		want         int
	}{
		{"loopback by address", mcp.Config{}, "127.0.0.1:8080", "", past},
		{"loopback by name", mcp.Config{}, "LocalHost:9999", "", past},
		{"loopback of IPv6", mcp.Config{}, "[::1]:8080", "", past},
		{"another name on loopback", mcp.Config{}, "evil.example.com", "", refused},
		{"a name that begins like loopback", mcp.Config{}, "localhost.evil.example.com", "", refused},
		{"a page of loopback", mcp.Config{}, "localhost:8080", "http://localhost:3000", past},
		{"a page of elsewhere", mcp.Config{}, "localhost:8080", "https://evil.example.com", refused},
		{"a page without an origin", mcp.Config{}, "localhost:8080", "null", refused},
		{"a name that is allowed on loopback", mcp.Config{AllowedHosts: []string{"dev.test"}}, "dev.test:8080", "", past},

		{"the host of the URL", public, "mcp.example.com", "", past},
		{"the host of the URL, in capitals and with a port", public, "MCP.Example.com:8443", "", past},
		{"an allowed host", public, "internal:8080", "", past},
		{"loopback elsewhere", public, "127.0.0.1:8080", "", refused},
		{"another host", public, "evil.example.com", "", refused},
		{"an allowed origin", public, "mcp.example.com", "https://app.example.com", past},
		{"its own origin", public, "mcp.example.com", "https://mcp.example.com:8443", past},
		{"another origin", public, "mcp.example.com", "https://evil.example.com", refused},
		{"an allowed origin by another scheme", public, "mcp.example.com", "http://app.example.com", refused},
		{"null", public, "mcp.example.com", "null", refused},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := probeServer(t, test.config, boxOf())
			// An accepted request must not affect later requests of other hosts or web
			// pages.
			for _, before := range []string{"localhost:8080", "mcp.example.com", test.host} {
				asks(t, p.handler, http.MethodPost, before, "", nil)
			}
			w := asks(t, p.handler, http.MethodPost, test.host, test.origin, nil)
			if w.Code != test.want {
				t.Errorf("got %d %s, want %d", w.Code, w.Body, test.want)
			}
			if test.want == refused && !strings.Contains(w.Body.String(), "; add it to Config.Allowed") {
				t.Errorf("the answer does not say what to do: %s", w.Body)
			}
		})
	}
}

// Requests for images and links have no Origin header, but browsers send Sec-Fetch-Site.
func TestARequestFromAnotherSiteWithoutAnOriginIsRefused(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{AllowedOrigins: []string{"https://app.example.com"}})
	app.Router.Web("/mcp", boxOf()).LegacySSE()
	handler, err := app.Handler()
	must(t, err)
	for site, refused := range map[string]bool{"cross-site": true, "same-site": true, "unknown": true, "same-origin": false, "none": false} {
		for _, request := range []struct{ method, path string }{
			{http.MethodGet, "/mcp"}, {http.MethodPost, "/mcp"}, {http.MethodDelete, "/mcp"}, {http.MethodHead, "/mcp"}, {http.MethodGet, "/mcp/sse"}, {http.MethodPost, "/mcp/messages"},
		} {
			for _, origin := range []string{"", "https://app.example.com"} {
				ctx, leave := context.WithTimeout(t.Context(), 10*time.Millisecond) // of a stream
				r := httptest.NewRequestWithContext(ctx, request.method, "http://localhost"+request.path, nil)
				if r.Header.Set("Sec-Fetch-Site", site); origin != "" {
					r.Header.Set("Origin", origin)
				}
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, r)
				if got := w.Code == http.StatusForbidden; got != (refused && origin == "") {
					t.Errorf("%s, %s %s from %q gets %d %s", site, request.method, request.path, origin, w.Code, w.Body)
				}
				leave()
			}
		}
	}
	w := asks(t, handler, http.MethodGet, "localhost", "", http.Header{"Sec-Fetch-Site": {"cross-site"}})
	if w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "web pages of another origin") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

// Two programs that read the first and the last Origin header must not see different
// origins.
func TestARequestWithTwoOriginsIsRefused(t *testing.T) {
	t.Parallel()
	p := probeServer(t, mcp.Config{AllowedOrigins: []string{"https://app.example.com"}}, boxOf())
	both := http.Header{"Origin": {"https://app.example.com", "https://evil.example.com"}}
	if w := asks(t, p.handler, http.MethodPost, "localhost:8080", "", both); w.Code != http.StatusForbidden {
		t.Errorf("got %d %s, want 403", w.Code, w.Body)
	}
}

func TestCORSIsClosedUnlessAnOriginIsAllowed(t *testing.T) {
	t.Parallel()
	preflight := http.Header{"Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Headers": {"content-type, mcp-param-region"}}
	cors := func(h http.Header) (found []string) {
		for name := range h {
			if strings.HasPrefix(name, "Access-Control-") {
				found = append(found, name)
			}
		}
		slices.Sort(found)
		return found
	}
	closed := probeServer(t, mcp.Config{}, boxOf())
	for _, method := range []string{http.MethodOptions, http.MethodPost} {
		if w := asks(t, closed.handler, method, "localhost:8080", "http://localhost:3000", preflight); len(cors(w.Header())) > 0 || w.Code == http.StatusNoContent {
			t.Errorf("%s gets %d and the headers %v", method, w.Code, cors(w.Header()))
		}
	}
	open := probeServer(t, mcp.Config{AllowedOrigins: []string{"https://app.example.com"}}, boxOf())
	w := asks(t, open.handler, http.MethodOptions, "localhost:8080", "https://app.example.com", preflight)
	if h := w.Header(); w.Code != http.StatusNoContent || h.Get("Access-Control-Allow-Origin") != "https://app.example.com" || h.Get("Vary") != "Origin" ||
		!strings.Contains(h.Get("Access-Control-Allow-Methods"), "POST") || h.Get("Access-Control-Allow-Headers") != "content-type, mcp-param-region" ||
		h.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("a preflight gets %d and %v", w.Code, h)
	}
	w = asks(t, open.handler, http.MethodPost, "localhost:8080", "https://app.example.com", nil)
	if h := w.Header(); h.Get("Access-Control-Allow-Origin") != "https://app.example.com" || !strings.Contains(h.Get("Access-Control-Expose-Headers"), "Mcp-Session-Id") {
		t.Errorf("a page gets %v", h)
	}
	// A page of the program's own origin may call it, but not through CORS.
	if w := asks(t, open.handler, http.MethodPost, "localhost:8080", "http://localhost:3000", nil); len(cors(w.Header())) > 0 || w.Code == http.StatusForbidden {
		t.Errorf("a page of loopback gets %d and the headers %v", w.Code, cors(w.Header()))
	}
	for _, other := range []string{"https://evil.example.com", "null"} {
		if w := asks(t, open.handler, http.MethodOptions, "localhost:8080", other, preflight); w.Code != http.StatusForbidden || len(cors(w.Header())) > 0 {
			t.Errorf("%s gets %d and %v", other, w.Code, cors(w.Header()))
		}
	}
}

// A preflight has no credentials. A page of another origin learns nothing, not even that
// credentials are missing.
func TestHostOriginAndCORSAreCheckedBeforeMiddleware(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{AllowedOrigins: []string{"https://app.example.com"}})
	app.Router.Use(func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "Who are you?", http.StatusUnauthorized) })
	})
	app.Router.Web("/mcp", boxOf())
	handler, err := app.Handler()
	must(t, err)
	preflight := http.Header{"Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Headers": {"authorization"}}
	for _, tt := range []struct {
		method, host, origin string
		header               http.Header
		status               int
		allowed              string
	}{
		{http.MethodOptions, "localhost:8080", "https://app.example.com", preflight, http.StatusNoContent, "https://app.example.com"},
		{http.MethodPost, "localhost:8080", "https://app.example.com", nil, http.StatusUnauthorized, "https://app.example.com"},
		{http.MethodPost, "localhost:8080", "https://evil.example.com", nil, http.StatusForbidden, ""},
		{http.MethodPost, "evil.example.com", "", nil, http.StatusForbidden, ""},
	} {
		w := asks(t, handler, tt.method, tt.host, tt.origin, tt.header)
		if allowed := w.Header().Get("Access-Control-Allow-Origin"); w.Code != tt.status || allowed != tt.allowed {
			t.Errorf("%s to %s of a page of %q gets %d, allowed for %q", tt.method, tt.host, tt.origin, w.Code, allowed)
		}
	}
}

func TestLimitsOfTheConfigurationHold(t *testing.T) {
	t.Parallel()
	slow := doing("slow", func(ctx context.Context, _ *tools.Request) (tools.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	p := probeServer(t, mcp.Config{MaxBody: 1000, MaxDepth: 5, CallTimeout: 5 * time.Millisecond}, boxOf(slow))
	if text, _ := p.call("slow", nil).text(); text != "The tool slow timed out after 5ms." {
		t.Errorf("a slow call returns %q", text)
	}
	if r := p.call("slow", params{"a": strings.Repeat("x", 1000)}); r.status != http.StatusRequestEntityTooLarge {
		t.Errorf("a large body gets %d %s", r.status, r.body)
	}
	if r := p.call("slow", params{"a": [][][]int{{{1}}}}); r.status != http.StatusBadRequest || r.err == nil || !strings.Contains(r.err.Message, "nested deeper than 5 levels") {
		t.Errorf("a deep body gets %d %s", r.status, r.body)
	}
}

// A server may serve after Validate, and be validated again.
func TestAnAppServesAfterValidate(t *testing.T) {
	t.Parallel()
	boots := 0
	box := boxOf(saying("a", "A."))
	box.boot = func(context.Context) error {
		boots++
		return nil
	}
	app := mcp.New(mcp.Config{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	app.Router.Local("demo", box)
	app.Router.Web("/mcp", box)
	if err := app.Validate(); err != nil {
		t.Fatal(err)
	}
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := probeHandler(t, handler, "/mcp").call("a", nil).text(); text != "A." {
		t.Errorf("got %q", text)
	}
	if code := app.Run(t.Context(), []string{"start", "demo"}, strings.NewReader(""), io.Discard, io.Discard); code != 0 {
		t.Errorf("start ended with %d", code)
	}
	if boots != 1 {
		t.Errorf("the server booted %d times", boots)
	}
}

// The app waits for the calls of a server that was validated first.
func TestAnAppWaitsForItsCallsAfterValidate(t *testing.T) {
	t.Parallel()
	started := make(chan struct{})
	slow := doing("slow", func(ctx context.Context, _ *tools.Request) (tools.Result, error) {
		close(started)
		select {
		case <-time.After(800 * time.Millisecond): // longer than the time limit for closing connections
		case <-ctx.Done():
		}
		return tools.Text("done"), ctx.Err()
	})
	var log logbook
	app := mcp.New(mcp.Config{Addr: "127.0.0.1:0", Logger: log.logger()})
	app.Router.Web("/mcp", boxOf(slow))
	if err := app.Validate(); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan int, 1)
	go func() { ended <- app.Run(ctx, []string{"serve"}, nil, io.Discard, io.Discard) }()
	var url string
	for address := regexp.MustCompile(`url=(http://\S+)`); url == ""; time.Sleep(time.Millisecond) {
		if found := address.FindStringSubmatch(log.String()); found != nil {
			url = found[1]
		}
	}
	p := probeHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { forward(t, url, w, r) }), "/mcp")
	go func() {
		<-started
		stop()
	}()
	if text, isError := p.call("slow", nil).text(); isError || text != "done" {
		t.Errorf("the call that was running says %q", text)
	}
	if code := <-ended; code != 0 {
		t.Errorf("serve ended with %d", code)
	}
}

// forward sends a request over the network.
func forward(t *testing.T, url string, w http.ResponseWriter, r *http.Request) {
	t.Helper()
	out, err := http.NewRequestWithContext(r.Context(), r.Method, url, r.Body)
	if err != nil {
		t.Fatal(err)
	}
	out.Header = r.Header
	answer, err := http.DefaultClient.Do(out)
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = answer.Body.Close() }()
	maps.Copy(w.Header(), answer.Header)
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body)
}
