package legacy_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/legacy"
	"github.com/bowline-mcp/bowline/internal/transport"
)

// A pipe is a client at the other end of a pair of byte streams.
type pipe struct {
	in    io.WriteCloser
	lines chan string
}

// connect serves a client over a pipe, until the test ends.
func (s *server) connect(t *testing.T) *pipe {
	t.Helper()
	in, writer := io.Pipe()
	reader, out := io.Pipe()
	p := &pipe{in: writer, lines: make(chan string, 1000)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = transport.NewStdio(s.core, s.handler, in, out, s.limits, slog.New(slog.DiscardHandler)).Serve(t.Context())
		_ = out.Close()
	}()
	go func() {
		for lines := bufio.NewScanner(reader); lines.Scan(); {
			p.lines <- lines.Text()
		}
	}()
	t.Cleanup(func() {
		_ = writer.Close()
		<-ended
	})
	return p
}

// send sends a line.
func (p *pipe) send(line string) {
	_, _ = io.WriteString(p.in, line+"\n")
	synctest.Wait()
}

// gets checks parts of the lines that were sent since the last time.
func (p *pipe) gets(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	for _, part := range want {
		select {
		case line := <-p.lines:
			if !strings.Contains(line, part) {
				t.Errorf("the client gets %s, want %s", line, part)
			}
		default:
			t.Errorf("the client gets nothing, want %s", part)
		}
	}
	if len(p.lines) > 0 {
		t.Errorf("the client gets %s too", <-p.lines)
	}
}

func TestAConnectionBeginsWithInitialize(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newServer(t, legacy.Config{}).connect(t)
		p.send(callOf(1, "hello"))
		p.gets(t, "begin with initialize")
		p.send(requestOf(1, "ping", `{}`))
		p.gets(t, `"result":{}`)
		p.send(batch(callOf(1, "hello")))
		p.gets(t, "send one message at a time")
		p.send(notification("notifications/initialized", `{}`))
		p.send(`{`)
		p.gets(t, "-32700")
		p.send(requestOf(1, "initialize", `{}`))
		p.gets(t, "-32602")
		p.send(initialize("2025-03-26"))
		p.gets(t, `"protocolVersion":"2025-03-26"`)
		p.send(`{`)
		p.gets(t, `"id":null`)
		p.send(callOf(1, "hello"))
		p.gets(t, "hello")
		p.send(batch(callOf(1, "hello"), requestOf(2, "ping", `{}`)))
		p.gets(t, `[{"jsonrpc"`)
		p.send(requestOf(1, "logging/setLevel", `{"level":"debug"}`))
		p.gets(t, `"result":{}`)
	})
}

func TestAClientIsToldOfChangesOnItsConnection(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{})
		visible := true
		s.addResource("docs://a", func(string) bool { return visible })
		p := s.connect(t)
		s.change() // of which nobody is told before initialize
		p.send(initialize("2025-11-25"))
		p.gets(t, `"protocolVersion"`)
		s.change()
		p.gets(t, "tools/list_changed")
		p.send(requestOf(1, "resources/subscribe", `{"uri":"docs://a"}`))
		p.gets(t, `"result":{}`)
		s.core.ResourceUpdated("docs://a")
		p.gets(t, `"uri":"docs://a"`)
		visible = false
		s.core.ResourceUpdated("docs://a")
		p.gets(t)
		p.send(initialize("2025-06-18")) // which takes the place of the first
		p.gets(t, `"protocolVersion":"2025-06-18"`)
		visible = true
		s.core.ResourceUpdated("docs://a")
		s.change()
		p.gets(t, "tools/list_changed")
	})
}

func TestAClientIsAskedOnItsConnection(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{})
		s.asks = []question{{"roots/list", `{}`}}
		p := s.connect(t)
		p.send(initialize("2025-11-25"))
		p.gets(t, `"protocolVersion"`)
		p.send(callOf(7, "ask"))
		p.gets(t, `"id":1,"method":"roots/list"`)
		p.send(initialize("2025-11-25")) // the question stays open
		p.gets(t, `"protocolVersion"`)
		p.send(`{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`)
		p.gets(t, `"method":"heard","params":{"roots":[]}`, `"id":7,"result"`)
	})
}

func TestAClientThatReadsNothingIsToldNoMoreOnItsConnection(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{})
		in, writer := io.Pipe()
		reader, out := io.Pipe()
		ctx, ended := context.WithValue(t.Context(), userKey{}, "ada"), make(chan struct{})
		go func() {
			defer close(ended)
			_ = transport.NewStdio(s.core, s.handler, in, out, s.limits, slog.New(slog.DiscardHandler)).Serve(ctx)
		}()
		_, _ = io.WriteString(writer, initialize("2025-11-25")+"\n")
		_, _ = bufio.NewReader(reader).ReadString('\n')
		s.change()
		time.Sleep(2 * time.Minute)
		s.change()
		synctest.Wait()
		if !strings.Contains(s.log.String(), `"a client is told of no more changes" error="the client does not read what it is sent" user=ada`) {
			t.Errorf("the log doesn't say so with the user of the connection's context:\n%s", s.log)
		}
		_, _ = reader.Close(), writer.Close()
		<-ended
	})
}
