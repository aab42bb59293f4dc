package mcp_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/test/gatetest"
)

// TestStreamsLeaveNothingBehind ends many streams in each way. synctest fails a
// test that leaves a goroutine behind; any other reference to a stream would keep its
// response writer alive.
func TestStreamsLeaveNothingBehind(t *testing.T) {
	n := gatetest.Rounds(100, 1000)
	for name, end := range map[string]func(t *testing.T, room *newsroom, server *http.Server, streams []*listening){
		"the client disconnects": func(_ *testing.T, _ *newsroom, _ *http.Server, streams []*listening) {
			for _, l := range streams {
				l.hangUp()
			}
		},
		"the client disconnects during a notification": func(t *testing.T, room *newsroom, _ *http.Server, streams []*listening) {
			for i, l := range streams {
				if i%(n/10) == 0 {
					must(t, room.AddTool(saying(fmt.Sprintf("tool-%d", i), "")))
				}
				l.hangUp()
			}
		},
		"the client does not read": func(t *testing.T, room *newsroom, _ *http.Server, streams []*listening) {
			for _, l := range streams {
				l.dawdle()
			}
			for i := range 100 {
				must(t, room.AddTool(saying(fmt.Sprintf("tool-%d", i), "")))
			}
			time.Sleep(time.Minute)
		},
		"the server shuts down": func(t *testing.T, _ *newsroom, server *http.Server, streams []*listening) {
			must(t, server.Shutdown(t.Context()))
			if news := streams[n-1].news(); len(news) != 2 || news[1] != farewell(fmt.Sprint(n-1), newsroomInfo) {
				t.Errorf("the last stream brings %q", news)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				room, server := &newsroom{}, &http.Server{} //nolint:gosec // a test
				handler := wireHandler(t, mcp.Config{KeepAlive: time.Hour}, room)
				ctx := context.WithValue(t.Context(), http.ServerContextKey, server)
				streams, known := make([]*listening, n), make([]weak.Pointer[listening], n)
				for i := range streams {
					streams[i] = startListening(ctx, handler, listenMessage(fmt.Sprint(i), `{"toolsListChanged":true,"resourceSubscriptions":["docs://logo"]}`), "*/*")
					known[i] = weak.Make(streams[i])
				}
				end(t, room, server, streams)
				for i, l := range streams {
					if !l.over() {
						t.Fatalf("stream %d is still open", i)
					}
				}
				clear(streams)
				time.Sleep(2 * time.Hour) // the runtime drops stopped timers at the time when they would fire
				left := 0
				runtime.GC()
				for _, l := range known {
					if l.Value() != nil {
						left++
					}
				}
				if left > 0 {
					t.Errorf("%d streams are still known", left)
				}
				runtime.KeepAlive(handler)
				runtime.KeepAlive(room)
			})
		})
	}
}

// On stdio a client cancels its streams. After a thousand of them, more can be opened.
func TestCancelledStreamsLeaveNothingBehind(t *testing.T) {
	overStdio(t, mcp.Config{}, func(t *testing.T, room *newsroom, p *pipeline) {
		for i := range 1000 {
			p.send(t, listenMessage(fmt.Sprint(i), `{"toolsListChanged":true}`))
			p.gets(t, acknowledged(fmt.Sprint(i), `{"toolsListChanged":true}`))
			p.send(t, cancelled(fmt.Sprint(i)))
			synctest.Wait() // it is cancelled now
		}
		must(t, room.AddTool(saying("late", "")))
		p.silent(t)
	})
}
