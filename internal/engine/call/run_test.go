package call_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
)

func TestTheWatchdogAnswersForAHandlerThatIgnoresItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, start := modern(t), time.Now()
		k, reply := c.begin(echo)
		var ended error
		go k.Run(doing(func(ctx context.Context, k *call.Call) (call.Result, error) {
			time.Sleep(time.Minute + time.Second)
			ended = ctx.Err()
			return said("too late"), k.Notify("a/b", nil)
		}))
		<-k.Done()
		synctest.Wait()
		if took := time.Since(start); took != time.Minute {
			t.Errorf("the call ended after %v", took)
		}
		assertAnswer(t, reply, 200, `{"jsonrpc":"2.0","id":"a","result":{"failed":"timed out after 1m0s: the handler hasn't returned"}}`)
		c.assertLog(t, `level=WARN msg=call tool=echo outcome="timed out" version=2026-07-28 reason="timed out after 1m0s: the handler hasn't returned"`)
		if !reply.PrecedesReturn() || strings.Contains(c.log.String(), "ignores its context") {
			t.Errorf("HandlerStillRuns was called: %t; the log is\n%s", reply.PrecedesReturn(), c.log)
		}
		time.Sleep(500 * time.Millisecond)
		c.assertLog(t, "a handler ignores its context and goes on after its timeout", "timeout=1m0s abandoned=1")
		time.Sleep(time.Second)
		synctest.Wait()
		if ended != context.DeadlineExceeded || len(reply.Answers()) != 1 || len(reply.Sent()) != 0 {
			t.Errorf("the handler saw %v; then there were %+v after %q", ended, reply.Answers(), reply.Sent())
		}
		c.assertLog(t, "a handler that had ignored its context has returned", "abandoned=0")
		if n := strings.Count(c.log.String(), "msg=call"); n != 1 {
			t.Errorf("the log has %d lines of the call:\n%s", n, c.log)
		}
	})
}

func TestAHandlerThatObeysItsContextIsNotLoggedAsHanging(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := modern(t)
		reply := c.run(echo, doing(func(ctx context.Context, _ *call.Call) (call.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}))
		time.Sleep(time.Second)
		if !strings.Contains(reply.Answer().Body, "hasn't returned") || strings.Contains(c.log.String(), "ignores") {
			t.Errorf("got %+v, and the log\n%s", reply.Answers(), c.log)
		}
	})
}

func TestAnOperationMayHaveItsOwnTimeout(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		timeout, takes, within time.Duration
	}{{time.Second, time.Second, 0}, {time.Hour, time.Hour, time.Hour}, {0, time.Minute, 0}, {time.Minute, time.Minute, 0}} {
		synctest.Test(t, func(t *testing.T) {
			start, slow := time.Now(), doing(func(ctx context.Context, _ *call.Call) (call.Result, error) {
				if deadline, ok := ctx.Deadline(); !ok || time.Until(deadline) != test.takes {
					t.Errorf("the handler has until %v", deadline)
				}
				<-ctx.Done()
				return nil, ctx.Err()
			})
			slow.Timeout = test.timeout
			reply := modern(t).run(echo, slow)
			if took := time.Since(start); took != test.takes || reply.Takes() != test.within {
				t.Errorf("of %v: it took %v, and the reply may take %v", test.timeout, took, reply.Takes())
			}
			time.Sleep(time.Second) // for the watchdog
		})
	}
}

func TestEachCallHasTheFullTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := modern(t)
		for range 10 {
			reply := c.run(echo, doing(func(ctx context.Context, _ *call.Call) (call.Result, error) {
				time.Sleep(40 * time.Second)
				return said("ho"), ctx.Err()
			}))
			if !strings.Contains(reply.Answer().Body, "ho") || reply.PrecedesReturn() {
				t.Fatalf("got %+v", reply.Answers())
			}
		}
	})
}

func TestAnOperationOfTheEngineHasNoDeadline(t *testing.T) {
	t.Parallel()
	c := modern(t)
	listed := doing(func(ctx context.Context, _ *call.Call) (call.Result, error) {
		if deadline, ok := ctx.Deadline(); ok {
			t.Errorf("it has until %v", deadline)
		}
		return said("ho"), nil
	})
	listed.Engine, listed.Tool = true, ""
	if reply := c.run(echo, listed); !strings.Contains(reply.Answer().Body, "ho") {
		t.Errorf("got %+v", reply.Answers())
	}
	c.assertLog(t, "level=DEBUG msg=call method=tools/call of=echo outcome=ok")
}

func TestTheDeadlineIsSuspendedWhileTheClientIsAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		reply := modern(t).run(echo, doing(func(ctx context.Context, k *call.Call) (call.Result, error) {
			time.Sleep(50 * time.Second)
			resume, again := k.Pause(), k.Pause()
			time.Sleep(time.Hour)
			resume()
			time.Sleep(time.Hour)
			again()
			if deadline, _ := ctx.Deadline(); time.Until(deadline) != 10*time.Second {
				t.Errorf("it has %v left", time.Until(deadline))
			}
			<-ctx.Done()
			k.Pause()() // has no effect after the call
			return nil, ctx.Err()
		}))
		if took := time.Since(start); took != 2*time.Hour+time.Minute || !strings.Contains(reply.Answer().Body, "hasn't returned") {
			t.Errorf("after %v: %+v", took, reply.Answers())
		}
		time.Sleep(time.Second) // for the watchdog
	})
}

func TestAPanicFailsOneCall(t *testing.T) {
	t.Parallel()
	c := modern(t)
	reply := c.run(echo, doing(func(context.Context, *call.Call) (call.Result, error) { panic("boom") }))
	assertAnswer(t, reply, 200, `{"jsonrpc":"2.0","id":"a","result":{"failed":"the handler panicked: boom (run_test.go:153)"}}`)
	c.assertLog(t, `level=ERROR msg=call tool=echo outcome=panicked version=2026-07-28 reason="the handler panicked: boom (run_test.go:153)"`)
	assertAnswer(t, c.run(echo, giving(shared(`{}}`))), 200, `{"jsonrpc":"2.0","id":"a","result":{}}`)
	if left := c.server.Lifecycle.Drain(0, 0); left != 0 {
		t.Errorf("%d calls are still running", left)
	}
}

func TestACallIsAnsweredWhenItsHandlerEndsTheGoroutine(t *testing.T) {
	t.Parallel()
	c := modern(t)
	k, reply := c.begin(echo)
	var ended sync.WaitGroup
	ended.Go(func() {
		k.Run(doing(func(context.Context, *call.Call) (call.Result, error) {
			runtime.Goexit()
			return nil, nil
		}))
		t.Error("the goroutine continues")
	})
	ended.Wait()
	if answer := reply.Answer().Body; !strings.Contains(answer, "the handler called runtime.Goexit, as testing.T.FailNow does") || !reply.PrecedesReturn() {
		t.Errorf("got %+v", reply.Answers())
	}
	if left := c.server.Lifecycle.Drain(0, 0); left != 0 {
		t.Errorf("%d calls are still running", left)
	}
}

// An observer records how calls end.
type observer struct {
	lock sync.Mutex
	off  bool
	saw  []string
}

func (o *observer) Listening() bool { return !o.off }

func (o *observer) Over(k *call.Call, ending call.Ending) {
	o.lock.Lock()
	defer o.lock.Unlock()
	problem := ""
	if ending.Err != nil {
		problem = ": " + ending.Err.Error()
	}
	o.saw = append(o.saw, k.Key()+" "+string(ending.Outcome)+problem)
	if ending.Took < 0 {
		o.saw = append(o.saw, "it took "+ending.Took.String())
	}
}

func (o *observer) String() string {
	o.lock.Lock()
	defer o.lock.Unlock()
	return strings.Join(o.saw, "\n")
}

func TestOverIsCalledWithTheEndOfEachCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, told := modern(t), &observer{}
		c.server.Listening, c.server.Over, c.table = told.Listening, told.Over, &call.Table{}
		c.run(echo, giving(said("ho")))
		c.run(echo, failing(errors.New("broken")))
		c.run(echo, giving(failure{errors.New("the result says no")}))
		c.run(echo, doing(func(ctx context.Context, _ *call.Call) (call.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}))
		synctest.Wait() // for the goroutine of the listener
		c.run(echo, doing(func(ctx context.Context, k *call.Call) (call.Result, error) {
			c.table.Cancel([]byte(`"a"`))
			<-ctx.Done()
			return nil, ctx.Err()
		}))
		hungUp, hangUp := context.WithCancel(t.Context())
		c.ctx = hungUp
		c.run(echo, doing(func(ctx context.Context, k *call.Call) (call.Result, error) {
			hangUp()
			<-ctx.Done()
			return nil, ctx.Err()
		}))
		c.ctx = t.Context()
		k, _ := c.begin(echo)
		k.Refuse(nil, refusal())
		time.Sleep(time.Second)
		want := []string{
			"echo ok", "echo failed: broken", "echo refused: the result says no", "echo timed out: timed out after 1m0s: the handler hasn't returned",
			"echo canceled", "echo canceled", " refused: No such method",
		}
		if got := strings.Split(told.String(), "\n"); !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", told, strings.Join(want, "\n"))
		}
		told.off = true
		if c.run(echo, giving(said("ho"))); len(told.saw) != len(want) {
			t.Errorf("without a listener, Over is called with %q", told.saw[len(want):])
		}
	})
}

func TestDrainingWaitsForRunningCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, told := modern(t), 0
		c.server.Lifecycle.AtDrain(func() { told++ })
		k, reply := c.begin(echo)
		go k.Run(doing(func(ctx context.Context, _ *call.Call) (call.Result, error) {
			time.Sleep(3 * time.Second)
			return said("ho"), ctx.Err()
		}))
		start := time.Now()
		if left := c.server.Lifecycle.Drain(10*time.Second, time.Second); left != 0 || time.Since(start) != 3*time.Second || told != 1 {
			t.Errorf("after %v, %d calls are left; streams were ended %d times", time.Since(start), left, told)
		}
		if !strings.Contains(reply.Answer().Body, "ho") || !c.server.Lifecycle.Draining() {
			t.Errorf("got %+v", reply.Answers())
		}
		late, refusal := c.begin(echo)
		if late != nil {
			t.Error("a call begins while the program stops")
		}
		assertAnswer(t, refusal, 503, `{"jsonrpc":"2.0","id":"a","error":{"code":-32603,"message":"The server is shutting down; try again later"}}`)
	})
}

func TestDrainingEndsSlowCalls(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		handle func(ctx context.Context)
		took   time.Duration
		left   int
	}{
		"one that heeds its context":   {func(ctx context.Context) { <-ctx.Done() }, 10 * time.Second, 0},
		"one that ignores its context": {func(context.Context) { time.Sleep(30 * time.Second) }, 12 * time.Second, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, start := modern(t), time.Now()
				k, _ := c.begin(echo)
				go k.Run(doing(func(ctx context.Context, _ *call.Call) (call.Result, error) {
					test.handle(ctx)
					return said("ho"), nil
				}))
				if left := c.server.Lifecycle.Drain(10*time.Second, 2*time.Second); left != test.left || time.Since(start) != test.took {
					t.Errorf("after %v, %d calls are left", time.Since(start), left)
				}
				time.Sleep(time.Minute)
			})
		})
	}
}

func TestTheLogTruncatesALongName(t *testing.T) {
	t.Parallel()
	c := modern(t)
	method := strings.Repeat("é", 300)
	k, _ := c.begin(`{"jsonrpc":"2.0","id":1,"method":"` + method + `"}`)
	k.Refuse(nil, refusal())
	if line := c.log.String(); len(line) > 300 || !strings.Contains(line, "éé…") {
		t.Errorf("the log is\n%s", line)
	}
}

// The calls of a client may wait for their turn. They are answered at their timeout.
func TestACallThatWaitsForItsTurnTimesOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := modern(t)
		c.http = httptest.NewRequest(http.MethodPost, "/", nil)
		operation := doing(func(ctx context.Context, _ *call.Call) (call.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		operation.Timeout = 10 * time.Millisecond
		start := time.Now()
		var calls sync.WaitGroup
		for range 60 {
			k, _ := c.begin(echo)
			calls.Go(func() { k.Run(operation) })
		}
		calls.Wait()
		if took := time.Since(start); took != operation.Timeout {
			t.Errorf("calls with a timeout of %v are answered after %v", operation.Timeout, took)
		}
		time.Sleep(time.Second) // until the queue is empty
	})
}

// unreadable is an error whose text panics, as that of a typed nil does.
type unreadable struct{ error }

// undecided is data that panics when it is encoded.
type undecided struct{}

func (undecided) MarshalJSON() ([]byte, error) { panic("no data") }

func TestAnErrorThatPanicsIsAFailedCall(t *testing.T) {
	t.Parallel()
	var none *exchange.Error
	for name, err := range map[string]error{"a typed nil": none, "a text": &unreadable{}} {
		c := modern(t)
		c.http = httptest.NewRequest(http.MethodPost, "/", nil)
		for range 100 { // more than a client may run at once
			if got := c.run(echo, failing(err)).Answer().Body; !strings.Contains(got, "the error that the handler returned panicked: ") {
				t.Fatalf("%s: got %s", name, got)
			}
		}
		if n := strings.Count(c.log.String(), "level=ERROR msg=call tool=echo outcome=panicked"); n != 100 {
			t.Errorf("%s: the log has %d lines of 100 calls", name, n)
		}
	}
}

func TestAnAnswerThatPanicsIsAFailedCall(t *testing.T) {
	t.Parallel()
	c := modern(t)
	operation := failing(errors.New("no disk"))
	explained := 0
	operation.Explain = func(k *call.Call, err error) (call.Result, *exchange.Error) {
		if explained++; explained == 1 {
			_, _ = undecided{}.MarshalJSON()
		}
		return explain(k, err)
	}
	if got := c.run(echo, operation).Answer().Body; !strings.Contains(got, "the answer of the handler panicked: no data (run_test.go:") {
		t.Errorf("got %s", got)
	}
	c.assertLog(t, "level=ERROR msg=call tool=echo outcome=panicked")
}

func TestTheLogHasThePlaceOfAPanicWithALongValue(t *testing.T) {
	t.Parallel()
	c := modern(t)
	c.run(echo, doing(func(context.Context, *call.Call) (call.Result, error) { panic(strings.Repeat("x", 1<<20)) }))
	c.assertLog(t, "xxx… (run_test.go:")
	if n := len(c.log.String()); n > 4000 {
		t.Errorf("the line has %d bytes", n)
	}
}

func TestAResultThatNobodyGetsIsOfACanceledCall(t *testing.T) {
	t.Parallel()
	c := modern(t)
	ctx, hangUp := context.WithCancel(t.Context())
	c.ctx = ctx
	c.run(echo, doing(func(context.Context, *call.Call) (call.Result, error) {
		hangUp()
		return said("ho"), nil
	}))
	c.assertLog(t, "level=INFO msg=call tool=echo outcome=canceled")
}

func TestAPanicAfterACancellationIsAPanic(t *testing.T) {
	t.Parallel()
	for range 50 {
		c := modern(t)
		c.table = &call.Table{}
		c.run(echo, doing(func(ctx context.Context, _ *call.Call) (call.Result, error) {
			c.table.Cancel([]byte(`"a"`))
			<-ctx.Done()
			panic("boom")
		}))
		c.assertLog(t, "level=ERROR msg=call tool=echo outcome=panicked")
	}
}

func TestAListenerThatBlocksDelaysNoTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, start := modern(t), time.Now()
		c.server.Listening = func() bool { return true }
		c.server.Over = func(*call.Call, call.Ending) { time.Sleep(time.Hour) }
		c.run(echo, doing(func(ctx context.Context, _ *call.Call) (call.Result, error) {
			time.Sleep(time.Minute + time.Second)
			return nil, ctx.Err()
		}))
		if took := time.Since(start); took != time.Minute+time.Second {
			t.Errorf("the handler's goroutine goes on after %v", took)
		}
		c.assertLog(t, "a handler ignores its context", `outcome="timed out"`)
		time.Sleep(2 * time.Hour)
	})
}
