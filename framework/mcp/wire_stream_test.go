package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/eventstream"
)

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

// flushes counts the flushes of a stream.
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
		// One for the first, one for the other 99, one for the message after a second,
		// one for the answer.
		if want := []time.Duration{0, time.Millisecond, time.Second, time.Second}; fmt.Sprint(at) != fmt.Sprint(want) {
			t.Errorf("the stream is flushed at %v, want %v", at, want)
		}
		if n := strings.Count(w.Body.String(), "chat/token"); n != 101 {
			t.Errorf("%d notifications have come, want 101", n)
		}
	})
}

// Numbers that JSON can't represent never reach the wire.
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
	var got []string
	for data := range eventstream.NewReader(client.post(t.Context(), call, "odd").Body, 1<<20).Messages() {
		var event struct {
			Params struct {
				Progress json.Number `json:"progress"`
				Total    *float64    `json:"total"`
			} `json:"params"`
		}
		if err := json.Unmarshal(data, &event); err != nil {
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

// plainWriter is a response writer of middleware that doesn't support flushing.
type plainWriter struct{ recorder *httptest.ResponseRecorder }

func (w plainWriter) Header() http.Header         { return w.recorder.Header() }
func (w plainWriter) WriteHeader(status int)      { w.recorder.WriteHeader(status) }
func (w plainWriter) Write(b []byte) (int, error) { return w.recorder.Write(b) }

func TestAStreamThatCannotBeFlushedIsSentWhole(t *testing.T) {
	t.Parallel()
	handler := wireHandler(t, mcp.Config{}, newWireServer())
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(modernCall(`1`, "stream", `{}`)))
	r.Header = http.Header{"Content-Type": {"application/json"}, "Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"stream"}}
	w := plainWriter{httptest.NewRecorder()}
	handler.ServeHTTP(w, r)
	if body := w.recorder.Body.String(); !strings.Contains(body, "chat/token") || !strings.Contains(body, `"done"`) {
		t.Errorf("the stream is\n%s", body)
	}
}
