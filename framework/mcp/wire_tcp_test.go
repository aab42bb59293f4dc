package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/eventstream"
	"github.com/bowline-mcp/bowline/internal/limits"
)

func TestSlowHeadersLoseTheirConnection(t *testing.T) {
	t.Parallel()
	p := startProgram(t, mcp.Config{HeaderTimeout: time.Second}, newWireServer())
	conn := p.dial(t)
	write(t, conn, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n")
	start := time.Now()
	if rest, err := io.ReadAll(conn); err != nil || len(rest) > 0 && !strings.HasPrefix(string(rest), "HTTP/1.1 4") {
		t.Errorf("the connection gets %q, %v, want its end", rest, err)
	}
	if took := time.Since(start); took >= limits.HeaderTimeout {
		t.Errorf("that takes %v", took)
	}
	if w, body := p.ask(t, `1`, "echo", `{"message":"a"}`); w.StatusCode != http.StatusOK {
		t.Errorf("a neighbour gets %d %s", w.StatusCode, body)
	}
}

func TestLongHeadersAreRefused(t *testing.T) {
	t.Parallel()
	p := startProgram(t, mcp.Config{}, newWireServer())
	for size, status := range map[int]int{60 << 10: http.StatusOK, 80 << 10: http.StatusRequestHeaderFieldsTooLarge} {
		conn := p.dial(t)
		call := strings.Replace(rawCall(modernCall(`1`, "echo", `{"message":"a"}`), "echo"), "\r\n\r\n", "\r\nAuthorization: Bearer "+strings.Repeat("a", size)+"\r\n\r\n", 1)
		go func() { _, _ = io.WriteString(conn, call) }() // the server may close the connection meanwhile
		if w, body := read(t, conn); w.StatusCode != status {
			t.Errorf("headers of %d bytes get %d %.100s, want %d", size, w.StatusCode, body, status)
		}
	}
}

func TestASlowBodyIsRefused(t *testing.T) {
	t.Parallel()
	p := startProgram(t, mcp.Config{BodyTimeout: time.Second}, newWireServer())
	conn := p.dial(t)
	call := rawCall(modernCall(`1`, "echo", `{"message":"a"}`), "echo")
	write(t, conn, call[:len(call)-20])
	start := time.Now()
	w, body := read(t, conn)
	if w.StatusCode != http.StatusRequestTimeout || !w.Close || !strings.Contains(body, "1s") {
		t.Errorf("the answer is %d %s, want 408, the limit, and the end of the connection", w.StatusCode, body)
	}
	if took := time.Since(start); took >= limits.BodyTimeout {
		t.Errorf("that takes %v", took)
	}
}

func TestAServersOwnReadTimeoutBoundsABody(t *testing.T) {
	t.Parallel()
	addr := serveOn(t, &http.Server{Handler: wireHandler(t, mcp.Config{}, newWireServer()), ReadTimeout: time.Second})
	conn, err := net.Dial("tcp", addr)
	must(t, err)
	defer conn.Close() //nolint:errcheck // a test
	call := rawCall(modernCall(`1`, "echo", `{"message":"a"}`), "echo")
	write(t, conn, call[:len(call)-20])
	start := time.Now()
	if w, body := read(t, conn); w.StatusCode != http.StatusRequestTimeout || !strings.Contains(body, "1s") || time.Since(start) >= limits.BodyTimeout {
		t.Errorf("after %v the answer is %d %s, want 408 and the limit", time.Since(start), w.StatusCode, body)
	}
}

func TestABodyInChunksIsAccepted(t *testing.T) {
	t.Parallel()
	p := startProgram(t, mcp.Config{}, newWireServer())
	conn := p.dial(t)
	call := rawCall(modernCall(`1`, "echo", `{"message":"a"}`), "echo")
	for call != "" {
		n := min(100, len(call))
		write(t, conn, call[:n])
		call = call[n:]
		time.Sleep(time.Millisecond)
	}
	if w, body := read(t, conn); w.StatusCode != http.StatusOK || readAnswer(t, body).Result == nil {
		t.Errorf("the answer is %d %s", w.StatusCode, body)
	}
}

func TestFiveMebibytesAreTooMuch(t *testing.T) {
	t.Parallel()
	p := startProgram(t, mcp.Config{}, newWireServer())
	url := "http://" + p.addr + "/mcp"
	message := modernCall(`1`, "echo", `{"message":"`+strings.Repeat("x", 5<<20)+`"}`)
	for name, body := range map[string]io.Reader{
		"with its length": strings.NewReader(message),
		"in chunks":       io.MultiReader(strings.NewReader(message)),
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		w, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text, _ := io.ReadAll(w.Body)
		_ = w.Body.Close()
		if w.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(string(text), "4 MiB") {
			t.Errorf("%s: the answer is %d %s, want 413 and the limit", name, w.StatusCode, text)
		}
	}
}

func TestATruncatedBodyIsNotAMessage(t *testing.T) {
	t.Parallel()
	p := startProgram(t, mcp.Config{}, newWireServer())
	conn := p.dial(t)
	call := rawCall(modernCall(`1`, "echo", `{"message":"a"}`), "echo")
	write(t, conn, call[:len(call)-20])
	_ = conn.(interface{ CloseWrite() error }).CloseWrite()
	if w, body := read(t, conn); w.StatusCode != http.StatusBadRequest || strings.Contains(body, "EOF") {
		t.Errorf("the answer is %d %s, want 400", w.StatusCode, body)
	}
}

// A notification fails when the connection has ended, and so does its handler.
func TestAHandlerIsCancelledIfSendingFails(t *testing.T) {
	t.Parallel()
	server := newWireServer()
	server.tools = []servers.Tool{wireTool("talk", ``, func(_ context.Context, r *tools.Request) (tools.Result, error) {
		for {
			if err := r.Notify("acme/word", map[string]string{"word": strings.Repeat("so", 1000)}); err != nil {
				return nil, err
			}
		}
	})}
	p := startProgram(t, mcp.Config{}, server)
	conn := p.dial(t)
	write(t, conn, rawCall(modernCall(`1`, "talk", `{}`), "talk"))
	if _, err := io.ReadFull(conn, make([]byte, 10_000)); err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	eventually(t, "the call is logged as cancelled", func() bool { return p.log.count("tool=talk", "outcome=canceled") == 1 })
	if p.log.count("failed") != 0 {
		t.Errorf("the log is\n%s", p.log)
	}
}

// The call of an older client outlives its connection, but must not keep it open.
func TestTheConnectionOfAnOlderClientThatLeftIsClosedWhileItsCallGoesOn(t *testing.T) {
	t.Parallel()
	for name, sessions := range map[string]int{"in a session": 0, "without sessions": mcp.Off} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newWireServer()
			server.tools = []servers.Tool{
				wireTool("stubborn", ``, server.stubborn),
				wireTool("talk", ``, func(ctx context.Context, r *tools.Request) (tools.Result, error) {
					_ = r.Notify("acme/word", nil)
					return server.stubborn(ctx, r)
				}),
			}
			var open, closed atomic.Int32
			addr := serveOn(t, &http.Server{Handler: wireHandler(t, mcp.Config{Sessions: sessions}, server), ConnState: func(_ net.Conn, state http.ConnState) {
				switch state {
				case http.StateNew:
					open.Add(1)
				case http.StateHijacked, http.StateClosed:
					closed.Add(1)
				default:
				}
			}})
			begin := func(message, session string) net.Conn {
				conn, err := net.Dial("tcp", addr)
				must(t, err)
				write(t, conn, fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nMcp-Session-Id: %s\r\nContent-Length: %d\r\n\r\n%s", session, len(message), message))
				return conn
			}
			first := begin(initialize("2025-06-18"), "")
			w, _ := read(t, first)
			must(t, first.Close())
			for id, tool := range []string{"stubborn", "stubborn", "talk"} {
				must(t, begin(legacyCall(fmt.Sprint(id), tool, `{}`), w.Header.Get("Mcp-Session-Id")).Close())
			}
			eventually(t, "the calls run, and their connections are closed", func() bool { return server.running.Load() == 3 && closed.Load() == 4 && open.Load() == 4 })
			close(server.release)
			eventually(t, "the calls end", func() bool { return server.running.Load() == 0 })
		})
	}
}

// The answer for a tool that ignores its context is sent on its connection, which can't
// be used again. The next call uses a new connection and is served immediately.
func TestAStubbornToolDoesNotBlockOtherCalls(t *testing.T) {
	t.Parallel()
	server := newWireServer()
	p := startProgram(t, mcp.Config{CallTimeout: time.Second}, server)
	w, body := p.ask(t, `1`, "stubborn", `{}`)
	if got := readAnswer(t, body); !strings.Contains(got.text(), "timed out") || !w.Close {
		t.Errorf("the answer is %s, and the connection closes: %v", body, w.Close)
	}
	if _, body := p.ask(t, `2`, "echo", `{"message":"a"}`); readAnswer(t, body).Result == nil {
		t.Errorf("the next call gets %s", body)
	}
	eventually(t, "the log names the tool", func() bool { return p.log.count("ignores its context", "tool=stubborn") == 1 })
	if server.running.Load() != 1 {
		t.Fatal("the handler has ended, so this tests nothing")
	}
	start := time.Now()
	p.stop()
	<-p.done
	if took := time.Since(start); took >= limits.Drain || p.code != 0 {
		t.Errorf("the program ends with %d after %v", p.code, took)
	}
	close(server.release)
}

func TestAClientThatDisconnectsEndsItsCall(t *testing.T) {
	t.Parallel()
	server := quietServer(0, time.Hour)
	ended := make(chan error, 1)
	server.tools = []servers.Tool{wireTool("quiet", ``, func(ctx context.Context, r *tools.Request) (tools.Result, error) {
		if err := r.Notify("chat/token", nil); err != nil {
			return nil, err
		}
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	})}
	p := startProgram(t, mcp.Config{}, server)
	conn := p.dial(t)
	write(t, conn, rawCall(modernCall(`1`, "quiet", `{}`), "quiet"))
	stream := eventstream.NewReader(conn, 1<<20)
	for notified := false; !notified; {
		event, _, err := stream.Next()
		must(t, err)
		notified = len(event.Fields().Message()) > 0
	}
	_ = conn.Close()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the context ends with %v", err)
		}
	case <-time.After(30 * time.Second):
		t.Error("the call continues")
	}
}

// A client that doesn't read a stream is disconnected after the write timeout.
func TestASlowReaderIsDisconnected(t *testing.T) {
	t.Parallel()
	server, failed := newWireServer(), make(chan error, 1)
	server.tools = []servers.Tool{wireTool("flood", ``, func(ctx context.Context, r *tools.Request) (tools.Result, error) {
		params := map[string]string{"token": strings.Repeat("x", 1<<20)}
		for {
			if err := r.Notify("chat/token", params); err != nil {
				failed <- err
				return nil, err
			}
		}
	})}
	p := startProgram(t, mcp.Config{WriteTimeout: 200 * time.Millisecond}, server)
	conn := p.dial(t)
	write(t, conn, rawCall(modernCall(`1`, "flood", `{}`), "flood"))
	select {
	case err := <-failed:
		if !strings.Contains(err.Error(), "the client has disconnected") {
			t.Errorf("the handler gets %v", err)
		}
	case <-time.After(limits.WriteTimeout):
		t.Fatal("the handler hangs")
	}
}

// The write timeout applies to each write, not to the time between writes.
func TestAPauseIsNotASlowReader(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"a small answer": 10, "a large answer": 100_000} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newWireServer()
			server.tools = []servers.Tool{wireTool("pause", ``, func(_ context.Context, r *tools.Request) (tools.Result, error) {
				if err := r.Notify("chat/token", nil); err != nil {
					return nil, err
				}
				time.Sleep(3 * time.Second)
				if err := r.Notify("chat/token", map[string]string{"token": strings.Repeat("x", size)}); err != nil {
					return nil, err
				}
				time.Sleep(3 * time.Second)
				return tools.Text(strings.Repeat("x", size)), nil
			})}
			_, body := askInBubble(t, mcp.Config{WriteTimeout: time.Second}, server, "pause")
			if strings.Count(body, "chat/token") != 2 || !strings.Contains(body, `"result"`) {
				t.Errorf("the stream is %.200s, %d bytes, want two notifications and the answer", body, len(body))
			}
		})
	}
}

// A tool may have a longer timeout than other calls.
func TestALongToolIsAnswered(t *testing.T) {
	t.Parallel()
	server := newWireServer()
	server.tools = []servers.Tool{tools.New(tools.Definition{Name: "long", Description: "Long.", Timeout: time.Minute},
		func(context.Context, *tools.Request) (tools.Result, error) {
			time.Sleep(40 * time.Second)
			return tools.Text("done"), nil
		})}
	config := mcp.Config{CallTimeout: time.Second, WriteTimeout: time.Second, KeepAlive: time.Hour} // or else the answer is a stream
	if _, body := askInBubble(t, config, server, "long"); readAnswer(t, body).text() != "done" {
		t.Errorf("the answer is %s", body)
	}
}

// askInBubble calls a tool of a program in a bubble of testing/synctest.
func askInBubble(t *testing.T, config mcp.Config, server servers.Interface, tool string) (w *http.Response, body string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		conn := dialInBubble(t, &http.Server{Handler: wireHandler(t, config, server), WriteTimeout: config.WriteTimeout}) //nolint:gosec // a test
		write(t, conn, rawCall(modernCall(`1`, tool, `{}`), tool))
		w, body = read(t, conn)
	})
	return w, body
}

// While the program stops, running calls finish, new ones are refused, and /readyz
// reports the state to a load balancer.
func TestAProgramThatStops(t *testing.T) {
	t.Parallel()
	server := newWireServer()
	p := startProgram(t, mcp.Config{}, server)
	running, idle := p.dial(t), p.dial(t)
	write(t, running, rawCall(modernCall(`1`, "stubborn", `{}`), "stubborn"))
	eventually(t, "the call runs", func() bool { return server.running.Load() == 1 })
	write(t, idle, "GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
	if w, body := read(t, idle); w.StatusCode != http.StatusOK {
		t.Errorf("/readyz gets %d %s before the signal", w.StatusCode, body)
	}
	p.stop()
	eventually(t, "the log says so", func() bool { return p.log.count("stopping") == 1 })
	get := func(path string) int {
		conn := p.dial(t)
		write(t, conn, "GET "+path+" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
		w, _ := read(t, conn)
		return w.StatusCode
	}
	eventually(t, "/readyz gets 503", func() bool { return get("/readyz") == http.StatusServiceUnavailable })
	if status := get("/healthz"); status != http.StatusOK {
		t.Errorf("/healthz gets %d, want 200: the program is alive", status)
	}
	w, body := p.ask(t, `2`, "echo", `{"message":"a"}`)
	if got := readAnswer(t, body); w.StatusCode != http.StatusServiceUnavailable || got.Error == nil || !strings.Contains(got.Error.Message, "shutting down") || string(got.ID) != "2" {
		t.Errorf("a new call gets %d %s, want 503", w.StatusCode, body)
	}
	if !w.Close {
		t.Error("a program that stops keeps a connection alive")
	}
	close(server.release)
	if w, body := read(t, running); w.StatusCode != http.StatusOK || readAnswer(t, body).text() != "too late" {
		t.Errorf("the running call gets %d %s", w.StatusCode, body)
	}
	<-p.done
	if p.code != 0 {
		t.Errorf("the exit code is %d, want 0", p.code)
	}
}

func TestAProgramWaitsForTheDrainDelay(t *testing.T) {
	t.Parallel()
	p := startProgram(t, mcp.Config{DrainDelay: 500 * time.Millisecond}, newWireServer())
	start := time.Now()
	p.stop()
	<-p.done
	if took := time.Since(start); took < 500*time.Millisecond || took >= limits.Drain || p.code != 0 || p.log.count("msg=stopping") != 1 || p.log.count("level=INFO msg=stopped after=") != 1 {
		t.Errorf("the program ends with %d after %v:\n%s", p.code, took, p.log)
	}
}

// Until a load balancer has seen that /readyz fails, it sends requests. The end of stdin says
// that nothing sends any more, such as when another program has replaced this one.
func TestAProgramServesDuringTheDrainDelayUnlessItsStdinEnds(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]bool{"without a signal": false, "after a signal": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			stdin, end := io.Pipe()
			p := &program{log: &logBuffer{}, done: make(chan struct{})}
			app := mcp.New(mcp.Config{Addr: "127.0.0.1:0", DrainDelay: time.Hour, Logger: slog.New(slog.NewTextHandler(p.log, nil))})
			app.Router.Web("/mcp", newWireServer())
			go func() {
				defer close(p.done)
				p.code = app.Run(ctx, []string{"serve", "--until-eof"}, stdin, io.Discard, p.log)
			}()
			p.addr = addrOf(t, p.log)
			open := p.dial(t)
			if signal {
				stop()
				eventually(t, "the delay begins", func() bool { return p.log.count("still serving") == 1 })
				write(t, open, "GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
				if w, body := read(t, open); w.StatusCode != http.StatusServiceUnavailable || w.Close {
					t.Errorf("/readyz gets %d %s", w.StatusCode, body)
				}
				write(t, open, rawCall(modernCall(`1`, "echo", `{"message":"a"}`), "echo"))
				if w, body := read(t, open); w.StatusCode != http.StatusOK || w.Close {
					t.Errorf("a call on an open connection gets %d %s", w.StatusCode, body)
				}
				if w, body := p.ask(t, `2`, "echo", `{"message":"b"}`); w.StatusCode != http.StatusOK {
					t.Errorf("a call on a new connection gets %d %s", w.StatusCode, body)
				}
			}
			must(t, end.Close())
			select {
			case <-p.done:
			case <-time.After(time.Minute):
				t.Fatalf("the program waits for the delay:\n%s", p.log)
			}
			if p.code != 0 || !signal && p.log.count("still serving") > 0 {
				t.Errorf("the program ends with %d:\n%s", p.code, p.log)
			}
		})
	}
}

func TestCallsThatOutlastTheDrainAreCancelled(t *testing.T) {
	t.Parallel()
	server := newWireServer()
	p := startProgram(t, mcp.Config{Drain: 100 * time.Millisecond}, server)
	conn := p.dial(t)
	write(t, conn, rawCall(modernCall(`1`, "wait", `{}`), "wait"))
	eventually(t, "the call runs", func() bool { return server.running.Load() == 1 })
	start := time.Now()
	p.stop()
	if w, body := read(t, conn); w.StatusCode != http.StatusOK || !readAnswer(t, body).Result.IsError {
		t.Errorf("the call gets %d %s, want an isError", w.StatusCode, body)
	}
	<-p.done
	if took := time.Since(start); took < 100*time.Millisecond || took >= limits.Drain || p.code != 0 {
		t.Errorf("the program ends with %d after %v", p.code, took)
	}
}

// An answer that needs no body doesn't wait for one, and its connection closes a moment later.
func TestARefusedRequestNeedNotSendItsBody(t *testing.T) {
	t.Parallel()
	const body = "Content-Length: 1000\r\n\r\n"
	for name, test := range map[string]struct {
		request string
		want    int
	}{
		"an evil host":   {"POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json\r\n" + body, http.StatusForbidden},
		"a content type": {"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\n" + body, http.StatusUnsupportedMediaType},
		"an Accept":      {"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: text/html\r\n" + body, http.StatusNotAcceptable},
		"a method":       {"PUT /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n" + body, http.StatusMethodNotAllowed},
		"a stream":       {"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n" + body, http.StatusMethodNotAllowed},
		"another path":   {"POST /other HTTP/1.1\r\nHost: 127.0.0.1\r\n" + body, http.StatusNotFound},
		"a health check": {"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n" + body, http.StatusOK},
		"a preflight":    {preflight + body, http.StatusNoContent},
		"an odd method":  {"BREW /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n" + body, http.StatusMethodNotAllowed},
		"a lost session": {"DELETE /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nMcp-Session-Id: none\r\n" + body, http.StatusNotFound},
		"a large body":   {"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 5000000\r\n\r\n", http.StatusRequestEntityTooLarge},
		"no length":      {"POST /mcp HTTP/1.1\r\nHost: evil.example\r\nTransfer-Encoding: chunked\r\n\r\n", http.StatusForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				handler := wireHandler(t, mcp.Config{AllowedOrigins: []string{"https://app.example.com"}}, newWireServer())
				conn := dialInBubble(t, &http.Server{Handler: handler, WriteTimeout: time.Minute}) //nolint:gosec // a test
				start := time.Now()
				write(t, conn, test.request)
				w, text := read(t, conn)
				if w.StatusCode != test.want || !w.Close || time.Since(start) > 0 {
					t.Errorf("after %v the answer is %d %v %s, want %d and the end of the connection", time.Since(start), w.StatusCode, w.Header, text, test.want)
				}
				if n, err := conn.Read(make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) || time.Since(start) > 2*limits.UnreadBodyTimeout {
					t.Errorf("after %v the connection has %d bytes, %v", time.Since(start), n, err)
				}
			})
		})
	}
}
