package call_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/call/calltest"
)

const inUse = `{"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"Invalid request: the id \"a\" belongs to a request that is still running"}}`

// waiting returns an operation that runs until its context ends, and then tries to send a
// notification and returns a result.
func waiting(t *testing.T) *call.Operation {
	return doing(func(ctx context.Context, k *call.Call) (call.Result, error) {
		<-ctx.Done()
		if err := k.Notify("a/b", nil); !errors.Is(err, call.ErrFinished) {
			t.Errorf("a notification results in %v", err)
		}
		return said("too late"), nil
	})
}

// remembered returns a client with the newest version whose calls are in a table.
func remembered(t *testing.T) *client {
	c := modern(t)
	c.table = &call.Table{}
	return c
}

// start begins a call that runs until it waits.
func (c *client) start(operation *call.Operation) (*call.Call, *calltest.Reply) {
	k, reply := c.begin(echo)
	go k.Run(operation)
	synctest.Wait()
	return k, reply
}

// await returns a request that waits to begin.
func (c *client) await(t *testing.T) *call.Arrival {
	t.Helper()
	a := calltest.Arrive(echo)
	if refusal := c.table.Await(a); refusal != nil {
		t.Fatalf("the id is not free: %v", refusal)
	}
	return a
}

// assertFree checks that a call can reuse the id of the earlier calls.
func (c *client) assertFree(t *testing.T) {
	t.Helper()
	if reply := c.run(echo, giving(said("ho"))); !strings.Contains(reply.Answer().Body, "ho") {
		t.Errorf("the id is not free: %+v", reply.Answers())
	}
}

// assertIdle checks that no call is running.
func (c *client) assertIdle(t *testing.T) {
	t.Helper()
	if left := c.server.Lifecycle.Drain(0, 0); left != 0 {
		t.Errorf("%d calls are still running", left)
	}
}

func TestAnIDIsFreeOnceItsCallWasAnswered(t *testing.T) {
	t.Parallel()
	c := remembered(t)
	c.run(echo, doing(func(context.Context, *call.Call) (call.Result, error) {
		second, reply := c.begin(echo)
		if second != nil {
			t.Error("two calls have one id")
		}
		assertAnswer(t, reply, 400, inUse)
		if other, _ := c.begin(strings.Replace(echo, `"a"`, `"b"`, 1)); other == nil {
			t.Error("a call with another id does not begin")
		} else {
			other.Run(giving(said("")))
		}
		return said(""), nil
	}))
	c.assertFree(t)
	c.assertIdle(t)
}

func TestACanceledCallIsSilent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := remembered(t)
		k, reply := c.start(waiting(t))
		c.table.Cancel([]byte(`"b"`))
		c.table.Cancel(nil)
		synctest.Wait()
		if len(reply.Answers()) != 0 {
			t.Errorf("the cancellation of others ends it with %+v", reply.Answers())
		}
		c.table.Cancel([]byte(`"a"`))
		synctest.Wait()
		assertAnswer(t, reply, 202, "")
		if len(reply.Sent()) != 0 {
			t.Errorf("sent %q", reply.Sent())
		}
		c.assertLog(t, "tool=echo outcome=canceled")
		c.assertFree(t)
		k.End()
		c.table.Close()
		synctest.Wait()
		if len(reply.Answers()) != 1 {
			t.Errorf("when it is over, it is cancelled again: %+v", reply.Answers())
		}
		c.assertIdle(t)
	})
}

// The context must end before a notification is refused. Otherwise the error of the
// notification would count as a failure of the handler.
func TestAnErrorAfterCancellationIsNotAFailure(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(c *client, hangUp func()){
		"by its client":             func(c *client, _ func()) { c.table.Cancel([]byte(`"a"`)) },
		"because its client left":   func(c *client, _ func()) { c.table.Close() },
		"because its client closes": func(c *client, _ func()) { c.table.EndCalls() },
		"by a hang-up":              func(_ *client, hangUp func()) { hangUp() },
		"with the program":          func(c *client, _ func()) { c.server.Lifecycle.Drain(0, 0) },
	} {
		for _, result := range []call.Result{nil, failure{errors.New("gave up")}} {
			c, told := remembered(t), &observer{}
			c.server.Listening, c.server.Over = told.Listening, told.Over
			ctx, hangUp := context.WithCancel(t.Context())
			c.ctx = ctx
			operation := doing(func(ctx context.Context, k *call.Call) (call.Result, error) {
				stop(c, hangUp)
				if result != nil {
					return result, nil
				}
				if err := k.Notify("a/b", nil); err != nil {
					return nil, err
				}
				return nil, ctx.Err()
			})
			stopped := result != nil
			operation.Explain = func(k *call.Call, err error) (call.Result, *exchange.Error) {
				stopped = k.Stopped()
				return explain(k, err)
			}
			c.run(echo, operation)
			if !stopped || !strings.HasPrefix(told.String(), "echo canceled") {
				t.Errorf("%s: the call was stopped: %t; the observer saw %q", name, stopped, told)
			}
			c.assertLog(t, "tool=echo outcome=canceled")
		}
	}
}

func TestAnErrorIsAFailureUnlessTheCallWasStopped(t *testing.T) {
	t.Parallel()
	c := remembered(t)
	operation := failing(fmt.Errorf("of a query: %w", context.Canceled))
	operation.Explain = func(k *call.Call, err error) (call.Result, *exchange.Error) {
		if k.Stopped() {
			t.Error("a call that runs was stopped")
		}
		return explain(k, err)
	}
	c.run(echo, operation)
	c.assertLog(t, "outcome=failed")
}

func TestAWaitingRequestCanBeCanceled(t *testing.T) {
	t.Parallel()
	c := remembered(t)
	first, reply := c.await(t), &calltest.Reply{}
	if refusal := c.table.Await(calltest.Arrive(echo)); refusal == nil || refusal.Status != 400 {
		t.Errorf("another with its id waits too: %v", refusal)
	}
	c.table.Cancel([]byte(`"a"`))
	if k := c.arrive(first, reply); k != nil {
		t.Error("a call begins that was cancelled")
	}
	assertAnswer(t, reply, 202, "")

	second := c.await(t)
	reply = &calltest.Reply{}
	c.arrive(second, reply).Run(giving(said("ho")))
	if !strings.Contains(reply.Answer().Body, "ho") {
		t.Errorf("got %+v", reply.Answers())
	}

	third := c.await(t)
	c.table.Leave(third) // it never became a call, so its id is free
	c.await(t)
}

func TestNoCallBeginsAfterTheClientHasDisconnected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := remembered(t)
		_, running := c.start(waiting(t))
		if c.table.Closed() {
			t.Error("the table is closed too early")
		}
		c.table.Close()
		synctest.Wait()
		assertAnswer(t, running, 202, "")
		next, reply := c.begin(echo)
		if next != nil || !c.table.Closed() {
			t.Error("a call begins")
		}
		assertAnswer(t, reply, 202, "")
	})
}

func TestACallWhoseContextEndedMayStillAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := remembered(t)
		_, reply := c.start(doing(func(ctx context.Context, _ *call.Call) (call.Result, error) {
			<-ctx.Done()
			return said("stopped"), nil
		}))
		c.table.EndCalls()
		synctest.Wait()
		if !strings.Contains(reply.Answer().Body, "stopped") {
			t.Errorf("got %+v", reply.Answers())
		}
	})
}

func TestAClientWithoutATableHasNothingToCancel(t *testing.T) {
	t.Parallel()
	var none *call.Table
	none.Cancel([]byte("1"))
	none.Leave(calltest.Arrive(echo))
	if refusal := none.Await(calltest.Arrive(echo)); refusal != nil || none.Closed() {
		t.Errorf("got %v, %t", refusal, none.Closed())
	}
}

// A stream records how it was ended.
type stream struct {
	id       string
	canceled int
	sent     func()
}

func (s *stream) ID() []byte      { return []byte(s.id) }
func (s *stream) Cancel()         { s.canceled++ }
func (s *stream) End(sent func()) { s.sent = sent }

func TestStreamsHaveIDsToo(t *testing.T) {
	t.Parallel()
	c := remembered(t)
	open := &stream{id: `"a"`}
	if refusal := c.table.Open(open); refusal != nil {
		t.Fatal(refusal)
	}
	if refusal := c.table.Open(&stream{id: `"a"`}); refusal == nil || refusal.Status != 400 {
		t.Errorf("two streams have one id: %v", refusal)
	}
	if k, reply := c.begin(echo); k != nil {
		t.Error("a call has the id of a stream")
	} else {
		assertAnswer(t, reply, 400, inUse)
	}
	c.table.Cancel([]byte(`"a"`))
	if open.canceled != 1 {
		t.Errorf("the stream was cancelled %d times", open.canceled)
	}
	c.table.Forget(open)
	c.table.Forget(open)
	c.table.Cancel([]byte(`"a"`))
	if k, _ := c.begin(echo); k == nil || open.canceled != 1 {
		t.Errorf("a stream that is forgotten keeps its id, and was cancelled %d times", open.canceled)
	} else {
		k.Run(giving(said("")))
	}
}

func TestTheStreamsOfAClientAreLimited(t *testing.T) {
	t.Parallel()
	table := &call.Table{}
	var last *stream
	for i := range 64 {
		last = &stream{id: fmt.Sprint(i)}
		if refusal := table.Open(last); refusal != nil {
			t.Fatalf("stream %d: %v", i, refusal)
		}
	}
	if refusal := table.Open(&stream{id: "64"}); refusal == nil || refusal.Status != 503 {
		t.Errorf("one more is answered with %v", refusal)
	}
	table.Forget(last)
	if refusal := table.Open(&stream{id: "64"}); refusal != nil {
		t.Errorf("when one has ended, the next is answered with %v", refusal)
	}
}

func TestEndSubscriptionsReportsTheEndOfAllStreams(t *testing.T) {
	t.Parallel()
	table, streams := &call.Table{}, []*stream{{id: "1"}, {id: "2"}}
	isClosed := func(all <-chan struct{}) bool {
		select {
		case <-all:
			return true
		default:
			return false
		}
	}
	if !isClosed(table.EndSubscriptions()) {
		t.Error("without streams, the end is not reported")
	}
	for _, s := range streams {
		if refusal := table.Open(s); refusal != nil {
			t.Fatal(refusal)
		}
	}
	all := table.EndSubscriptions()
	for i, s := range streams {
		if isClosed(all) {
			t.Errorf("the end is reported after %d of 2", i)
		}
		s.sent()
	}
	if !isClosed(all) {
		t.Error("the end of all streams is not reported")
	}
}
