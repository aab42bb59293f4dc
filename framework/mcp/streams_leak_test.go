package mcp_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/test/gatetest"
)

// leaky is a server whose tools stream, and then end in each way.
func leaky() *newspaper {
	paper := newNewspaper()
	streaming := func(name string, then func(ctx context.Context) (tools.Result, error)) servers.Tool {
		return wireTool(name, ``, func(ctx context.Context, r *tools.Request) (tools.Result, error) {
			if err := r.Notify("chat/token", map[string]string{"token": "begun"}); err != nil {
				return nil, err
			}
			return then(ctx)
		})
	}
	until := func(ctx context.Context) (tools.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	paper.tools = []servers.Tool{
		streaming("waits", until),
		wireTool("chats", ``, func(ctx context.Context, r *tools.Request) (tools.Result, error) {
			for ctx.Err() == nil {
				if err := r.Notify("chat/token", map[string]string{"token": "on and on"}); err != nil {
					return nil, err
				}
				time.Sleep(time.Second)
			}
			return nil, ctx.Err()
		}),
		wireTool("floods", ``, func(_ context.Context, r *tools.Request) (tools.Result, error) {
			for text := strings.Repeat("x", 32<<10); ; {
				if err := r.Notify("chat/token", map[string]string{"token": text}); err != nil {
					return nil, err
				}
			}
		}),
		streaming("panics", func(context.Context) (tools.Result, error) { panic("boom") }),
		wireTool("closes", ``, func(ctx context.Context, r *tools.Request) (tools.Result, error) {
			r.CloseStream(time.Second)
			return until(ctx)
		}),
	}
	return paper
}

// A leakTest is many clients with a session each, and a stream that each reads.
type leakTest struct {
	paper   *newspaper
	server  *http.Server
	clients []*wireClient
	streams []*listening
}

// get opens a stream for changes for each client.
func (l *leakTest) get(t *testing.T, i int) *listening { return l.clients[i].get(t, "") }

// call calls a tool for each client.
func (l *leakTest) call(tool string) func(t *testing.T, i int) *listening {
	return func(t *testing.T, i int) *listening { return l.clients[i].follow(t, fmt.Sprint(i), tool) }
}

func (l *leakTest) hangUp(*testing.T) {
	for _, stream := range l.streams {
		stream.hangUp()
	}
}

func (l *leakTest) deleteAll(t *testing.T) {
	for _, client := range l.clients {
		client.end(t)
	}
}

func (l *leakTest) dawdle(t *testing.T) {
	time.Sleep(100 * time.Millisecond) // until all calls have begun: many of one client wait for a moment
	for _, stream := range l.streams {
		stream.dawdle()
	}
	for i := range 10 {
		must(t, l.paper.AddTool(saying(fmt.Sprintf("tool-%d", i), "")))
	}
	time.Sleep(time.Minute)
}

// TestStreamsOfOlderClientsLeaveNothingBehind ends many streams and sessions in
// each way. synctest fails a test that leaves a goroutine behind; any other reference to
// a stream's connection would keep its response writer alive.
func TestStreamsOfOlderClientsLeaveNothingBehind(t *testing.T) {
	n := gatetest.Rounds(100, 1000)
	for name, test := range map[string]struct {
		open func(l *leakTest) func(t *testing.T, i int) *listening
		end  func(l *leakTest, t *testing.T)
	}{
		"a stream whose client disconnects": {func(l *leakTest) func(*testing.T, int) *listening { return l.get }, (*leakTest).hangUp},
		"a stream whose client disconnects during a notification": {
			func(l *leakTest) func(*testing.T, int) *listening { return l.get },
			func(l *leakTest, t *testing.T) {
				for i, stream := range l.streams {
					if i%(len(l.streams)/10) == 0 {
						must(t, l.paper.AddTool(saying(fmt.Sprintf("tool-%d", i), "")))
					}
					stream.hangUp()
				}
			},
		},
		"a stream whose client does not read":   {func(l *leakTest) func(*testing.T, int) *listening { return l.get }, (*leakTest).dawdle},
		"a stream whose session is deleted":     {func(l *leakTest) func(*testing.T, int) *listening { return l.get }, (*leakTest).deleteAll},
		"a stream whose server shuts down":      {func(l *leakTest) func(*testing.T, int) *listening { return l.get }, func(l *leakTest, t *testing.T) { must(t, l.server.Shutdown(t.Context())) }},
		"a call that times out":                 {func(l *leakTest) func(*testing.T, int) *listening { return l.call("waits") }, func(_ *leakTest, _ *testing.T) { time.Sleep(time.Hour) }},
		"a call whose client does not read":     {func(l *leakTest) func(*testing.T, int) *listening { return l.call("chats") }, func(l *leakTest, t *testing.T) { l.dawdle(t); time.Sleep(time.Minute) }},
		"a call that panics":                    {func(l *leakTest) func(*testing.T, int) *listening { return l.call("panics") }, func(*leakTest, *testing.T) {}},
		"a call whose handler closes it":        {func(l *leakTest) func(*testing.T, int) *listening { return l.call("closes") }, func(_ *leakTest, _ *testing.T) { time.Sleep(time.Hour) }},
		"a call whose client disconnects":       {func(l *leakTest) func(*testing.T, int) *listening { return l.call("waits") }, func(l *leakTest, t *testing.T) { l.hangUp(t); time.Sleep(time.Hour) }},
		"a call whose session is deleted":       {func(l *leakTest) func(*testing.T, int) *listening { return l.call("waits") }, (*leakTest).deleteAll},
		"a call that is cancelled":              {func(l *leakTest) func(*testing.T, int) *listening { return l.call("waits") }, (*leakTest).cancelAll},
		"a call that was resumed, and is left":  {func(l *leakTest) func(*testing.T, int) *listening { return l.resumed }, func(l *leakTest, t *testing.T) { l.hangUp(t); time.Sleep(time.Hour) }},
		"a call that was resumed, and ends":     {func(l *leakTest) func(*testing.T, int) *listening { return l.resumed }, func(_ *leakTest, _ *testing.T) { time.Sleep(time.Hour) }},
		"a call that was resumed, and deleted":  {func(l *leakTest) func(*testing.T, int) *listening { return l.resumed }, (*leakTest).deleteAll},
		"HTTP with SSE, the client disconnects": {func(l *leakTest) func(*testing.T, int) *listening { return l.events("waits") }, (*leakTest).hangUp},
		"HTTP with SSE, the client is idle":     {func(l *leakTest) func(*testing.T, int) *listening { return l.events("") }, (*leakTest).hangUp},
		"HTTP with SSE, nobody reads":           {func(l *leakTest) func(*testing.T, int) *listening { return l.events("") }, (*leakTest).dawdle},
		"HTTP with SSE, the server shuts down": {func(l *leakTest) func(*testing.T, int) *listening { return l.events("waits") }, func(l *leakTest, t *testing.T) {
			must(t, l.server.Shutdown(t.Context()))
			time.Sleep(time.Hour)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := &leakTest{paper: leaky(), server: &http.Server{}, streams: make([]*listening, n)} //nolint:gosec // a test
				handler := sseHandler(t, mcp.Config{KeepAlive: time.Hour, ClientCalls: n}, l.paper)
				handler = onServer(l.server, atMCP(handler))
				known := make([]weak.Pointer[listening], n)
				for range known {
					l.clients = append(l.clients, (&wireClient{handler: handler}).open(t, "2025-11-25"))
				}
				open := test.open(l)
				for i := range known {
					l.streams[i] = open(t, i)
					known[i] = weak.Make(l.streams[i])
				}
				test.end(l, t)
				for i, stream := range l.streams {
					if !stream.over() {
						t.Fatalf("stream %d is still open", i)
					}
				}
				l.streams = nil
				time.Sleep(2 * time.Hour) // the runtime drops stopped timers at the time when they would fire
				left := 0
				runtime.GC()
				runtime.GC() // the second one frees pooled memory
				for _, stream := range known {
					if stream.Value() != nil {
						left++
					}
				}
				if left > 0 {
					t.Errorf("%d streams are still known", left)
				}
				runtime.KeepAlive(l)
			})
		})
	}
}

// atMCP rewrites requests for /mcp to the path of a team, which sseHandler serves.
func atMCP(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rest, ok := strings.CutPrefix(r.URL.Path, "/mcp"); ok {
			r.URL.Path = "/teams/red/mcp" + rest
		}
		handler.ServeHTTP(w, r)
	})
}

// onServer sends requests through an HTTP server.
func onServer(server *http.Server, handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), http.ServerContextKey, server)))
	})
}

func (l *leakTest) cancelAll(t *testing.T) {
	for i, client := range l.clients {
		client.post(t.Context(), cancelled(fmt.Sprint(i)), "")
	}
}

// resumed calls a tool, disconnects and reconnects.
func (l *leakTest) resumed(t *testing.T, i int) *listening {
	call := l.clients[i].follow(t, fmt.Sprint(i), "waits")
	time.Sleep(10 * time.Millisecond) // many calls of one client wait for a moment
	events := call.events()
	call.hangUp()
	return l.clients[i].get(t, events[len(events)-1].id)
}

// events opens a stream of HTTP with SSE, and calls a tool if it has a name.
func (l *leakTest) events(tool string) func(t *testing.T, i int) *listening {
	return func(t *testing.T, i int) *listening {
		c := connectSSE(t, l.clients[i].handler)
		c.post(initialize("2024-11-05"))
		if tool != "" {
			c.post(legacyCall(`1`, tool, `{}`))
		}
		synctest.Wait()
		return c.listening
	}
}
