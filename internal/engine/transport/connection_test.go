package transport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/call/calltest"
	"github.com/bowline-mcp/bowline/internal/engine/transport"
	"github.com/bowline-mcp/bowline/internal/engine/transport/transporttest"
)

func TestAMessageIsALine(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t)
		p := s.Connect(t, s.older)
		p.Send(modern(`1`, "hello"), "", "  \r", old(`2`, "hello")+"\r")
		p.Gets(t, `"id":1,"result":{"resultType"`, `"id":2,"result":{"content"`)
		p.Send(`{`, strings.Repeat("x", 100<<10), modern(`3`, "hello"))
		p.Gets(t, `-32700`, "a message may not be longer than 16384 bytes", `"id":3,"result"`)
		p.Send(`{"jsonrpc":"2.0","id":7,"result":{}}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		p.Gets(t)
		p.Send(strings.Replace(modern(`4`, "hello"), "2026-07-28", "1999-01-01", 1))
		p.Gets(t, `"id":4,"error"`)
		if err := s.older.pushes(`{"jsonrpc":"2.0","method":"pushed"}`); err != nil {
			t.Error(err)
		}
		p.Gets(t, `"method":"pushed"`)
		p.Send(listen(`5`))
		p.Gets(t, "acknowledged")
		_, _ = io.WriteString(p.In, modern(`6`, "hello")) // the last line may lack a line end
		_ = p.In.Close()
		p.Gets(t, `"id":6,"result"`, `"id":5,"result"`)
		if err := <-p.Ended; err != nil || !s.older.closed.Load() {
			t.Errorf("Serve = %v, and the session is closed: %t", err, s.older.closed.Load())
		}
		if err := s.older.pushes(`{}`); err == nil {
			t.Error("a message is sent after the end")
		}
	})
}

// Clients may send calls without waiting for the answer to initialize. On a busy machine, that takes longer than another goroutine waits
// before it reads on.
func TestNoCallOvertakesTheHandshake(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t)
		s.older.handshake = time.Second
		p := s.Connect(t, s.older)
		p.Send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, old(`2`, "hello"))
		p.Gets(t, `"id":1`, `"id":2,"result"`)
	})
}

// pieces records each write.
type pieces struct {
	lock   sync.Mutex
	writes []string
	times  []time.Time
}

func (p *pieces) Write(b []byte) (int, error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.writes, p.times = append(p.writes, string(b)), append(p.times, time.Now())
	return len(b), nil
}

// Some clients hang on a line that arrives in pieces.
func TestALineIsOneWrite(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s, out := newServer(t), &pieces{}
		s.AddTool("say", func(_ context.Context, k *call.Call) error { return k.Notify("say", []byte(`{"word":"one"}`)) })
		const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{` + calltest.Meta + `}}}`
		in := strings.NewReader(strings.Join([]string{list, list, modern(`2`, "hello"), modern(`3`, "say"), "{", ""}, "\n"))
		if err := transport.NewStdio(s.Core, s.older, in, out, s.Limits, s.Core.Server().Logger).Serve(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := []string{`"tools":[`, `"tools":[`, `"id":2`, `"word":"one"`, `"id":3`, "-32700"}
		for i, write := range out.writes {
			if i >= len(want) || !strings.Contains(write, want[i]) || strings.Index(write, "\n") != len(write)-1 {
				t.Errorf("the write %d is %q, want one line", i, write)
			}
		}
		if len(out.writes) != len(want) {
			t.Errorf("there are %d writes, want %d", len(out.writes), len(want))
		}
	})
}

// The TypeScript SDK loses progress that it reads together with the answer.
func TestAnAnswerIsWrittenAMomentAfterTheNotificationsOfItsCall(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s, out := newServer(t), &pieces{}
		say := func(pause time.Duration) func(context.Context, *call.Call) error {
			return func(_ context.Context, k *call.Call) error {
				defer time.Sleep(pause)
				return k.Notify("say", []byte(`{"word":"one"}`))
			}
		}
		s.AddTool("say", say(0))
		s.AddTool("think", say(time.Second))
		for _, test := range []struct {
			tool string
			gaps []time.Duration
		}{
			{"hello", []time.Duration{0}}, {"say", []time.Duration{0, 300 * time.Microsecond}}, {"think", []time.Duration{0, time.Second}},
		} {
			start := time.Now()
			out.times = nil
			in := strings.NewReader(modern(`1`, test.tool))
			if err := transport.NewStdio(s.Core, s.older, in, out, s.Limits, s.Core.Server().Logger).Serve(t.Context()); err != nil {
				t.Fatal(err)
			}
			var gaps []time.Duration
			for _, at := range out.times {
				gaps = append(gaps, at.Sub(start))
			}
			if !slices.Equal(gaps, test.gaps) {
				t.Errorf("%s: the lines are written after %v, want %v", test.tool, gaps, test.gaps)
			}
		}
	})
}

func TestAConnectionWithoutLegacyRefusesOlderClients(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		p := newServer(t).Connect(t, nil)
		p.Send(modern(`1`, "hello"), old(`2`, "hello"), `{`)
		p.Gets(t, `"id":1,"result"`, "which have no handshake", "-32700")
	})
}

// Other calls are read while a slow call runs.
func TestAConnectionRunsALimitedNumberOfCalls(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t)
		p := s.Connect(t, s.older)
		for i := range 6 {
			p.Send(modern(fmt.Sprint(i), "wait"))
			time.Sleep(5 * time.Millisecond) // until another goroutine reads
		}
		if n := len(s.Begun); n != 4 {
			t.Errorf("%d calls run, want 4", n)
		}
		p.Send(canceled(`5`)) // a waiting call
		p.Send(canceled(`0`))
		p.Gets(t)
		if n := len(s.Begun); n != 5 {
			t.Errorf("%d calls have begun when one has ended, want 5", n)
		}
		p.Send(`{"jsonrpc":"2.0","id":9,"method":"ping"}`) // doesn't count as a call
		p.Gets(t, `"id":9`)
		p.Send(`[` + canceled(`1`) + `,{"jsonrpc":"2.0","id":1,"result":{}},[]]`)
		p.Send(`[` + old(`7`, "hello") + `]`) // waits
		p.Gets(t)
	})
}

func TestTheWaitingCallsAreLimited(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t)
		s.Limits.Drain = 0
		p := s.Connect(t, s.older)
		for i := range 4 {
			p.Send(modern(fmt.Sprint(i), "wait"))
			time.Sleep(5 * time.Millisecond)
		}
		for i := range 1024 {
			p.Send(modern(fmt.Sprint(100+i), "hello"))
		}
		p.Gets(t)
		p.Send(modern(`"more"`, "hello"))
		p.Gets(t, "The server is busy: 4 calls run")
		_ = p.In.Close() // waiting calls are refused, running ones canceled
		if err := <-p.Ended; err != nil {
			t.Errorf("Serve = %v", err)
		}
		for range 1024 {
			if line := <-p.Lines; !strings.Contains(line, "shutting down") && !strings.Contains(line, "stopp") {
				t.Fatalf("a call that waits gets %s", line)
			}
		}
		if n := len(s.Ended); n != 4 {
			t.Errorf("%d calls have ended, want 4", n)
		}
	})
}

func TestAHandlerThatExitsItsGoroutineDoesNotEndTheConnection(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t)
		s.AddTool("exit", func(context.Context, *call.Call) error {
			runtime.Goexit()
			return nil
		})
		p := s.Connect(t, s.older)
		p.Send(modern(`1`, "exit"), modern(`2`, "hello"))
		p.Gets(t, `"isError":true`, `"id":2,"result"`)
	})
}

func TestRunningCallsMayEndWhenTheConnectionDoes(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t)
		p := s.Connect(t, s.older)
		p.Send(modern(`1`, "talk"))
		time.Sleep(5 * time.Millisecond)
		s.Words <- "one"
		p.Gets(t, `"word":"one"`)
		p.Stop()
		synctest.Wait()
		p.Send(modern(`2`, "hello"))
		p.Gets(t, `"id":2,"error"`)
		time.Sleep(time.Millisecond) // the answer is sent a moment after the notification
		close(s.Words)
		p.Gets(t, `"id":1,"result"`)
		if err := <-p.Ended; err != nil {
			t.Errorf("Serve = %v", err)
		}
	})
}

func TestAConnectionEndsInTimeDespiteARunningHandler(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t)
		p := s.Connect(t, s.older)
		p.Send(modern(`1`, "stubborn"))
		start := time.Now()
		p.Stop()
		err := <-p.Ended
		if took := time.Since(start); err != nil || took > 4*time.Second {
			t.Errorf("Serve = %v, after %s", err, took)
		}
		close(s.Free)
	})
}

func TestAConnectionEndsInTimeDespiteAClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.Limits.Drain, s.Limits.DrainGrace = 10*time.Millisecond, 10*time.Millisecond
	in, writer := io.Pipe()
	reader, out := io.Pipe()
	ctx, stop := context.WithCancel(exchange.WithPrincipal(t.Context(), exchange.Principal{ID: "ada"}))
	ended := make(chan error)
	go func() { ended <- transport.NewStdio(s.Core, nil, in, out, s.Limits, s.Core.Server().Logger).Serve(ctx) }()
	_, _ = io.WriteString(writer, modern(`1`, "hello")+"\n")
	time.Sleep(20 * time.Millisecond)
	stop()
	if err := <-ended; err != nil || !s.logs(`the client does not read" principal=ada`) {
		t.Errorf("Serve = %v, or the log doesn't say why an answer is lost, with the principal", err)
	}
	_, _ = reader.Close(), writer.Close()
}

func TestAFailedWriteEndsTheConnection(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t)
		p := s.Connect(t, s.older)
		_ = p.Out.CloseWithError(errors.New("broken"))
		p.Send(modern(`1`, "hello"))
		if err := <-p.Ended; err == nil || !strings.Contains(err.Error(), "no longer accepts messages") {
			t.Errorf("Serve = %v", err)
		}
		if !s.logs("writing an answer") {
			t.Error("the log doesn't say that an answer is lost")
		}
	})
}

func TestAReadThatFailsEndsTheConnection(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		p := newServer(t).Connect(t, nil)
		_ = p.In.CloseWithError(errors.New("broken"))
		if err := <-p.Ended; err == nil || err.Error() != "broken" {
			t.Errorf("Serve = %v", err)
		}
	})
}

// A sender receives the messages of a custom transport.
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
	custom, done := transport.NewCustom(s.Core, s.older, c, s.Limits, s.Core.Server().Logger), make(chan error, 1)
	ctx := exchange.WithPrincipal(t.Context(), exchange.Principal{ID: "ada"})
	go func() { done <- custom.Serve(ctx, func(context.Context) error { return start }) }()
	t.Cleanup(custom.End)
	synctest.Wait()
	return custom, done
}

func TestACustomTransportServesBothEras(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s, c := newServer(t), &sender{closes: errors.New("closing failed")}
		custom, ended := s.serve(t, c, nil)
		custom.Receive([]byte(modern(`1`, "hello")))
		custom.Receive([]byte(old(`2`, "hello")))
		custom.Receive([]byte(`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{` + modernMeta + `}}`))
		synctest.Wait()
		custom.Receive([]byte(strings.Repeat("x", 17<<10)))
		c.gets(t, `"id":1,"result":{"resultType"`, `"id":2,"result":{"content"`, `"id":3,"result"`, "may not be longer")
		custom.Fail(errors.New("a hiccup"))
		if !s.logs(`"a hiccup" principal=ada`) {
			t.Error("the log doesn't have what the transport reports, with the principal")
		}
		custom.End()
		if err := <-ended; err == nil || err.Error() != "closing failed" {
			t.Errorf("Serve = %v", err)
		}
		custom.Receive([]byte(modern(`1`, "hello"))) // is dropped
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
			transporttest.Bubble(t, func(t *testing.T) {
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
