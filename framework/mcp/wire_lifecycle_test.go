package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// A client of the fixture server, in the same process. A session makes it an old
// one.
type wireClient struct {
	handler http.Handler
	session string
}

// open begins a session at a version.
func (c *wireClient) open(t *testing.T, version string) *wireClient {
	t.Helper()
	w := (&wireClient{handler: c.handler}).post(t.Context(), initialize(version), "")
	if w.Code != http.StatusOK {
		t.Fatalf("initialize gets %d: %s", w.Code, w.Body)
	}
	return &wireClient{c.handler, w.Header().Get("Mcp-Session-Id")}
}

// post sends a message. The tool is the name that a modern call mirrors.
func (c *wireClient) post(ctx context.Context, message, tool string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(message))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		r.Header.Set("Mcp-Session-Id", c.session)
	} else if tool != "" {
		r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		r.Header.Set("Mcp-Method", "tools/call")
		r.Header.Set("Mcp-Name", tool)
	}
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	return w
}

// call calls a tool in the client's era.
func (c *wireClient) call(ctx context.Context, id, tool, arguments string) *httptest.ResponseRecorder {
	if c.session != "" {
		return c.post(ctx, legacyCall(id, tool, arguments), tool)
	}
	return c.post(ctx, modernCall(id, tool, arguments), tool)
}

// start calls a tool and returns the answer when it comes.
func (c *wireClient) start(ctx context.Context, id, tool string) <-chan *httptest.ResponseRecorder {
	answer := make(chan *httptest.ResponseRecorder, 1)
	go func() { answer <- c.call(ctx, id, tool, `{}`) }()
	synctest.Wait()
	return answer
}

func TestAModernCallEndsWithItsConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		client := &wireClient{handler: wireHandler(t, mcp.Config{}, server)}
		ctx, hangUp := context.WithCancel(t.Context())
		answer := client.start(ctx, `1`, "wait")
		// A notification over HTTP, or another call of that id, does nothing to it.
		client.post(t.Context(), cancelled(`1`), "")
		if w := client.call(t.Context(), `1`, "echo", `{"message":"a"}`); w.Code != http.StatusOK {
			t.Errorf("another call of the id gets %d: over HTTP ids tell nothing", w.Code)
		}
		synctest.Wait()
		if server.running.Load() != 1 {
			t.Fatal("the call has ended before its connection")
		}
		hangUp()
		<-answer
		if err := <-server.ended; err != context.Canceled {
			t.Errorf("the context ends with %v, want %v", err, context.Canceled)
		}
	})
}

func TestALegacyCallOutlivesItsConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		client := (&wireClient{handler: wireHandler(t, mcp.Config{}, server)}).open(t, "2025-11-25")
		ctx, hangUp := context.WithCancel(t.Context())
		answer := client.start(ctx, `1`, "wait")
		hangUp()
		time.Sleep(time.Second)
		if server.running.Load() != 1 {
			t.Error("the call has ended with its connection")
		}
		if w := client.post(t.Context(), cancelled(`1`), ""); w.Code != http.StatusAccepted {
			t.Errorf("the cancellation gets %d, want 202", w.Code)
		}
		if w := <-answer; w.Body.Len() != 0 || w.Code != http.StatusAccepted {
			t.Errorf("the cancelled call gets %d %s, want nothing", w.Code, w.Body)
		}
	})
}

func TestASessionCancelsOnlyItsOwnCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		base := &wireClient{handler: wireHandler(t, mcp.Config{}, server)}
		mine, other := base.open(t, "2025-06-18"), base.open(t, "2025-06-18")
		answer := mine.start(t.Context(), `1`, "wait")
		same := other.start(t.Context(), `1`, "wait") // ids are a client's own
		for _, id := range []string{`2`, `"1"`, `null`, `1.0`} {
			mine.post(t.Context(), cancelled(id), "")
		}
		other.post(t.Context(), cancelled(`1`), "")
		<-same
		if server.running.Load() != 1 {
			t.Fatal("a cancellation of something else has ended the call")
		}
		if w := mine.call(t.Context(), `1`, "echo", `{"message":"a"}`); !strings.Contains(w.Body.String(), "-32600") {
			t.Errorf("an id in flight gets %s, want an invalid request", w.Body)
		}
		mine.post(t.Context(), cancelled(`1`), "")
		<-answer
		if w := mine.call(t.Context(), `1`, "echo", `{"message":"a"}`); w.Code != http.StatusOK || strings.Contains(w.Body.String(), "error") {
			t.Errorf("the id, free again, gets %d %s", w.Code, w.Body)
		}
	})
}

func TestTheEndOfASessionEndsItsCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		client := (&wireClient{handler: wireHandler(t, mcp.Config{}, server)}).open(t, "2025-03-26")
		answer := client.start(t.Context(), `1`, "wait")
		r := httptest.NewRequestWithContext(t.Context(), http.MethodDelete, "http://127.0.0.1/mcp", nil)
		r.Header.Set("Mcp-Session-Id", client.session)
		w := httptest.NewRecorder()
		client.handler.ServeHTTP(w, r)
		<-answer
		if err := <-server.ended; w.Code != http.StatusNoContent || err != context.Canceled {
			t.Errorf("DELETE gets %d, and the call ends with %v", w.Code, err)
		}
	})
}

// A session is in use as long as a call runs, however long that takes.
func TestACallKeepsItsSession(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		config := mcp.Config{CallTimeout: 3 * time.Hour, SessionIdle: time.Minute}
		client := (&wireClient{handler: wireHandler(t, config, server)}).open(t, "2025-11-25")
		answer := client.start(t.Context(), `1`, "wait")
		time.Sleep(time.Hour)
		if w := client.post(t.Context(), cancelled(`1`), ""); w.Code != http.StatusAccepted {
			t.Errorf("the session is gone: %d", w.Code)
		}
		<-answer
		time.Sleep(time.Minute)
		if w := client.call(t.Context(), `2`, "echo", `{"message":"a"}`); w.Code != http.StatusNotFound {
			t.Errorf("an idle session gets %d, want 404", w.Code)
		}
	})
}

func TestTenThousandSessionsAreTheLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := &wireClient{handler: wireHandler(t, mcp.Config{}, newWireServer())}
		for range 10_000 {
			client.open(t, "2025-11-25")
		}
		if w := client.post(t.Context(), initialize("2025-11-25"), ""); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
			t.Errorf("one more gets %d %v, want 503 and when to try again", w.Code, w.Header())
		}
		time.Sleep(30 * time.Minute)
		client.open(t, "2025-11-25")
	})
}

func TestAStubbornToolIsAnsweredForAtTheTimeout(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"", "2025-11-25"} {
		t.Run("era "+version, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server, log := newWireServer(), &logBuffer{}
				client := &wireClient{handler: wireHandler(t, mcp.Config{CallTimeout: time.Second, Logger: slog.New(slog.NewTextHandler(log, nil))}, server)}
				if version != "" {
					client = client.open(t, version)
				}
				answer := client.start(t.Context(), `1`, "stubborn")
				time.Sleep(1200 * time.Millisecond)
				if log.count("ignores its context", "tool=stubborn", "abandoned=1") != 1 {
					t.Errorf("the log doesn't name the tool:\n%s", log)
				}
				if w := client.call(t.Context(), `1`, "echo", `{"message":"a"}`); w.Code != http.StatusOK {
					t.Errorf("the next call, of the same id, gets %d %s", w.Code, w.Body)
				}
				close(server.release)
				w := <-answer
				if got := readAnswer(t, w.Body.String()); !got.Result.IsError || got.text() != "The tool stubborn timed out after 1s." {
					t.Errorf("the answer is %s", w.Body)
				}
				if w.Header().Get("Connection") != "close" {
					t.Error("the connection, which stays with the handler, is offered for the next request")
				}
				if log.count("has returned", "abandoned=0") != 1 {
					t.Errorf("the log doesn't say that the handler has returned:\n%s", log)
				}
			})
		})
	}
}

// quietServer streams a notification, then nothing for a while, then more.
func quietServer(pauses ...time.Duration) *wireServer {
	server := newWireServer()
	server.tools = []servers.Tool{wireTool("quiet", ``, func(ctx context.Context, r *tools.Request) (tools.Result, error) {
		for _, pause := range pauses {
			if err := r.Notify("chat/token", nil); err != nil {
				return nil, err
			}
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		return tools.Text("done"), nil
	})}
	return server
}

func TestAQuietStreamIsKeptAlive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := &wireClient{handler: wireHandler(t, mcp.Config{}, quietServer(40*time.Second))}
		w := client.call(t.Context(), `1`, "quiet", `{}`)
		if n := strings.Count(w.Body.String(), ": keep-alive\n\n"); n != 2 {
			t.Errorf("40 s get %d comments, want one each 15 s:\n%s", n, w.Body)
		}
		time.Sleep(time.Minute)
		if !strings.HasSuffix(w.Body.String(), "}\n\n") {
			t.Errorf("something is written after the answer: %s", w.Body)
		}
	})
}

// flushes counts how often a stream is flushed.
type flushes struct {
	*httptest.ResponseRecorder
	at []time.Time
}

func (f *flushes) Flush() { f.at = append(f.at, time.Now()) }

func TestABurstIsFlushedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pauses := make([]time.Duration, 100)
		pauses[99] = time.Second
		handler := wireHandler(t, mcp.Config{}, quietServer(append(pauses, 0)...))
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(modernCall(`1`, "quiet", `{}`)))
		r.Header = http.Header{"Content-Type": {"application/json"}, "Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"quiet"}}
		w, start := &flushes{ResponseRecorder: httptest.NewRecorder()}, time.Now()
		handler.ServeHTTP(w, r)
		var at []time.Duration
		for _, flush := range w.at {
			at = append(at, flush.Sub(start))
		}
		// The first at once, the other 99 together, the one after a second at once,
		// the answer.
		if want := []time.Duration{0, time.Millisecond, time.Second, time.Second}; fmt.Sprint(at) != fmt.Sprint(want) {
			t.Errorf("the stream is flushed at %v, want %v", at, want)
		}
		if n := strings.Count(w.Body.String(), "chat/token"); n != 101 {
			t.Errorf("%d notifications have come, want 101", n)
		}
	})
}

func TestEachCallIsOneLineOfTheLog(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	config := mcp.Config{Logger: slog.New(slog.NewJSONHandler(&log, nil))}
	client := &wireClient{handler: wireHandler(t, config, newWireServer())}
	old := client.open(t, "2025-03-26")
	client.call(t.Context(), `1`, "echo", `{"message":"secret"}`)
	client.call(t.Context(), `2`, "echo", `{}`)
	client.call(t.Context(), `3`, "boom", `{}`)
	old.call(t.Context(), `4`, "stream", `{}`)
	client.call(t.Context(), `5`, "nothing", `{}`)
	want := []string{
		"echo ok 2026-07-28", "echo tool error 2026-07-28", "boom tool error 2026-07-28", "stream ok 2025-03-26", " error 2026-07-28",
	}
	var got []string
	seen := map[string]bool{}
	for line := range strings.Lines(log.String()) {
		var entry struct {
			Msg, Method, Tool, Outcome, Version, Server string
			Request                                     json.Number
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if entry.Msg != "call" {
			continue
		}
		if entry.Request == "" || seen[entry.Request.String()] || entry.Method+entry.Tool == "" || entry.Server != "fixture" {
			t.Errorf("the line is %s", line)
		}
		seen[entry.Request.String()] = true
		got = append(got, entry.Tool+" "+entry.Outcome+" "+entry.Version)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the log has\n%q, want\n%q", got, want)
	}
	if strings.Contains(log.String(), `"secret"`) {
		t.Errorf("the log has an argument:\n%s", log.String())
	}
}

// What the framework asks of a server between calls may panic too. That is one
// failed request, which a process on stdio survives.
func TestAPanicOfShouldRegisterHidesTheTool(t *testing.T) {
	t.Parallel()
	server := newWireServer()
	server.tools = []servers.Tool{&wireEcho{}, &moodyTool{}}
	p := startPipeline(t, mcp.Config{}, server)
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + modernMeta + `}}`,
		modernCall(`2`, "moody", `{}`),
		modernCall(`3`, "nothing", `{}`),
	} {
		if got := p.ask(t, message); strings.Contains(got, "moody\",\"") || strings.Contains(got, "secret") {
			t.Errorf("%s gets %s, want that the tool is hidden", message, got)
		}
	}
	if p.log.count("secret mood", "moody") == 0 {
		t.Errorf("the log doesn't say why:\n%s", p.log)
	}
}

type moodyTool struct{ tools.Tool }

func (*moodyTool) Name() string                        { return "moody" }
func (*moodyTool) Description() string                 { return "Moody." }
func (*moodyTool) ShouldRegister(context.Context) bool { panic("secret mood") }
func (*moodyTool) Handle(context.Context, *tools.Request) (tools.Result, error) {
	return tools.Text(""), nil
}

// Numbers that JSON doesn't have never reach the wire.
func TestProgressIsAlwaysANumber(t *testing.T) {
	t.Parallel()
	nan := 0.0
	nan /= nan
	server := newWireServer()
	server.tools = []servers.Tool{wireTool("odd", ``, func(_ context.Context, r *tools.Request) (tools.Result, error) {
		for _, done := range []float64{nan, 0, 1 / (nan - nan), 0, 0.5, 0.25, 1e21} {
			_ = r.Progress(done, nan, "")
		}
		return tools.Text("done"), nil
	})}
	client := &wireClient{handler: wireHandler(t, mcp.Config{}, server)}
	call := strings.Replace(modernCall(`1`, "odd", `{}`), `"_meta":{`, `"_meta":{"progressToken":7,`, 1)
	body := client.post(t.Context(), call, "odd").Body.String()
	var got []string
	for line := range strings.Lines(body) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if !ok {
			continue
		}
		var event struct {
			Params struct {
				Progress json.Number `json:"progress"`
				Total    *float64    `json:"total"`
			} `json:"params"`
		}
		if err := json.Unmarshal([]byte(data), &event); err != nil {
			t.Errorf("%s: %v", data, err)
		}
		if event.Params.Progress != "" {
			got = append(got, event.Params.Progress.String())
		}
	}
	if want := "[0 0.5 1000000000000000000000]"; fmt.Sprint(got) != want {
		t.Errorf("the progress is %v, want %s", got, want)
	}
}

// Whatever way a call over HTTP ends, nothing stays behind: synctest fails the
// test if a goroutine does.
func TestHTTPLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		modern := &wireClient{handler: wireHandler(t, mcp.Config{CallTimeout: time.Second}, server)}
		old := modern.open(t, "2025-06-18")
		answers := make(chan *httptest.ResponseRecorder, 1000)
		for i := range 1000 {
			id := fmt.Sprint(i)
			switch i % 8 {
			case 0:
				answers <- modern.call(t.Context(), id, "echo", `{"message":"a"}`)
			case 1:
				answers <- old.call(t.Context(), id, "boom", `{}`)
			case 2:
				go func() { answers <- old.call(t.Context(), id, "wait", `{}`) }()
				synctest.Wait()
				old.post(t.Context(), cancelled(id), "")
			case 3:
				go func() { answers <- modern.call(t.Context(), id, "wait", `{}`) }() // ends at the timeout
			case 4:
				ctx, hangUp := context.WithCancel(t.Context())
				go func() { answers <- modern.call(ctx, id, "wait", `{}`) }()
				synctest.Wait()
				hangUp()
			case 5:
				answers <- modern.call(t.Context(), id, "stream", `{}`)
			case 6:
				answers <- modern.call(t.Context(), id, "nothing", `{}`)
			case 7:
				answers <- old.post(t.Context(), `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/list"}`, "")
			}
		}
		for range 1000 {
			<-answers
		}
		time.Sleep(time.Second)
		if server.running.Load() != 0 {
			t.Errorf("%d calls still run", server.running.Load())
		}
	})
}
