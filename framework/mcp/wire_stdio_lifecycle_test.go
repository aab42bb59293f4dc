package mcp_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
)

func TestStdioCancelsACallInSilence(t *testing.T) {
	t.Parallel()
	for era, call := range map[string]func(id, tool, arguments string) string{"modern": modernCall, "legacy": legacyCall} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server := newWireServer()
				p := startPipeline(t, mcp.Config{}, server)
				p.ask(t, initialize("2025-06-18"))
				p.send(t, call(`"a"`, "wait", `{}`))
				synctest.Wait()
				for _, ignored := range []string{
					cancelled(`"b"`), cancelled(`1`), cancelled(`null`), cancelled(`{}`),
					`{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
					`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`,
				} {
					p.send(t, ignored)
				}
				synctest.Wait()
				if server.running.Load() != 1 {
					t.Fatal("a cancellation of something else has ended the call")
				}
				p.send(t, cancelled(`"a"`))
				synctest.Wait()
				if err := <-server.ended; err != context.Canceled {
					t.Errorf("the context ends with %v, want %v", err, context.Canceled)
				}
				p.quiet(t)
				// The ID can be used again, and cancelling a finished call does nothing.
				p.send(t, cancelled(`"a"`))
				if got := readAnswer(t, p.ask(t, call(`"a"`, "echo", `{"message":"again"}`))); got.Result == nil {
					t.Errorf("a new call of that id gets %+v", got)
				}
				if p.log.count("outcome=canceled", "tool=wait") != 1 {
					t.Errorf("the log has no line of the cancelled call:\n%s", p.log)
				}
			})
		})
	}
}

func TestStdioRefusesAnIDThatIsInFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		p := startPipeline(t, mcp.Config{}, server)
		p.send(t, modernCall(`1`, "wait", `{}`))
		synctest.Wait()
		if got := readAnswer(t, p.ask(t, modernCall(`1`, "echo", `{"message":"a"}`))); got.Error == nil || got.Error.Code != -32600 || string(got.ID) != "1" {
			t.Errorf("the second gets %+v, want an invalid request", got)
		}
		// The text "1" is another id than the number.
		if got := readAnswer(t, p.ask(t, modernCall(`"1"`, "echo", `{"message":"a"}`))); got.Result == nil {
			t.Errorf("another id gets %+v", got)
		}
		if server.running.Load() != 1 {
			t.Error("the first call has been disturbed")
		}
	})
}

// The server answers for a tool that ignores its context at the call timeout. The tool
// then blocks neither other calls nor the end of the program.
func TestStdioAnswersForAStubbornTool(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		p := startPipeline(t, mcp.Config{CallTimeout: time.Second, MaxCalls: 4}, server)
		for id := range 4 {
			p.send(t, modernCall(fmt.Sprint(id), "stubborn", `{}`))
			synctest.Wait()
		}
		p.send(t, modernCall(`"waits"`, "echo", `{"message":"next"}`))
		answers := map[string]string{}
		start := time.Now()
		for range 5 {
			got := readAnswer(t, p.next(t))
			answers[string(got.ID)] = got.text()
		}
		if took := time.Since(start); took > 1100*time.Millisecond {
			t.Errorf("the answers come after %v, want the call timeout", took)
		}
		if answers["0"] != "The tool stubborn timed out after 1s." || !strings.Contains(answers[`"waits"`], "next") {
			t.Errorf("the answers are %v", answers)
		}
		time.Sleep(200 * time.Millisecond)
		if p.log.count("ignores its context", "tool=stubborn") != 4 || p.log.count("abandoned=4") != 1 {
			t.Errorf("the log doesn't count four handlers:\n%s", p.log)
		}
		if server.running.Load() != 4 {
			t.Fatal("the handlers are gone, so that this tests nothing")
		}
		if code, took := p.end(t); code != 0 || took > 0 {
			t.Errorf("the program ends with %d after %v, want 0 at once", code, took)
		}
		close(server.release)
		synctest.Wait()
		if p.log.count("has returned", "abandoned=0") != 1 {
			t.Errorf("the log doesn't say that they have returned:\n%s", p.log)
		}
		p.quiet(t)
	})
}

func TestStdioGivesRunningCallsTwoSecondsAtEOF(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		p := startPipeline(t, mcp.Config{}, server)
		p.send(t, modernCall(`1`, "wait", `{}`))
		synctest.Wait()
		code, took := p.end(t)
		if code != 0 || took < 2*time.Second || took > 2500*time.Millisecond {
			t.Errorf("the program ends with %d after %v, want 0 after 2 s", code, took)
		}
		if err := <-server.ended; err != context.Canceled {
			t.Errorf("the context ends with %v, want %v", err, context.Canceled)
		}
		if got := readAnswer(t, p.next(t)); string(got.ID) != `1` {
			t.Errorf("the call is answered with %+v", got)
		}
	})
}

func TestStdioAnswersACallThatEndsAfterEOF(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		p := startPipeline(t, mcp.Config{}, server)
		p.send(t, modernCall(`1`, "stubborn", `{}`))
		synctest.Wait()
		time.AfterFunc(time.Second, func() { close(server.release) })
		if code, took := p.end(t); code != 0 || took != time.Second {
			t.Errorf("the program ends with %d after %v, want 0 after 1 s", code, took)
		}
		if got := readAnswer(t, p.next(t)); got.text() != "too late" {
			t.Errorf("the answer is %+v", got)
		}
	})
}

func TestStdioStopsOnASignal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		p := startPipeline(t, mcp.Config{}, server)
		p.send(t, modernCall(`1`, "stubborn", `{}`))
		synctest.Wait()
		p.stop() // the effect of the first signal
		synctest.Wait()
		got := readAnswer(t, p.ask(t, modernCall(`2`, "echo", `{"message":"a"}`)))
		if got.Error == nil || !strings.Contains(got.Error.Message, "shutting down") {
			t.Errorf("a new call gets %+v, want that the server is shutting down", got)
		}
		close(server.release)
		if got := readAnswer(t, p.next(t)); got.text() != "too late" {
			t.Errorf("the running call gets %+v", got)
		}
		if code := p.exit(t); code != 0 {
			t.Errorf("the exit code is %d, want 0", code)
		}
	})
}

// A client that has closed its end of stdin, but reads nothing, doesn't prevent the
// program from ending.
func TestStdioEndsThoughTheClientDoesNotRead(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{StdioDrain: 50 * time.Millisecond, Logger: slog.New(slog.DiscardHandler)})
	app.Router.Local("fixture", newWireServer())
	in := strings.NewReader(modernCall(`1`, "echo", `{"message":"a"}`) + "\n" + modernCall(`2`, "echo", `{"message":"a"}`) + "\n")
	unread, out := io.Pipe() // a write blocks forever
	defer func() { _ = unread.Close() }()
	done := make(chan int, 1)
	go func() { done <- app.Run(t.Context(), []string{"start", "fixture"}, in, out, io.Discard) }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("the program hangs")
	}
}

// However a call ends, it leaves no goroutine behind; synctest would fail the test.
func TestStdioLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		p := startPipeline(t, mcp.Config{CallTimeout: time.Second}, server)
		p.ask(t, initialize("2025-11-25"))
		want := 0
		for i := range 1000 {
			id := fmt.Sprint(i)
			switch i % 8 {
			case 0:
				p.send(t, modernCall(id, "echo", `{"message":"a"}`))
			case 1:
				p.send(t, legacyCall(id, "boom", `{}`))
			case 2:
				p.send(t, modernCall(id, "wait", `{}`), cancelled(id))
				continue
			case 3:
				p.send(t, legacyCall(id, "wait", `{}`)) // ends at the timeout
			case 4:
				p.send(t, modernCall(id, "fail", `{}`))
			case 5:
				p.send(t, modernCall(id, "stream", `{}`))
				want++ // and a notification
			case 6:
				p.send(t, modernCall(id, "nothing", `{}`))
			case 7:
				p.send(t, `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/list","params":{`+modernMeta+`}}`)
			}
			want++
		}
		for range want {
			p.next(t)
		}
		if code, took := p.end(t); code != 0 || took > 0 {
			t.Errorf("the program ends with %d after %v", code, took)
		}
		p.quiet(t)
		time.Sleep(time.Second) // the watchdogs check handlers that timed out again
	})
}
