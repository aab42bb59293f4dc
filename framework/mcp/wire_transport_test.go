package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/framework/transport"
	"github.com/bowline-mcp/bowline/internal/test/gatetest"
)

func TestATransportServesBothErasAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := carry(t, mcp.Config{}, newWireServer(), newCarrier())
		if got := c.ask(t, initialize("2025-06-18")); !strings.Contains(got, `"protocolVersion":"2025-06-18"`) {
			t.Errorf("initialize gets %s", got)
		}
		for era, call := range map[string]func(id, tool, arguments string) string{"modern": modernCall, "legacy": legacyCall} {
			if got := readAnswer(t, c.ask(t, call(`1`, "echo", `{"message":"a"}`))); got.text() != `{"message":"a"}` {
				t.Errorf("%s: echo answers %+v", era, got)
			}
		}
		list := c.ask(t, `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{`+modernMeta+`}}`)
		if got := readAnswer(t, list); got.Result == nil || !strings.Contains(list, `"name":"echo"`) || strings.Contains(list, "\n") {
			t.Errorf("a list is not one message without line breaks: %s", list)
		}
		c.tell(modernCall(`3`, "stream", `{}`))
		if got := c.next(t); !strings.Contains(got, `"method":"chat/token"`) {
			t.Errorf("the first message of a stream is %s", got)
		}
		if got := readAnswer(t, c.next(t)); got.text() != "done" {
			t.Errorf("the last message of a stream is %+v", got)
		}
	})
}

func TestABadMessageOfATransportIsAnswered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := carry(t, mcp.Config{MaxLine: 1000}, newWireServer(), newCarrier())
		for what, tt := range map[string]struct {
			message string
			code    int
		}{
			"not JSON": {"hello", -32700},
			"empty":    {"", -32700},
			"too long": {modernCall(`1`, "echo", `{"message":"`+strings.Repeat("a", 1000)+`"}`), -32700},
			"unknown":  {modernCall(`1`, "nothing", `{}`), -32602},
		} {
			if got := readAnswer(t, c.ask(t, tt.message)); got.Error == nil || got.Error.Code != tt.code {
				t.Errorf("%s gets %+v, want the code %d", what, got, tt.code)
			}
		}
	})
}

// A cancellation that directly follows its call cancels it.
func TestATransportKeepsTheOrderOfMessages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		c := carry(t, mcp.Config{}, server, newCarrier())
		for i := range 1000 {
			c.tell(modernCall(fmt.Sprint(i), "wait", `{}`), cancelled(fmt.Sprint(i)))
		}
		synctest.Wait()
		if n := server.running.Load(); n != 0 || len(server.ended) != 1000 || len(c.sent) != 0 {
			t.Errorf("%d calls run, %d were cancelled, %d answered", n, len(server.ended), len(c.sent))
		}
	})
}

func TestATransportsCallsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		c := carry(t, mcp.Config{MaxCalls: 2}, server, newCarrier())
		for i := range 2000 {
			c.tell(modernCall(fmt.Sprint(i), "stubborn", `{}`))
		}
		synctest.Wait()
		if n := server.running.Load(); n != 2 {
			t.Errorf("%d calls run, want 2", n)
		}
		if n := len(c.sent); n != 2000-2-1024 {
			t.Errorf("%d calls were refused, want all but 2 that run and 1024 that wait", n)
		}
		if got := readAnswer(t, c.next(t)); got.Error == nil || !strings.Contains(got.Error.Message, "busy") {
			t.Errorf("a call too many gets %+v", got)
		}
		close(server.release)
	})
}

// A client that has closed its side still reads.
func TestATransportThatHasEndedGetsTheAnswersOfRunningCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		c := carry(t, mcp.Config{}, server, newCarrier())
		c.tell(modernCall(`1`, "stubborn", `{}`), modernCall(`2`, "echo", `{"message":"a"}`))
		c.handlers.Close()
		time.AfterFunc(time.Second, func() { close(server.release) })
		if err, took := c.end(t); err != nil || took != time.Second {
			t.Errorf("serving ends with %v after %v, want nil after 1 s", err, took)
		}
		if got := readAnswer(t, c.next(t)); got.Result == nil || string(got.ID) != "2" {
			t.Errorf("the first answer is %+v", got)
		}
		if got := readAnswer(t, c.next(t)); got.text() != "too late" {
			t.Errorf("the second answer is %+v", got)
		}
		c.tell(modernCall(`3`, "echo", `{"message":"a"}`)) // the client has disconnected
		c.handlers.Close()
		synctest.Wait()
		if len(c.sent) != 0 {
			t.Errorf("something is sent after the end: %s", <-c.sent)
		}
	})
}

func TestATransportStopsWithTheProgram(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		c := carry(t, mcp.Config{}, server, newCarrier())
		c.tell(modernCall(`1`, "wait", `{}`))
		synctest.Wait()
		c.stop()
		synctest.Wait()
		if got := readAnswer(t, c.ask(t, modernCall(`2`, "echo", `{"message":"a"}`))); got.Error == nil || !strings.Contains(got.Error.Message, "shutting down") {
			t.Errorf("a new call gets %+v, want that the server is shutting down", got)
		}
		if err, took := c.end(t); err != nil || took < 1900*time.Millisecond || took > 2500*time.Millisecond {
			t.Errorf("serving ends with %v after %v, want nil after 2 s", err, took)
		}
		if err := <-server.ended; err != context.Canceled {
			t.Errorf("the call's context ends with %v, want %v", err, context.Canceled)
		}
	})
}

func TestATransportWhoseClientDoesNotReadEnds(t *testing.T) {
	t.Parallel()
	blocked := func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}
	t.Run("after the write timeout", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			over := newCarrier()
			over.send = blocked
			c := carry(t, mcp.Config{WriteTimeout: 5 * time.Second}, newWireServer(), over)
			c.tell(modernCall(`1`, "echo", `{"message":"a"}`))
			if err, took := c.end(t); !errors.Is(err, context.DeadlineExceeded) || took != 5*time.Second {
				t.Errorf("serving ends with %v after %v, want a timeout after 5 s", err, took)
			}
		})
	})
	t.Run("with the program", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			over := newCarrier()
			over.send = blocked
			c := carry(t, mcp.Config{}, newWireServer(), over)
			c.tell(modernCall(`1`, "echo", `{"message":"a"}`))
			synctest.Wait()
			c.stop()
			if err, took := c.end(t); err != nil || took > 3*time.Second {
				t.Errorf("serving ends with %v after %v, want nil within 3 s", err, took)
			}
		})
	})
}

func TestATransportThatFailsEndsServing(t *testing.T) {
	t.Parallel()
	failure := errors.New("the cable is cut")
	t.Run("at the start", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			over := newCarrier()
			over.start = func(context.Context) error { return failure }
			if err, _ := carry(t, mcp.Config{}, newWireServer(), over).end(t); !errors.Is(err, failure) {
				t.Errorf("serving ends with %v, want %v", err, failure)
			}
		})
	})
	t.Run("while it starts", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			over := newCarrier()
			over.start = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
			c := carry(t, mcp.Config{}, newWireServer(), over)
			c.stop()
			if err, took := c.end(t); !errors.Is(err, context.Canceled) || took > 0 {
				t.Errorf("serving ends with %v after %v, want %v at once", err, took, context.Canceled)
			}
		})
	})
	t.Run("when it sends", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			over := newCarrier()
			over.send = func(context.Context) error { return failure }
			c := carry(t, mcp.Config{}, newWireServer(), over)
			c.tell(modernCall(`1`, "echo", `{"message":"a"}`))
			if err, _ := c.end(t); !errors.Is(err, failure) {
				t.Errorf("serving ends with %v, want %v", err, failure)
			}
		})
	})
	t.Run("when it tells of a change", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			box, over := boxOf(saying("a", "a")), newCarrier()
			var cut atomic.Bool
			over.send = func(context.Context) error {
				if cut.Load() {
					return failure
				}
				return nil
			}
			c := carry(t, mcp.Config{}, box, over)
			c.ask(t, initialize("2025-06-18"))
			cut.Store(true)
			if err := box.AddTool(saying("b", "b")); err != nil {
				t.Fatal(err)
			}
			if err, _ := c.end(t); !errors.Is(err, failure) {
				t.Errorf("serving ends with %v, want %v", err, failure)
			}
		})
	})
	t.Run("and says so", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			c := carry(t, mcp.Config{}, newWireServer(), newCarrier())
			c.handlers.Error(failure)
			if c.log.count("level=WARN", failure.Error()) != 1 {
				t.Errorf("the log does not have it:\n%s", c.log)
			}
			if got := readAnswer(t, c.ask(t, modernCall(`1`, "echo", `{"message":"a"}`))); got.Result == nil {
				t.Errorf("afterwards a call gets %+v", got)
			}
		})
	})
}

func TestATransportIsClosedForAnUnknownHandle(t *testing.T) {
	t.Parallel()
	over := newCarrier()
	err := mcp.New(mcp.Config{}).ServeTransport(t.Context(), "none", over)
	if err == nil || !strings.Contains(err.Error(), `no handle "none"`) {
		t.Errorf("serving ends with %v", err)
	}
	<-over.closed
}

type peerKey struct{}

// Many clients of one server, each with one end of a pair: handlers get the client from
// the context.
func TestServeTransportServesManyClientsOfOneServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		server.tools = []servers.Tool{wireTool("whoami", ``, func(ctx context.Context, _ *tools.Request) (tools.Result, error) {
			return tools.Text(ctx.Value(peerKey{}).(string)), nil
		})}
		ended := make(chan error)
		for i := range 3 {
			name := fmt.Sprint("client ", i)
			client, end := transport.Pair()
			go func() { ended <- mcp.ServeTransport(context.WithValue(t.Context(), peerKey{}, name), server, end) }()
			answers := make(chan string, 1)
			if err := client.Start(t.Context(), transport.Handlers{Message: func(message []byte) { answers <- string(message) }}); err != nil {
				t.Fatal(err)
			}
			if err := client.Send(t.Context(), []byte(modernCall(`1`, "whoami", `{}`))); err != nil {
				t.Fatal(err)
			}
			if got := readAnswer(t, <-answers); got.text() != name {
				t.Errorf("the call by %s runs as %q", name, got.text())
			}
			if err := client.Close(); err != nil {
				t.Fatal(err)
			}
			if err := <-ended; err != nil {
				t.Errorf("serving ends with %v", err)
			}
		}
	})
}

// However a client disconnects, it leaves no goroutine behind; synctest would fail the
// test.
func TestTransportsLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	for way, end := range map[string]func(c *carried){
		"the client closes":         func(c *carried) { c.handlers.Close() },
		"the program stops":         func(c *carried) { c.stop() },
		"both":                      func(c *carried) { c.handlers.Close(); c.stop() },
		"the client does not read":  func(c *carried) { c.tell(modernCall(`"unread"`, "echo", `{"message":"a"}`)) },
		"the client stops to write": func(c *carried) { time.AfterFunc(time.Minute, c.handlers.Close) },
	} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				for range gatetest.Rounds(5, 50) {
					server := newWireServer()
					over := newCarrier()
					c := carry(t, mcp.Config{}, server, over)
					for id := range 20 {
						c.tell(modernCall(fmt.Sprint(id), []string{"echo", "wait", "boom", "stream"}[id%4], `{}`))
					}
					c.tell(cancelled(`1`))
					synctest.Wait()
					if way == "the client does not read" {
						over.send = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
						c.tell(cancelled(`5`), cancelled(`9`), cancelled(`13`), cancelled(`17`))
						synctest.Wait()
					}
					end(c)
					if err, _ := c.end(t); (err != nil) != (way == "the client does not read") {
						t.Errorf("serving ends with %v", err)
					}
					if n := server.running.Load(); n != 0 {
						t.Errorf("%d calls still run", n)
					}
				}
				time.Sleep(time.Minute) // watchdogs check again
			})
		})
	}
}
