package mcp_test

import (
	"context"
	"errors"
	"io"
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

const (
	keepAlive   = ": keep-alive"
	acceptsBoth = "application/json, text/event-stream"
)

// inSilence runs a test for each version, with a server whose tool "think" calls a function and
// sends nothing before. The client has a session if the version has one.
func inSilence(t *testing.T, think func(context.Context) (tools.Result, error), test func(t *testing.T, client *wireClient, version string)) {
	t.Parallel()
	for _, version := range append(olderVersions(), "2026-07-28") {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server := newWireServer()
				server.tools = []servers.Tool{wireTool("think", ``, func(ctx context.Context, _ *tools.Request) (tools.Result, error) { return think(ctx) })}
				client := &wireClient{handler: wireHandler(t, mcp.Config{}, server)}
				if version != "2026-07-28" {
					client = client.open(t, version)
				}
				test(t, client, version)
			})
		})
	}
}

// thinking returns the function of a tool that takes some time.
func thinking(takes time.Duration, result tools.Result, err error) func(context.Context) (tools.Result, error) {
	return func(ctx context.Context) (tools.Result, error) {
		select {
		case <-time.After(takes):
			return result, err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// think calls the tool, and reads the answer as it arrives.
func (c *wireClient) think(t *testing.T, accept string) *listening {
	t.Helper()
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {accept}}
	message := legacyCall(`1`, "think", `{}`)
	if c.session != "" {
		header.Set("Mcp-Session-Id", c.session)
	} else {
		message = modernCall(`1`, "think", `{}`)
		header["Mcp-Protocol-Version"], header["Mcp-Method"], header["Mcp-Name"] = []string{"2026-07-28"}, []string{"tools/call"}, []string{"think"}
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(message))
	r.Header = header
	return readAlong(c.handler, r)
}

// isStream checks that the client has the headers of a stream, and some bytes of it.
func (l *listening) isStream(t *testing.T) {
	t.Helper()
	synctest.Wait()
	if kind := l.header.Get("Content-Type"); l.status != http.StatusOK || kind != "text/event-stream" || len(l.news()) == 0 {
		t.Errorf("after the silence the client has %d %s", l.status, kind)
	}
}

// A proxy may end a connection that is silent for a minute.
func TestAQuietCallBecomesAStream(t *testing.T) {
	inSilence(t, thinking(time.Minute-time.Second, tools.Text("42"), nil), func(t *testing.T, client *wireClient, version string) {
		l := client.think(t, acceptsBoth)
		time.Sleep(15*time.Second - time.Millisecond)
		if got := l.news(); got != nil {
			t.Errorf("within 15 s the client gets %q", got)
		}
		time.Sleep(2 * time.Millisecond)
		first := l.news()
		if resumes := version == "2025-11-25"; len(first) != 1 || resumes != strings.HasPrefix(first[0], "id: ") || !resumes && first[0] != keepAlive {
			t.Errorf("after 15 s the client gets %q", first)
		}
		if kind := l.header.Get("Content-Type"); l.status != http.StatusOK || kind != "text/event-stream" || l.header.Get("X-Accel-Buffering") != "no" {
			t.Errorf("the answer begins with %d %v", l.status, l.header)
		}
		time.Sleep(30 * time.Second)
		if got := l.news(); !slices.Equal(got, []string{keepAlive, keepAlive}) {
			t.Errorf("in 30 more the client gets %q", got)
		}
		time.Sleep(15 * time.Second)
		got := l.news()
		if !l.over() || len(got) != 1 || gist(got[0]) != "42" || (client.session != "") != strings.HasPrefix(got[0], "id: ") {
			t.Errorf("the answer is %q", got)
		}
	})
}

func TestACallIsSilentIfItsClientAcceptsNoStream(t *testing.T) {
	inSilence(t, thinking(time.Minute-time.Second, tools.Text("42"), nil), func(t *testing.T, client *wireClient, _ string) {
		l := client.think(t, "application/json")
		time.Sleep(time.Minute - 2*time.Second)
		if got := l.news(); got != nil {
			t.Errorf("before the answer the client gets %q", got)
		}
		time.Sleep(time.Second)
		if got := l.news(); !l.over() || len(got) != 1 || gist(got[0]) != "42" || l.header.Get("Content-Type") != "application/json" {
			t.Errorf("the answer is %v %q", l.header, got)
		}
	})
}

func TestACallThatEndsInTimeIsNoStream(t *testing.T) {
	inSilence(t, thinking(15*time.Second-time.Millisecond, tools.Text("42"), nil), func(t *testing.T, client *wireClient, _ string) {
		for range 3 { // the watchdog of one call is that of the next
			l := client.think(t, acceptsBoth)
			time.Sleep(15 * time.Second)
			if got := l.news(); !l.over() || len(got) != 1 || gist(got[0]) != "42" || l.header.Get("Content-Type") != "application/json" {
				t.Errorf("the answer is %v %q", l.header, got)
			}
		}
	})
}

func TestAQuietCallMayFail(t *testing.T) {
	for name, test := range map[string]struct {
		think func(context.Context) (tools.Result, error)
		want  string
	}{
		"an error":          {thinking(20*time.Second, nil, errors.New("secret")), `"isError":true`},
		"a tool error":      {thinking(20*time.Second, tools.Error("It is unknowable."), nil), `It is unknowable.`},
		"a protocol error":  {thinking(20*time.Second, nil, &exchange.Error{Code: -32050, Message: "Too deep", Status: http.StatusForbidden}), `"message":"Too deep"`},
		"a time that is up": {thinking(time.Hour, nil, nil), `timed out after 1m0s`},
		"a panic": {func(context.Context) (tools.Result, error) {
			time.Sleep(20 * time.Second)
			panic("think")
		}, `"isError":true`},
	} {
		t.Run(name, func(t *testing.T) {
			inSilence(t, test.think, func(t *testing.T, client *wireClient, _ string) {
				l := client.think(t, acceptsBoth)
				time.Sleep(16 * time.Second)
				l.isStream(t)
				time.Sleep(time.Minute)
				got := slices.DeleteFunc(l.news(), func(event string) bool { return event == keepAlive })
				if !l.over() || len(got) != 1 || !strings.Contains(got[0], test.want) || !strings.Contains(got[0], `"id":1`) {
					t.Errorf("the answer is %q, want %s", got, test.want)
				}
			})
		})
	}
}

// Once the answer is a stream, its status is 200. An error that comes before has its own.
func TestAnErrorBeforeTheSilenceHasItsStatus(t *testing.T) {
	refused := &exchange.Error{Code: -32050, Message: "Not for you", Status: http.StatusForbidden}
	inSilence(t, thinking(14*time.Second, nil, refused), func(t *testing.T, client *wireClient, _ string) {
		l := client.think(t, acceptsBoth)
		time.Sleep(15 * time.Second)
		if got := l.news(); !l.over() || l.status != http.StatusForbidden || len(got) != 1 || !strings.Contains(got[0], "Not for you") {
			t.Errorf("the client gets %d %q", l.status, got)
		}
	})
}

func TestAQuietCallIsCancelled(t *testing.T) {
	ended := make(chan error, 10)
	think := func(ctx context.Context) (tools.Result, error) {
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	}
	inSilence(t, think, func(t *testing.T, client *wireClient, _ string) {
		l := client.think(t, acceptsBoth)
		time.Sleep(16 * time.Second)
		l.isStream(t)
		if client.session == "" {
			l.hangUp() // which cancels a call of 2026-07-28
		} else if w := client.post(t.Context(), cancelled(`1`), ""); w.Code != http.StatusAccepted {
			t.Errorf("the cancellation gets %d", w.Code)
		}
		if !l.over() {
			t.Error("the stream continues")
		}
		if got := l.news(); client.session != "" && got != nil {
			t.Errorf("after the cancellation the client gets %q", got)
		}
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the context of the handler ends with %v", err)
		}
	})
}

// The call of an older client goes on without its connection.
func TestAQuietCallIsResumed(t *testing.T) {
	inSilence(t, thinking(40*time.Second, tools.Text("42"), nil), func(t *testing.T, client *wireClient, version string) {
		if version != "2025-11-25" {
			return // a client of another version has no event from which to resume
		}
		l := client.think(t, acceptsBoth)
		time.Sleep(16 * time.Second)
		events := l.events()
		if len(events) != 1 || events[0].id == "" || events[0].data != "" {
			t.Fatalf("after the silence the client gets %+v", events)
		}
		l.hangUp()
		time.Sleep(10 * time.Second)
		back := client.get(t, events[0].id)
		back.gets(t, "before the answer")
		time.Sleep(15 * time.Second)
		if got := back.events(); !back.over() || len(got) != 1 || gist(got[0].data) != "42" {
			t.Errorf("the answer is %+v", got)
		}
	})
}

func TestAQuietCallOfAClientThatLeftEnds(t *testing.T) {
	inSilence(t, thinking(40*time.Second, tools.Text("42"), nil), func(t *testing.T, client *wireClient, _ string) {
		l := client.think(t, acceptsBoth)
		time.Sleep(5 * time.Second)
		l.hangUp()
		time.Sleep(time.Minute)
		if !l.over() {
			t.Error("the call doesn't end")
		}
	})
}

// A stream that says something else needs no comment meanwhile.
func TestACallThatReportsProgressIsNotQuiet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		server.tools = []servers.Tool{wireTool("think", ``, func(_ context.Context, r *tools.Request) (tools.Result, error) {
			for range 5 {
				if err := r.Notify("chat/token", map[string]string{"token": "hm"}); err != nil {
					return nil, err
				}
				time.Sleep(10 * time.Second)
			}
			return tools.Text("42"), nil
		})}
		l := (&wireClient{handler: wireHandler(t, mcp.Config{}, server)}).think(t, acceptsBoth)
		time.Sleep(time.Minute)
		var got []string
		for _, event := range l.news() {
			got = append(got, gist(event))
		}
		if want := []string{"hm", "hm", "hm", "hm", "hm", "42"}; !slices.Equal(got, want) {
			t.Errorf("the client gets %q, want %q", got, want)
		}
	})
}

// All answers of a batch have one stream. Those that are there when it begins don't wait.
func TestAQuietBatchBecomesAStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		server.tools = []servers.Tool{saying("know", "17"), wireTool("think", ``, func(ctx context.Context, _ *tools.Request) (tools.Result, error) {
			return thinking(20*time.Second, tools.Text("42"), nil)(ctx)
		})}
		client := (&wireClient{handler: wireHandler(t, mcp.Config{}, server)}).open(t, "2025-03-26")
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(
			"["+legacyCall(`1`, "think", `{}`)+","+legacyCall(`2`, "know", `{}`)+","+legacyCall(`3`, "think", `{}`)+"]"))
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {acceptsBoth}, "Mcp-Session-Id": {client.session}}
		l := readAlong(client.handler, r)
		time.Sleep(14 * time.Second)
		l.gets(t, "at first")
		time.Sleep(2 * time.Second)
		l.gets(t, "after the silence", "17")
		time.Sleep(5 * time.Second)
		l.gets(t, "at the end", "42", "42")
		if !l.over() {
			t.Error("the stream continues")
		}
	})
}

// On stdio there is no proxy, and no comment.
func TestAQuietCallOnStdioSendsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		server.tools = []servers.Tool{wireTool("think", ``, func(ctx context.Context, _ *tools.Request) (tools.Result, error) {
			return thinking(50*time.Second, tools.Text("42"), nil)(ctx)
		})}
		p := startPipeline(t, mcp.Config{}, server)
		p.send(t, modernCall(`1`, "think", `{}`))
		time.Sleep(49 * time.Second)
		p.silent(t)
		if got := p.next(t); gist(got) != "42" {
			t.Errorf("the answer is %s", got)
		}
	})
}

// A stream ends with its request, and so with the handler. The client doesn't wait for that.
func TestTheStreamOfAQuietCallEndsAtItsDeadline(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2026-07-28", "2025-06-18", "2025-11-25"} {
		server := newWireServer()
		t.Cleanup(func() { close(server.release) })
		// Each has a program, since the end of the stream ends its connection. A client's next request
		// to the same address may still be sent on it.
		p := startProgram(t, mcp.Config{CallTimeout: 500 * time.Millisecond, KeepAlive: 50 * time.Millisecond}, server)
		var kind, body string
		if version == "2026-07-28" {
			var w *http.Response
			w, body = p.ask(t, `1`, "stubborn", `{}`)
			kind = w.Header.Get("Content-Type")
		} else {
			w := converse(t, "http://"+p.addr+"/mcp", version, `{}`).post(legacyCall(`1`, "stubborn", `{}`))
			text, err := io.ReadAll(w.Body)
			must(t, err)
			kind, body = w.Header.Get("Content-Type"), string(text)
		}
		if kind != "text/event-stream" || !strings.Contains(body, "timed out after 500ms") {
			t.Errorf("%s: the answer is %s %s", version, kind, body)
		}
		if running := server.running.Load(); running != 1 {
			t.Errorf("%s: %d handlers run, want 1", version, running)
		}
	}
}

// Some proxies pass on no headers without a byte of the body.
func TestAStreamBeginsWithAByte(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begins := func(what string, l *listening, want string) {
			t.Helper()
			time.Sleep(time.Millisecond)
			if got := l.news(); len(got) != 1 || !strings.HasPrefix(got[0], want) || l.status != http.StatusOK {
				t.Errorf("%s begins with %d %q, want %s", what, l.status, got, want)
			}
			l.hangUp()
			synctest.Wait()
		}
		handler := wireHandler(t, mcp.Config{}, boxOf(saying("a", "")))
		begins("subscriptions/listen", listenTo(t, handler, `1`, `{"toolsListChanged":true}`), `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged"`)
		for _, version := range olderVersions() {
			want := keepAlive
			if version == "2025-11-25" {
				want = "id: "
			}
			begins("a GET of "+version, (&wireClient{handler: handler}).open(t, version).get(t, ""), want)
		}
		sse := sseHandler(t, mcp.Config{}, boxOf(saying("a", "")))
		begins("HTTP with SSE", readAlong(sse, sseRequest(t.Context(), http.MethodGet, "/teams/red/mcp/sse", "")), "event: endpoint")
	})
}
