package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/eventstream"
	"github.com/bowline-mcp/bowline/internal/test/gatetest"
)

// The timeouts of a request and its answer don't apply to a stream, neither the program's
// nor those of an HTTP server that mounts its handler.
func TestTheTimeoutsOfARequestDoNotEndAStream(t *testing.T) {
	t.Parallel()
	const short = time.Second // in which a busy machine reads the request
	config := mcp.Config{CallTimeout: short, WriteTimeout: short, BodyTimeout: short, HeaderTimeout: short, KeepAlive: time.Hour}
	room, mounted := &newsroom{}, &newsroom{}
	serving := startProgram(t, config, room)
	config.Logger = slog.New(slog.DiscardHandler)
	server := &http.Server{Handler: wireHandler(t, config, mounted), ReadTimeout: short, WriteTimeout: short, IdleTimeout: short}
	streams := map[*newsroom]*remoteStream{}
	for room, addr := range map[*newsroom]string{room: serving.addr, mounted: serveOn(t, server)} {
		s, err := openStream(addr, `1`, `{"toolsListChanged":true}`)
		must(t, err)
		streams[room] = s
	}
	time.Sleep(2 * short)
	for room, s := range streams {
		must(t, room.AddTool(saying("late", "")))
		if got := s.next(); got != listChanged(`1`, "tools") {
			t.Errorf("after a while the stream brings %s", got)
		}
		_ = s.conn.Close()
	}
}

func TestAServersOwnReadTimeoutDoesNotEndAStreamOfEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const short = 100 * time.Millisecond
		app := mcp.New(mcp.Config{Logger: slog.New(slog.DiscardHandler)})
		app.Router.Web("/mcp", newWireServer()).LegacySSE()
		handler, err := app.Handler()
		must(t, err)
		conn := dialInBubble(t, &http.Server{Handler: handler, ReadTimeout: short})
		write(t, conn, "GET /mcp/sse HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n")
		must(t, conn.SetReadDeadline(time.Now().Add(5*short)))
		if text, err := io.ReadAll(conn); !errors.Is(err, os.ErrDeadlineExceeded) || !strings.Contains(string(text), "event: endpoint") {
			t.Errorf("the stream ends with %v, after %s", err, text)
		}
	})
}

// A program that mounts the handler shuts its server down as usual: streams don't delay
// it, and clients get a final message.
func TestAnHTTPServerThatShutsDownEndsItsStreams(t *testing.T) {
	t.Parallel()
	server := &http.Server{Handler: wireHandler(t, mcp.Config{}, &newsroom{})} //nolint:gosec // a test
	streams := manyStreams(t, serveOn(t, server), 10)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	must(t, server.Shutdown(ctx))
	for i, s := range streams {
		if got := s.next(); got != farewell(fmt.Sprint(i), newsroomInfo) {
			t.Errorf("stream %d ends with %s", i, got)
		}
	}
}

// A request may arrive at the handler while its server begins to shut down.
func TestAStreamThatOpensWhileItsServerShutsDownEndsToo(t *testing.T) {
	t.Parallel()
	held := hold(wireHandler(t, mcp.Config{}, &newsroom{}), func(r *http.Request) bool { return r.Header.Get("Late") != "" })
	server := &http.Server{Handler: held} //nolint:gosec // a test
	addr := serveOn(t, server)
	first := manyStreams(t, addr, 1)[0]
	late := make(chan string, 2)
	go func() {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addr+"/mcp", strings.NewReader(listenMessage(`"late"`, `{"toolsListChanged":true}`)))
		must(t, err)
		r.Header = listenHeader()
		r.Header.Set("Late", "yes")
		w, err := http.DefaultClient.Do(r)
		must(t, err)
		defer func() { _ = w.Body.Close() }()
		stream := &remoteStream{events: eventstream.NewReader(w.Body, 1<<20)}
		late <- stream.next()
		late <- stream.next()
	}()
	<-held.arrived
	ended := shutdown(t, server)
	if got := first.next(); got != farewell(`0`, newsroomInfo) {
		t.Errorf("the first stream ends with %s", got)
	}
	close(held.goOn)
	must(t, <-ended)
	if got := <-late; got != acknowledged(`"late"`, `{"toolsListChanged":true}`) {
		t.Errorf("the late stream begins with %s", got)
	}
	if got := <-late; got != farewell(`"late"`, newsroomInfo) {
		t.Errorf("the late stream ends with %s", got)
	}
}

// A doorman is a handler that delays some requests.
type doorman struct {
	handler       http.Handler
	waits         func(*http.Request) bool
	arrived, goOn chan struct{}
}

func hold(handler http.Handler, waits func(*http.Request) bool) *doorman {
	return &doorman{handler, waits, make(chan struct{}), make(chan struct{})}
}

func (h *doorman) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.waits(r) {
		close(h.arrived)
		<-h.goOn
	}
	h.handler.ServeHTTP(w, r)
}

// shutdown shuts a server down and returns the result.
func shutdown(t *testing.T, server *http.Server) <-chan error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	ended := make(chan error, 1)
	go func() { ended <- server.Shutdown(ctx) }()
	return ended
}

func TestAProgramThatStopsEndsItsStreamsAtOnce(t *testing.T) {
	t.Parallel()
	p := startProgram(t, mcp.Config{Drain: time.Minute}, &newsroom{})
	streams := manyStreams(t, p.addr, 100)
	start := time.Now()
	p.stop()
	for i, s := range streams {
		if got := s.next(); got != farewell(fmt.Sprint(i), newsroomInfo) {
			t.Errorf("stream %d ends with %s", i, got)
		}
		if got := s.next(); got != "EOF" {
			t.Errorf("then got %s", got)
		}
	}
	<-p.done
	if took := time.Since(start); p.code != 0 || took > time.Minute/2 {
		t.Errorf("the program ends with %d after %s", p.code, took)
	}
}

func TestADrainingProgramAcceptsNoStreams(t *testing.T) {
	t.Parallel()
	server := newWireServer()
	p := startProgram(t, mcp.Config{Drain: time.Minute}, server)
	conn := p.dial(t)
	write(t, conn, rawCall(modernCall(`1`, "wait", `{}`), "wait"))
	eventually(t, "the call runs", func() bool { return server.running.Load() == 1 })
	s, err := openStream(p.addr, `1`, `{"toolsListChanged":true}`)
	must(t, err)
	p.stop()
	if got := s.next(); !strings.Contains(got, `"resultType":"complete"`) {
		t.Errorf("while a call runs, the stream brings %s", got)
	}
	if _, err := openStream(p.addr, `2`, `{}`); err == nil || !strings.Contains(err.Error(), "503 Service Unavailable") {
		t.Errorf("a new stream gets %v", err)
	}
	_ = conn.Close() // which ends the call
}

// TestStreamsLeaveNothingBehindOverTCP ends many streams in each way in which a
// connection can end.
func TestStreamsLeaveNothingBehindOverTCP(t *testing.T) {
	n, ways := gatetest.Rounds(100, 1000), partings{}
	for name, end := range map[string]func(t *testing.T, conn *net.TCPConn){
		"the client disconnects": func(t *testing.T, conn *net.TCPConn) { must(t, conn.Close()) },
		"the client resets the connection": func(t *testing.T, conn *net.TCPConn) {
			must(t, conn.SetLinger(0))
			must(t, conn.Close())
		},
		// net/http doesn't detect that such a client has disconnected, but writing the
		// next comments fails.
		"the client begins another request and disconnects": func(t *testing.T, conn *net.TCPConn) {
			write(t, conn, "POST /mcp HTTP/1.1\r\n")
			must(t, conn.Close())
		},
	} {
		ways[name] = func(t *testing.T) (*program, func()) {
			room := &newsroom{}
			p := startProgram(t, mcp.Config{KeepAlive: 100 * time.Millisecond}, room)
			return p, func() {
				streams := manyStreams(t, p.addr, n)
				for i, s := range streams {
					if i%(n/10) == 0 { // some get a notification while they end
						must(t, room.AddTool(saying("late", "")))
						room.RemoveTool("late")
					}
					end(t, s.conn.(*net.TCPConn))
					streams[i] = nil
				}
			}
		}
	}
	ways.leaveNothing(t, 0)
}

// Over HTTP/2 a write deadline that passes would reset the stream though nothing is
// written.
func TestAStreamOverHTTP2OutlivesItsWriteDeadline(t *testing.T) {
	t.Parallel()
	const short = time.Second // in which a busy machine answers
	room := &newsroom{}
	server := httptest.NewUnstartedServer(wireHandler(t, mcp.Config{WriteTimeout: short, KeepAlive: time.Hour}, room))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/mcp", strings.NewReader(listenMessage(`1`, `{"toolsListChanged":true}`)))
	must(t, err)
	r.Header = listenHeader()
	w, err := server.Client().Do(r)
	must(t, err)
	defer func() { _ = w.Body.Close() }()
	stream := &remoteStream{events: eventstream.NewReader(w.Body, 1<<20)}
	if got := stream.next(); w.ProtoMajor != 2 || got != acknowledged(`1`, `{"toolsListChanged":true}`) {
		t.Fatalf("%s begins with %s", w.Proto, got)
	}
	time.Sleep(2 * short)
	must(t, room.AddTool(saying("late", "")))
	if got := stream.next(); got != listChanged(`1`, "tools") {
		t.Errorf("after a while the stream brings %s", got)
	}
}

// peers/bench measures its duration and its effect on calls.
func TestAThousandStreamsAreNotifiedOfATool(t *testing.T) {
	room := &newsroom{}
	p := startProgram(t, mcp.Config{}, room)
	streams := manyStreams(t, p.addr, gatetest.Rounds(200, 1000))
	start := time.Now()
	must(t, room.AddTool(saying("late", "")))
	for i, s := range streams {
		if got := s.next(); got != listChanged(fmt.Sprint(i), "tools") {
			t.Fatalf("stream %d brings %s", i, got)
		}
	}
	t.Logf("%d streams were told, and read, in %s", len(streams), time.Since(start))
}
