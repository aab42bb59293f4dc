package transport_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/transport"
)

// A pipe is a client at the other end of a pair of byte streams.
type pipe struct {
	in    *io.PipeWriter
	out   *io.PipeReader
	stop  context.CancelFunc
	lines chan string
	ended chan error // how Serve has ended
}

// connect serves a client over a pipe, until the test ends. Legacy may be nil.
func (s *server) connect(t *testing.T, legacy transport.Legacy) *pipe {
	t.Helper()
	in, writer := io.Pipe()
	reader, out := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	p := &pipe{in: writer, out: reader, stop: stop, lines: make(chan string, 2000), ended: make(chan error, 1)}
	connection := transport.NewStdio(s.core, legacy, in, out, s.limits, s.logger)
	go func() {
		p.ended <- connection.Serve(ctx)
		_ = out.Close()
	}()
	go func() {
		for lines := bufio.NewScanner(reader); lines.Scan(); {
			p.lines <- lines.Text()
		}
	}()
	t.Cleanup(func() {
		stop()
		_ = writer.Close()
		_ = reader.Close()
	})
	return p
}

// send sends lines.
func (p *pipe) send(lines ...string) {
	for _, line := range lines {
		_, _ = io.WriteString(p.in, line+"\n")
	}
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
				t.Errorf("the client gets %.300s, want %s", line, part)
			}
		default:
			t.Errorf("the client gets nothing, want %s", part)
		}
	}
	if len(p.lines) > 0 {
		t.Errorf("the client gets %.300s too", <-p.lines)
	}
}

func TestAMessageIsALine(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newServer(t)
		p := s.connect(t, s.older)
		p.send(modern(`1`, "hello"), "", "  \r", old(`2`, "hello")+"\r")
		p.gets(t, `"id":1,"result":{"resultType"`, `"id":2,"result":{"content"`)
		p.send(`{`, strings.Repeat("x", 100<<10), modern(`3`, "hello"))
		p.gets(t, `-32700`, "a message may not be longer than 16384 bytes", `"id":3,"result"`)
		p.send(`{"jsonrpc":"2.0","id":7,"result":{}}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		p.gets(t)
		p.send(strings.Replace(modern(`4`, "hello"), "2026-07-28", "1999-01-01", 1))
		p.gets(t, `"id":4,"error"`)
		if err := s.older.pushes(`{"jsonrpc":"2.0","method":"pushed"}`); err != nil {
			t.Error(err)
		}
		p.gets(t, `"method":"pushed"`)
		p.send(listen(`5`))
		p.gets(t, "acknowledged")
		_, _ = io.WriteString(p.in, modern(`6`, "hello")) // the last line may have no end
		_ = p.in.Close()
		p.gets(t, `"id":6,"result"`, `"id":5,"result"`)
		if err := <-p.ended; err != nil || !s.older.closed {
			t.Errorf("Serve = %v, and the session is closed: %t", err, s.older.closed)
		}
		if err := s.older.pushes(`{}`); err == nil {
			t.Error("a message is sent after the end")
		}
	})
}

func TestAConnectionOfModernClientsAloneSaysSo(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newServer(t).connect(t, nil)
		p.send(modern(`1`, "hello"), old(`2`, "hello"), `{`)
		p.gets(t, `"id":1,"result"`, "which have no handshake", "-32700")
	})
}

// A slow call doesn't keep the others from being read.
func TestCallsOfAConnectionRunAtOnceButNotAll(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newServer(t)
		p := s.connect(t, s.older)
		for i := range 6 {
			p.send(modern(fmt.Sprint(i), "wait"))
			time.Sleep(5 * time.Millisecond) // until another goroutine reads
		}
		if n := len(s.begun); n != 4 {
			t.Errorf("%d calls run, want 4", n)
		}
		p.send(cancelled(`5`)) // which waits
		p.send(cancelled(`0`))
		p.gets(t)
		if n := len(s.begun); n != 5 {
			t.Errorf("%d calls have begun when one has ended, want 5", n)
		}
		p.send(`{"jsonrpc":"2.0","id":9,"method":"ping"}`) // which needs no place
		p.gets(t, `"id":9`)
		p.send(`[` + cancelled(`1`) + `,{"jsonrpc":"2.0","id":1,"result":{}},[]]`)
		p.send(`[` + old(`7`, "hello") + `]`) // waits
		p.gets(t)
	})
}

func TestSoManyCallsMayWait(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newServer(t)
		s.limits.Drain = 0
		p := s.connect(t, s.older)
		for i := range 4 {
			p.send(modern(fmt.Sprint(i), "wait"))
			time.Sleep(5 * time.Millisecond)
		}
		for i := range 1024 {
			p.send(modern(fmt.Sprint(100+i), "hello"))
		}
		p.gets(t)
		p.send(modern(`"more"`, "hello"))
		p.gets(t, "The server is busy: 4 calls run")
		_ = p.in.Close() // what waits is refused, what runs is cancelled
		if err := <-p.ended; err != nil {
			t.Errorf("Serve = %v", err)
		}
		for range 1024 {
			if line := <-p.lines; !strings.Contains(line, "shutting down") && !strings.Contains(line, "stopp") {
				t.Fatalf("a call that waits gets %s", line)
			}
		}
		if n := len(s.ended); n != 4 {
			t.Errorf("%d calls have ended, want 4", n)
		}
	})
}

func TestAHandlerThatExitsItsGoroutineEndsNoConnection(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newServer(t)
		p := s.connect(t, s.older)
		p.send(modern(`1`, "exit"), modern(`2`, "hello"))
		p.gets(t, `"isError":true`, `"id":2,"result"`)
	})
}

func TestRunningCallsMayEndWhenTheConnectionDoes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newServer(t)
		p := s.connect(t, s.older)
		p.send(modern(`1`, "talk"))
		time.Sleep(5 * time.Millisecond)
		s.words <- "one"
		p.gets(t, `"word":"one"`)
		p.stop()
		synctest.Wait()
		p.send(modern(`2`, "hello"))
		p.gets(t, `"id":2,"error"`)
		close(s.words)
		p.gets(t, `"id":1,"result"`)
		if err := <-p.ended; err != nil {
			t.Errorf("Serve = %v", err)
		}
	})
}

func TestAConnectionEndsInTimeThoughAHandlerGoesOn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newServer(t)
		p := s.connect(t, s.older)
		p.send(modern(`1`, "stubborn"))
		start := time.Now()
		p.stop()
		err := <-p.ended
		if took := time.Since(start); err != nil || took > 4*time.Second {
			t.Errorf("Serve = %v, after %s", err, took)
		}
		close(s.free)
	})
}

func TestAConnectionEndsInTimeThoughNobodyReads(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.limits.Drain, s.limits.DrainGrace = 10*time.Millisecond, 10*time.Millisecond
	in, writer := io.Pipe()
	reader, out := io.Pipe()
	ctx, stop := context.WithCancel(context.WithValue(t.Context(), userKey{}, "ada"))
	ended := make(chan error)
	go func() { ended <- transport.NewStdio(s.core, nil, in, out, s.limits, s.logger).Serve(ctx) }()
	_, _ = io.WriteString(writer, modern(`1`, "hello")+"\n")
	time.Sleep(20 * time.Millisecond)
	stop()
	if err := <-ended; err != nil || !s.log.has(`the client does not read" user=ada`) {
		t.Errorf("Serve = %v, or the log doesn't say why an answer is lost, with the user of the context", err)
	}
	_, _ = reader.Close(), writer.Close()
}

func TestAClientThatTakesNothingEndsTheConnection(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newServer(t)
		p := s.connect(t, s.older)
		_ = p.out.CloseWithError(errors.New("broken"))
		p.send(modern(`1`, "hello"))
		if err := <-p.ended; err == nil || !strings.Contains(err.Error(), "takes no messages any more") {
			t.Errorf("Serve = %v", err)
		}
		if !s.log.has("writing an answer") {
			t.Error("the log doesn't say that an answer is lost")
		}
	})
}

func TestAReadThatFailsEndsTheConnection(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newServer(t).connect(t, nil)
		_ = p.in.CloseWithError(errors.New("broken"))
		if err := <-p.ended; err == nil || err.Error() != "broken" {
			t.Errorf("Serve = %v", err)
		}
	})
}

// A sender takes the messages of a transport of a program's own.
type sender struct {
	lock   sync.Mutex
	sent   []string
	fails  error
	hangs  bool // until its context ends
	closes error
}

func (c *sender) Send(ctx context.Context, message []byte) error {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.hangs {
		c.lock.Unlock()
		<-ctx.Done()
		c.lock.Lock()
		return ctx.Err()
	}
	if c.fails == nil {
		c.sent = append(c.sent, string(message))
	}
	return c.fails
}

func (c *sender) Close() error { return c.closes }

func (c *sender) gets(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	c.lock.Lock()
	defer c.lock.Unlock()
	for i, part := range want {
		if i >= len(c.sent) || !strings.Contains(c.sent[i], part) {
			t.Errorf("the client gets %q, want %q", c.sent, want)
			break
		}
	}
	if len(c.sent) > len(want) {
		t.Errorf("the client gets %q, want %q", c.sent, want)
	}
	c.sent = nil
}

// serve serves a client behind a sender.
func (s *server) serve(t *testing.T, c *sender, start error) (_ *transport.Custom, ended <-chan error) {
	t.Helper()
	custom, done := transport.NewCustom(s.core, s.older, c, s.limits, s.logger), make(chan error, 1)
	ctx := context.WithValue(t.Context(), userKey{}, "ada")
	go func() { done <- custom.Serve(ctx, func(context.Context) error { return start }) }()
	t.Cleanup(custom.End)
	synctest.Wait()
	return custom, done
}

func TestATransportOfAProgramsOwnServesBothEras(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, c := newServer(t), &sender{closes: errors.New("closing failed")}
		custom, ended := s.serve(t, c, nil)
		custom.Receive([]byte(modern(`1`, "hello")))
		custom.Receive([]byte(old(`2`, "hello")))
		custom.Receive([]byte(`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{` + modernMeta + `}}`))
		synctest.Wait()
		custom.Receive([]byte(strings.Repeat("x", 17<<10)))
		c.gets(t, `"id":1,"result":{"resultType"`, `"id":2,"result":{"content"`, `"id":3,"result"`, "may not be longer")
		custom.Fail(errors.New("a hiccup"))
		if !s.log.has(`"a hiccup" user=ada`) {
			t.Error("the log doesn't have what the transport reports, with the user of the context")
		}
		custom.End()
		if err := <-ended; err == nil || err.Error() != "closing failed" {
			t.Errorf("Serve = %v", err)
		}
		custom.Receive([]byte(modern(`1`, "hello"))) // which is dropped
		c.gets(t)
	})
}

func TestATransportThatFailsEndsServing(t *testing.T) {
	for name, test := range map[string]struct {
		start, send error
		hangs       bool
		want        string
	}{
		"to start":        {start: errors.New("no start"), want: "no start"},
		"to send":         {send: errors.New("no send"), want: "no send"},
		"to send in time": {hangs: true, want: "deadline exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := newServer(t)
				custom, ended := s.serve(t, &sender{fails: test.send, hangs: test.hangs}, test.start)
				custom.Receive([]byte(modern(`1`, "hello")))
				if err := <-ended; err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("Serve = %v, want %s", err, test.want)
				}
			})
		})
	}
}
