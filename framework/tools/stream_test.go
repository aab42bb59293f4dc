package tools_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/test/buffertest"
)

// streamed runs a tool and returns its log. In a synctest bubble it returns after all
// goroutines of the call have ended.
func streamed(t *testing.T, handle func(context.Context, *tools.Request) (tools.Result, error)) (*mcptest.Result, string) {
	t.Helper()
	var log buffertest.Buffer
	tool := tools.New(tools.Definition{Name: "stream", Description: "Streams."}, handle)
	config := mcp.Config{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), CallTimeout: time.Minute}
	result := mcptest.Configured(t, config, &server{tools: []servers.Tool{tool}}).Call("stream", nil)
	time.Sleep(time.Hour) // of the bubble
	synctest.Wait()
	return result, log.String()
}

func note(n int) tools.Notification {
	return tools.Notification{Method: "acme/step", Params: map[string]int{"n": n}}
}

// The three ways to stream the same messages.
func streamsOf(messages ...tools.Message) map[string]func(context.Context) tools.Result {
	return map[string]func(context.Context) tools.Result{
		"a channel": func(context.Context) tools.Result {
			stream := make(chan tools.Message)
			go func() {
				defer close(stream)
				for _, message := range messages {
					stream <- message
				}
			}()
			return tools.Stream(stream)
		},
		"a function": func(ctx context.Context) tools.Result {
			return tools.StreamFunc(ctx, func(send func(tools.Message) error) error {
				for _, message := range messages {
					if err := send(message); err != nil {
						return err
					}
				}
				return nil
			})
		},
		"an iterator": func(context.Context) tools.Result {
			return tools.Seq(func(yield func(tools.Message, error) bool) {
				for _, message := range messages {
					if !yield(message, nil) {
						return
					}
				}
			})
		},
	}
}

func TestNotificationsAndProgressComeBeforeTheOneResult(t *testing.T) {
	t.Parallel()
	for name, stream := range streamsOf(note(1), tools.Progress{Done: 1, Total: 2, Message: "half"}, note(2), tools.Notification{Method: "acme/done"}, tools.Progress{Done: 2.5}, tools.Text("Done.")) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				result, log := streamed(t, func(ctx context.Context, _ *tools.Request) (tools.Result, error) { return stream(ctx), nil })
				result.AssertOK().AssertSee("Done.").
					AssertNotified("acme/step", map[string]int{"n": 1}, map[string]int{"n": 2}).
					AssertNotified("acme/done").
					AssertNotified("notifications/progress",
						map[string]any{"progressToken": "mcptest", "progress": 1, "total": 2, "message": "half"},
						map[string]any{"progressToken": "mcptest", "progress": 2.5})
				var order []string
				for _, notification := range result.Notifications {
					order = append(order, notification.Method)
				}
				if got := strings.Join(order, " "); got != "acme/step notifications/progress acme/step acme/done notifications/progress" {
					t.Errorf("the order is %s", got)
				}
				if strings.Contains(log, "level=WARN") || strings.Contains(log, "level=ERROR") {
					t.Errorf("the log complains:\n%s", log)
				}
			})
		})
	}
}

func TestAStreamWithoutAResultFails(t *testing.T) {
	t.Parallel()
	for name, stream := range streamsOf(note(1)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				result, log := streamed(t, func(ctx context.Context, _ *tools.Request) (tools.Result, error) { return stream(ctx), nil })
				result.AssertError("The tool stream failed.").AssertNotified("acme/step", map[string]int{"n": 1})
				if !strings.Contains(log, tools.ErrNoResult.Error()) {
					t.Errorf("the log is\n%s", log)
				}
			})
		})
	}
}

func TestAStreamWithoutAFunctionSaysSo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		result, log := streamed(t, func(ctx context.Context, _ *tools.Request) (tools.Result, error) {
			return tools.StreamFunc(ctx, nil), nil
		})
		result.AssertError("The tool stream failed.")
		if !strings.Contains(log, "tools.StreamFunc has no function to call; give it one") || strings.Contains(log, "panic") {
			t.Errorf("the log is:\n%s", log)
		}
	})
}

func TestASecondResultIsDroppedAndLogged(t *testing.T) {
	t.Parallel()
	for name, stream := range streamsOf(tools.Text("first"), tools.Text("second"), note(3)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				result, log := streamed(t, func(ctx context.Context, _ *tools.Request) (tools.Result, error) { return stream(ctx), nil })
				if result.AssertOK(); result.Text() != "first" || len(result.Notifications) != 0 {
					t.Errorf("got %q after %v", result.Text(), result.Notifications)
				}
				if strings.Count(log, "a stream continues after its result") != 1 || !strings.Contains(log, "tool=stream") {
					t.Errorf("the log is\n%s", log)
				}
			})
		})
	}
}

func TestAnErrorOfAStreamIsHandledAsThatOfAHandler(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is gone")
	for _, test := range []struct {
		name string
		err  error
		want string
	}{
		{"one that the model reads", tools.Errorf("No city %q.", "Atlantis"), `No city "Atlantis".`},
		{"any other", broken, "The tool stream failed. The server's log says why (request "},
	} {
		for how, stream := range map[string]func(context.Context) tools.Result{
			"by a function": func(ctx context.Context) tools.Result {
				return tools.StreamFunc(ctx, func(send func(tools.Message) error) error {
					_ = send(note(1))
					return test.err
				})
			},
			"by an iterator": func(context.Context) tools.Result {
				return tools.Seq(func(yield func(tools.Message, error) bool) {
					if yield(note(1), nil) {
						yield(nil, test.err)
					}
				})
			},
		} {
			t.Run(test.name+" "+how, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					result, log := streamed(t, func(ctx context.Context, _ *tools.Request) (tools.Result, error) { return stream(ctx), nil })
					result.AssertError(test.want).AssertNotified("acme/step")
					if errors.Is(test.err, broken) != strings.Contains(log, "level=ERROR") {
						t.Errorf("the log is\n%s", log)
					}
				})
			})
		}
	}
}

func TestAPanicInAnIteratorIsAFailedCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		result, log := streamed(t, func(context.Context, *tools.Request) (tools.Result, error) {
			return tools.Seq(func(yield func(tools.Message, error) bool) {
				yield(note(1), nil)
				panic("boom")
			}), nil
		})
		result.AssertError("The tool stream failed.").AssertNotified("acme/step")
		if strings.Contains(result.Text(), "boom") || !strings.Contains(log, "boom") || !strings.Contains(log, "stream_test.go") {
			t.Errorf("got %q and the log\n%s", result.Text(), log)
		}
	})
}

func TestAnInvalidMessageFailsTheStream(t *testing.T) {
	t.Parallel()
	for name, message := range map[string]tools.Message{
		"nothing":                     nil,
		"a nil result":                (*tools.CallResult)(nil),
		"no method":                   tools.Notification{Params: map[string]int{"n": 1}},
		"params that are no object":   tools.Notification{Method: "acme/step", Params: 3},
		"params that have no JSON":    tools.Notification{Method: "acme/step", Params: func() {}},
		"params that are a nil slice": tools.Notification{Method: "acme/step", Params: []int(nil)},
	} {
		for how, stream := range streamsOf(message, tools.Text("Done.")) {
			t.Run(name+" in "+how, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					result, _ := streamed(t, func(ctx context.Context, _ *tools.Request) (tools.Result, error) { return stream(ctx), nil })
					if result.AssertError("The tool stream failed."); len(result.Notifications) != 0 {
						t.Errorf("got the notifications %v", result.Notifications)
					}
				})
			})
		}
	}
}

// A producer that ignores its context must not leak: synctest fails a test that leaves a
// goroutine blocked.
func TestAProducerThatIgnoresItsContextIsDrained(t *testing.T) {
	t.Parallel()
	for name, handle := range map[string]func(end func()) tools.Result{
		"after its result": func(end func()) tools.Result {
			stream := make(chan tools.Message)
			go func() {
				defer end()
				defer close(stream)
				stream <- tools.Text("Done.")
				for n := range 100 {
					stream <- note(n)
				}
			}()
			return tools.Stream(stream)
		},
		"after its timeout": func(end func()) tools.Result {
			stream := make(chan tools.Message)
			go func() {
				defer end()
				defer close(stream)
				for n := range 100 {
					stream <- note(n)
					time.Sleep(time.Second)
				}
				stream <- tools.Text("Done.")
			}()
			return tools.Stream(stream)
		},
		"after a message that is wrong": func(end func()) tools.Result {
			stream := make(chan tools.Message)
			go func() {
				defer end()
				defer close(stream)
				stream <- nil
				for n := range 100 {
					stream <- note(n)
				}
			}()
			return tools.Stream(stream)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ended := false
				streamed(t, func(context.Context, *tools.Request) (tools.Result, error) {
					return handle(func() { ended = true }), nil
				})
				if !ended {
					t.Error("the producer did not come to its end")
				}
			})
		})
	}
}

func TestAStreamThatStaysOpenIsLogged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		result, log := streamed(t, func(context.Context, *tools.Request) (tools.Result, error) {
			stream := make(chan tools.Message, 1)
			stream <- tools.Text("Done.")
			time.AfterFunc(5*time.Second, func() { close(stream) })
			return tools.Stream(stream), nil
		})
		result.AssertOK()
		if !strings.Contains(log, "a stream stays open after its result; close the channel") {
			t.Errorf("the log is\n%s", log)
		}
	})
}

func TestSendReturnsAnErrorAfterTheCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var errs []error
		result, _ := streamed(t, func(ctx context.Context, _ *tools.Request) (tools.Result, error) {
			return tools.StreamFunc(ctx, func(send func(tools.Message) error) error {
				time.Sleep(2 * time.Minute) // longer than a call may take
				errs = append(errs, send(note(1)), send(tools.Text("Done.")))
				return errs[0]
			}), nil
		})
		result.AssertError("The tool stream timed out after 1m0s (request ")
		if len(errs) != 2 || !errors.Is(errs[0], context.DeadlineExceeded) || errs[1] == nil {
			t.Errorf("send returned %v", errs)
		}
	})
}

func TestIteratorsStopWhenTheCallEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stopped, cleaned := false, false
		result, _ := streamed(t, func(context.Context, *tools.Request) (tools.Result, error) {
			return tools.Seq(func(yield func(tools.Message, error) bool) {
				defer func() { cleaned = true }()
				for n := 0; yield(note(n), nil); n++ {
					time.Sleep(25 * time.Second)
				}
				stopped = true
			}), nil
		})
		result.AssertError("timed out").AssertNotified("acme/step", map[string]int{"n": 0}, map[string]int{"n": 1}, map[string]int{"n": 2})
		if !stopped || !cleaned {
			t.Errorf("the iterator was told to stop: %t, and its defers ran: %t", stopped, cleaned)
		}
	})
}

func TestProgressOnlyIncreases(t *testing.T) {
	t.Parallel()
	zero := 0.0
	for name, stream := range streamsOf(tools.Progress{Done: 2}, tools.Progress{Done: 1}, tools.Progress{Done: 2}, tools.Progress{Done: 0 / zero},
		tools.Progress{Done: 3, Total: 1 / zero}, tools.Progress{Done: 1 / zero}, tools.Progress{Done: 4}, tools.Text("Done.")) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				result, _ := streamed(t, func(ctx context.Context, _ *tools.Request) (tools.Result, error) { return stream(ctx), nil })
				result.AssertOK().AssertNotified("notifications/progress", map[string]any{"progressToken": "mcptest", "progress": 2},
					map[string]any{"progressToken": "mcptest", "progress": 3}, map[string]any{"progressToken": "mcptest", "progress": 4})
			})
		})
	}
}

func TestAHandlerMaySendProgressAndNotifications(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		result, _ := streamed(t, func(_ context.Context, request *tools.Request) (tools.Result, error) {
			if err := errors.Join(request.Progress(1, 2, "half"), request.Notify("acme/step", map[string]int{"n": 1})); err != nil {
				return nil, err
			}
			return tools.Text("Done."), nil
		})
		result.AssertOK().AssertNotified("acme/step", map[string]int{"n": 1}).
			AssertNotified("notifications/progress", map[string]any{"progressToken": "mcptest", "progress": 1, "total": 2, "message": "half"})
	})
}
