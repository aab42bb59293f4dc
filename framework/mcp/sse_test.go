package mcp_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// An sseClient is a client of HTTP with SSE. Tests use it under synctest.
type sseClient struct {
	*listening
	t        *testing.T
	handler  http.Handler
	endpoint string // the URL for POST requests
}

// sseHandler serves a server at /teams/{team}/mcp, to clients of HTTP with SSE too. The
// header User names the principal.
func sseHandler(t testing.TB, config mcp.Config, server servers.Interface) http.Handler {
	t.Helper()
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	app := mcp.New(config)
	app.Router.Web("/teams/{team}/mcp", server).LegacySSE().Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.WithContext(exchange.WithPrincipal(r.Context(), exchange.Principal{ID: r.Header.Get("User")})))
		})
	})
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return handler
}

// sseRequest returns a request of the user ada.
func sseRequest(ctx context.Context, method, path, body string) *http.Request {
	r := httptest.NewRequestWithContext(ctx, method, "http://127.0.0.1"+path, strings.NewReader(body))
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"text/event-stream"}, "User": {"ada"}}
	return r
}

// connectSSE opens a stream.
func connectSSE(t *testing.T, handler http.Handler) *sseClient {
	t.Helper()
	c := &sseClient{listening: readAlong(handler, sseRequest(t.Context(), http.MethodGet, "/teams/red/mcp/sse", "")), t: t, handler: handler}
	time.Sleep(time.Millisecond)
	events := c.events()
	if c.status != http.StatusOK || len(events) != 1 || events[0].name != "endpoint" || !strings.HasPrefix(events[0].data, "/teams/red/mcp/messages?sessionId=") {
		t.Fatalf("the stream begins with %d %+v", c.status, events)
	}
	c.endpoint = events[0].data
	return c
}

// post sends a message and returns the status.
func (c *sseClient) post(message string) int {
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, sseRequest(c.t.Context(), http.MethodPost, c.endpoint, message))
	return w.Code
}

// says posts messages and checks the resulting events of the stream.
func (c *sseClient) says(what string, messages []string, want ...string) {
	c.t.Helper()
	for _, message := range messages {
		if status := c.post(message); status != http.StatusAccepted {
			c.t.Errorf("%s: %s gets %d, want 202", what, message, status)
		}
	}
	var got []string
	for _, e := range c.events() {
		if e.name != "message" {
			c.t.Errorf("%s: an event has the name %q", what, e.name)
		}
		got = append(got, gist(e.data))
	}
	if !slices.Equal(got, want) {
		c.t.Errorf("%s: the client gets\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestAClientTalksOverHTTPWithSSE(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		paper := newNewspaper()
		c := connectSSE(t, sseHandler(t, mcp.Config{}, paper))
		c.says("before initialize", []string{`{"jsonrpc":"2.0","id":0,"method":"ping"}`}, `{"jsonrpc":"2.0","id":0,"result":{}}`)
		if c.post(initialize("2024-11-05")); !strings.Contains(c.events()[0].data, `"protocolVersion":"2024-11-05"`) {
			t.Error("initialize isn't answered")
		}
		c.says("a notification", []string{`{"jsonrpc":"2.0","method":"notifications/initialized"}`})
		c.says("a call", []string{legacyCall(`1`, "read", `{}`)}, "Nothing new.")
		c.says("a call that streams", []string{legacyCall(`2`, "talk", `{}`)})
		paper.speak <- "one"
		c.says("another meanwhile", []string{legacyCall(`3`, "read", `{}`)}, "one", "Nothing new.")
		close(paper.speak)
		c.says("its end", nil, "That was all.")
		must(t, paper.AddTool(saying("late", "")))
		c.says("a change", nil, "tools/list_changed")
		c.says("a subscription", []string{`{"jsonrpc":"2.0","id":4,"method":"resources/subscribe","params":{"uri":"docs://logo"}}`}, `{"jsonrpc":"2.0","id":4,"result":{}}`)
		paper.ResourceUpdated("docs://logo")
		c.says("an update", nil, "docs://logo")
		c.says("what is no JSON", []string{`{"jsonrpc"`}, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: the message ends after 10 bytes, where a colon should be"}}`)
		c.says("an array", []string{`[]`}, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: send one message at a time; the protocol version 2024-11-05 has no batches"}}`)
		c.says("a modern message", []string{modernCall(`5`, "read", `{}`)},
			`{"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"Invalid request: the protocol version 2026-07-28 is not supported over HTTP with SSE; POST to the endpoint without /sse"}}`)
		time.Sleep(16 * time.Second)
		if comments := c.news(); !slices.Equal(comments, []string{": keep-alive"}) {
			t.Errorf("a quiet stream gets %q", comments)
		}
		c.hangUp()
		if !c.over() {
			t.Error("the stream continues without its client")
		}
		if status := c.post(legacyCall(`6`, "read", `{}`)); status != http.StatusNotFound {
			t.Errorf("after the end a message gets %d, want 404", status)
		}
	})
}

// Handlers see the request that opened the stream.
func TestHandlersGetThePrincipalOverHTTPWithSSE(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		server.tools = []servers.Tool{wireTool("who", ``, func(ctx context.Context, r *tools.Request) (tools.Result, error) {
			return tools.Text(fmt.Sprintf("%s %s %s %d %s", r.Principal().ID, r.PathValue("team"), r.Address(), len(r.SessionID()), r.Client().Name)), nil
		})}
		c := connectSSE(t, sseHandler(t, mcp.Config{}, server))
		c.post(initialize("2025-11-25"))
		c.events()
		c.says("a call", []string{legacyCall(`1`, "who", `{}`)}, "ada red 192.0.2.1 26 c")
		c.hangUp()
	})
}

func TestAToolAsksOverHTTPWithSSE(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := &booking{}
		c := connectSSE(t, sseHandler(t, mcp.Config{}, server))
		c.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":` + canFill + `,"clientInfo":{"name":"c","version":"1"}}}`)
		c.events()
		c.post(legacyCall(`1`, "book", `{}`))
		asked := c.events()
		if len(asked) != 1 {
			t.Fatalf("the client gets %+v, want a question", asked)
		}
		c.post(`{"jsonrpc":"2.0","id":` + questionID(t, asked[0].data) + `,` + ada + `}`)
		next := c.events()
		if len(next) != 1 || !strings.Contains(next[0].data, "Book room 0 for 41?") {
			t.Fatalf("the client gets %+v, want the next question", next)
		}
		c.post(`{"jsonrpc":"2.0","id":` + questionID(t, next[0].data) + `,` + agreed + `}`)
		if answer := c.events(); len(answer) != 1 || !strings.Contains(answer[0].data, `"id":1,"result"`) {
			t.Errorf("the client gets %+v, want the result", answer)
		}
		c.hangUp()
	})
}

func TestASessionOfHTTPWithSSEBelongsToItsPrincipal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := connectSSE(t, sseHandler(t, mcp.Config{}, newWireServer()))
		for name, change := range map[string]func(r *http.Request){
			"another principal": func(r *http.Request) { r.Header.Set("User", "eve") },
			"nobody":            func(r *http.Request) { r.Header.Del("User") },
			"another session":   func(r *http.Request) { r.URL.RawQuery = "sessionId=AAAAAAAAAAAAAAAAAAAAAAAAAA" },
			"no session":        func(r *http.Request) { r.URL.RawQuery = "" },
		} {
			r, w := sseRequest(t.Context(), http.MethodPost, c.endpoint, initialize("2024-11-05")), httptest.NewRecorder()
			change(r)
			c.handler.ServeHTTP(w, r)
			if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "The session is not known, or has ended") {
				t.Errorf("%s gets %d %s", name, w.Code, w.Body)
			}
		}
		c.says("all of that", nil)
		c.hangUp()
	})
}

// The path may have unnecessary escapes. The client gets those of the route's path back.
func TestTheEndpointOfAnEscapedPathIsServed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for asked, want := range map[string]string{"/teams/red/mcp/%73se": "/teams/red/mcp/messages", "/teams/%72ed/mcp/sse": "/teams/%72ed/mcp/messages"} {
			handler := sseHandler(t, mcp.Config{}, newWireServer())
			c := &sseClient{listening: readAlong(handler, sseRequest(t.Context(), http.MethodGet, asked, "")), t: t, handler: handler}
			time.Sleep(time.Millisecond)
			events := c.events()
			if len(events) != 1 || !strings.HasPrefix(events[0].data, want+"?sessionId=") {
				t.Errorf("the stream of %s begins with %d %+v", asked, c.status, events)
			}
			c.hangUp()
		}
	})
}

// A proxy in front of the program, and http.StripPrefix around its handler, remove a part of
// the path that the client sees.
func TestTheEndpointHasThePathThatTheClientSees(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ url, proxy, program string }{
		"no URL":                              {"", "", ""},
		"a URL without a path":                {"https://mcp.example.com", "", ""},
		"a URL with a slash":                  {"https://mcp.example.com/", "", ""},
		"a proxy":                             {"https://mcp.example.com/api", "/api", ""},
		"a proxy, and a slash":                {"https://mcp.example.com/api//", "/api", ""},
		"a proxy that removes two segments":   {"https://mcp.example.com/api/v1", "/api/v1", ""},
		"a proxy that removes an escape":      {"https://mcp.example.com/a%20b", "/a%20b", ""},
		"a path like that of the route":       {"https://mcp.example.com/teams", "/teams", ""},
		"the program, without a URL":          {"", "", "/api"},
		"the program, with a URL":             {"https://mcp.example.com/api", "", "/api"},
		"a proxy and the program":             {"https://mcp.example.com/api/v1", "/api", "/v1"},
		"a proxy, and the program below it":   {"https://mcp.example.com/api", "/api", "/v1"},
		"the program, of a longer last part":  {"https://mcp.example.com/my-api", "/my-api", "/api"},
		"the program, below a URL of its own": {"https://mcp.example.com", "", "/api"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				handler := http.StripPrefix(test.program, sseHandler(t, mcp.Config{URL: test.url}, newWireServer()))
				behindProxy := func(path string) string {
					below, ok := strings.CutPrefix(path, test.proxy)
					if !ok {
						t.Fatalf("the proxy doesn't serve %s", path)
					}
					return below
				}
				public := test.proxy + test.program + "/teams/red/mcp"
				stream := readAlong(handler, sseRequest(t.Context(), http.MethodGet, behindProxy(public+"/sse"), ""))
				defer stream.hangUp()
				time.Sleep(time.Millisecond)
				events := stream.events()
				if len(events) != 1 || !strings.HasPrefix(events[0].data, public+"/messages?sessionId=") {
					t.Fatalf("the stream begins with %d %+v, want the endpoint %s", stream.status, events, public+"/messages")
				}
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, sseRequest(t.Context(), http.MethodPost, behindProxy(events[0].data), initialize("2024-11-05")))
				if w.Code != http.StatusAccepted {
					t.Errorf("a message to the endpoint gets %d %s", w.Code, w.Body)
				}
			})
		})
	}
}

func TestTheEndpointsOfHTTPWithSSEMayHaveASlashAtTheirEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		handler := sseHandler(t, mcp.Config{}, newWireServer())
		stream := readAlong(handler, sseRequest(t.Context(), http.MethodGet, "/teams/red/mcp/sse/", ""))
		defer stream.hangUp()
		time.Sleep(time.Millisecond)
		events := stream.events()
		if len(events) != 1 || !strings.HasPrefix(events[0].data, "/teams/red/mcp/messages?sessionId=") {
			t.Fatalf("the stream begins with %d %+v", stream.status, events)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, sseRequest(t.Context(), http.MethodPost, strings.Replace(events[0].data, "?", "/?", 1), initialize("2024-11-05")))
		if w.Code != http.StatusAccepted {
			t.Errorf("a message gets %d %s", w.Code, w.Body)
		}
	})
}

func TestRequestsOfHTTPWithSSEAreChecked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := connectSSE(t, sseHandler(t, mcp.Config{MaxBody: 1000, Sessions: 1}, newWireServer()))
		const stream = "/teams/red/mcp/sse"
		for name, test := range map[string]struct {
			method, path string
			change       func(r *http.Request)
			want         int
		}{
			"an evil host":                {http.MethodGet, stream, func(r *http.Request) { r.Host = "evil.example" }, http.StatusForbidden},
			"an evil host that posts":     {http.MethodPost, c.endpoint, func(r *http.Request) { r.Host = "evil.example" }, http.StatusForbidden},
			"an evil origin":              {http.MethodGet, stream, func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }, http.StatusForbidden},
			"an evil origin that posts":   {http.MethodPost, c.endpoint, func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }, http.StatusForbidden},
			"POST to the stream":          {http.MethodPost, stream, func(*http.Request) {}, http.StatusMethodNotAllowed},
			"GET of the messages":         {http.MethodGet, c.endpoint, func(*http.Request) {}, http.StatusMethodNotAllowed},
			"a client that takes no SSE":  {http.MethodGet, stream, func(r *http.Request) { r.Header.Set("Accept", "application/json") }, http.StatusNotAcceptable},
			"what is not JSON":            {http.MethodPost, c.endpoint, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, http.StatusUnsupportedMediaType},
			"a body that is too large":    {http.MethodPost, c.endpoint, func(r *http.Request) { r.Body, r.ContentLength = http.NoBody, 1001 }, http.StatusRequestEntityTooLarge},
			"one more than there may be":  {http.MethodGet, stream, func(*http.Request) {}, http.StatusServiceUnavailable},
			"GET of the endpoint itself":  {http.MethodGet, "/teams/red/mcp", func(*http.Request) {}, http.StatusMethodNotAllowed},
			"POST to the endpoint itself": {http.MethodPost, "/teams/red/mcp", func(*http.Request) {}, http.StatusBadRequest},
		} {
			r, w := sseRequest(t.Context(), test.method, test.path, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), httptest.NewRecorder()
			test.change(r)
			if c.handler.ServeHTTP(w, r); w.Code != test.want {
				t.Errorf("%s gets %d %s, want %d", name, w.Code, w.Body, test.want)
			}
		}
		c.hangUp()
		synctest.Wait()
		connectSSE(t, c.handler).hangUp() // there is room again
	})
}

func TestCallsEndWithTheStreamOfHTTPWithSSE(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		c := connectSSE(t, sseHandler(t, mcp.Config{}, server))
		c.post(initialize("2024-11-05"))
		for id := range 40 {
			c.post(legacyCall(fmt.Sprint(id), "wait", `{}`))
			synctest.Wait()
			time.Sleep(5 * time.Millisecond) // until another goroutine reads
		}
		if n := server.running.Load(); n != 16 {
			t.Errorf("%d calls of one client run at once, want 16", n)
		}
		start := time.Now()
		c.hangUp()
		if !c.over() {
			t.Error("the stream continues without its client")
		}
		if took, n := time.Since(start), server.running.Load(); took > 0 || n > 0 || len(server.ended) != 16 {
			t.Errorf("after %v %d calls still run, and %d have been notified", took, n, len(server.ended))
		}
	})
}

func TestAnUnreadStreamOfHTTPWithSSEIsClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := &logBuffer{}
		c := connectSSE(t, sseHandler(t, mcp.Config{Logger: slog.New(slog.NewTextHandler(log, nil)), KeepAlive: time.Hour}, newWireServer()))
		c.post(initialize("2024-11-05"))
		time.Sleep(5 * time.Millisecond)
		c.news()
		c.dawdle()
		go c.post(legacyCall(`1`, "echo", `{"message":"a"}`))
		time.Sleep(29 * time.Second)
		if c.over() {
			t.Error("the stream has ended before the write timeout")
		}
		time.Sleep(10 * time.Second)
		if !c.over() {
			t.Error("after the write timeout the stream is still open")
		}
		if log.count("writing an answer") != 1 {
			t.Errorf("the log is\n%s", log)
		}
	})
}

func TestRoutesOfHTTPWithSSEAreListed(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{})
	app.Router.Web("demo", newWireServer()).LegacySSE()
	app.Router.Group("/v1").Web("/", newWireServer()).LegacySSE()
	var out strings.Builder
	if code := app.Run(t.Context(), []string{"list"}, strings.NewReader(""), &out, &out); code != 0 {
		t.Fatalf("list exits with %d: %s", code, &out)
	}
	for _, route := range []string{"POST /mcp/demo ", "GET /mcp/demo/sse ", "POST /mcp/demo/messages ", "GET /v1/sse ", "POST /v1/messages "} {
		if !strings.Contains(out.String(), route) {
			t.Errorf("list doesn't show %q:\n%s", route, &out)
		}
	}
}

func TestMistakesWithHTTPWithSSEAreFoundAtBoot(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config mcp.Config
		more   func(*mcp.Router)
		want   []string
	}{
		"no sessions":       {mcp.Config{Sessions: mcp.Off}, func(*mcp.Router) {}, []string{"/mcp/demo", "LegacySSE needs sessions", "APP_SESSIONS"}},
		"no older versions": {mcp.Config{Versions: []string{"2026-07-28"}}, func(*mcp.Router) {}, []string{"/mcp/demo", "LegacySSE serves older clients", "APP_VERSIONS"}},
		"a path of its":     {mcp.Config{}, func(r *mcp.Router) { r.Web("demo/messages", newWireServer()) }, []string{"the path /mcp/demo/messages is mapped twice"}},
	} {
		app := mcp.New(test.config)
		app.Router.Web("demo", newWireServer()).LegacySSE()
		test.more(app.Router)
		err := app.Validate()
		for _, text := range test.want {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%s: got %v, want %q in it", name, err, text)
			}
		}
	}
}
