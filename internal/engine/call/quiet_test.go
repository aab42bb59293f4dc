package call_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/call/calltest"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A quietReply shows its client that a call goes on.
type quietReply struct {
	calltest.Reply
	shown atomic.Int32
	slow  chan struct{} // if not nil, the client reads nothing until it is closed
}

func (r *quietReply) KeepAlive() {
	r.shown.Add(1)
	if r.slow != nil {
		<-r.slow
	}
}

var _ call.KeepAliveReply = (*quietReply)(nil)

// quietly starts a call that may be quiet for some time, and whose handler takes some time.
func quietly(c *client, reply call.Reply, quiet, takes time.Duration) *call.Call {
	arrival := calltest.Arrive("%s", echo)
	arrival.KeepAlive = quiet
	k := c.arrive(arrival, reply)
	go k.Run(doing(func(ctx context.Context, _ *call.Call) (call.Result, error) {
		select {
		case <-time.After(takes):
			return said("done"), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}))
	synctest.Wait()
	return k
}

func TestTheClientOfAQuietCallIsShownOnceThatItGoesOn(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		quiet, takes time.Duration
		want         int32
	}{
		{15 * time.Second, 50 * time.Second, 1},
		{15 * time.Second, 15*time.Second - 1, 0},
		{15 * time.Second, 15*time.Second + 1, 1},
		{time.Minute, time.Hour, 0}, // as long as the timeout, which answers
		{time.Hour, 50 * time.Second, 0},
		{0, 50 * time.Second, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := modern(t)
			for range 3 { // with the watchdog of the call before
				reply := &quietReply{}
				quietly(c, reply, test.quiet, test.takes)
				time.Sleep(test.quiet - 1)
				if got := reply.shown.Load(); got != 0 {
					t.Errorf("within %v of silence, the client is shown %d times that the call goes on", test.quiet, got)
				}
				time.Sleep(2 * time.Minute)
				if got := reply.shown.Load(); got != test.want || len(reply.Answers()) != 1 {
					t.Errorf("%+v: the client is shown %d times that the call goes on, and gets %+v", test, got, reply.Answers())
				}
			}
		})
	}
}

// A call that began later gets its own time, whatever the timer of the watchdog was set for.
func TestAWatchdogThatIsUsedAgainKnowsWhenItsCallIsQuiet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := modern(t)
		quietly(c, &quietReply{}, 15*time.Second, 10*time.Second)
		time.Sleep(12 * time.Second)
		reply := &quietReply{}
		quietly(c, reply, 15*time.Second, 40*time.Second)
		time.Sleep(14 * time.Second)
		if got := reply.shown.Load(); got != 0 {
			t.Errorf("after 14 s, the client is shown %d times that the call goes on", got)
		}
		time.Sleep(2 * time.Second)
		if got := reply.shown.Load(); got != 1 {
			t.Errorf("after 16 s, the client is shown %d times that the call goes on", got)
		}
		time.Sleep(time.Minute)
	})
}

// The timer is set for whatever comes first.
func TestTheDeadlineMayComeBeforeTheSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		<-quietly(modern(t), &quietReply{}, time.Hour, 2*time.Hour).Done()
		if took := time.Since(begin); took != time.Minute {
			t.Errorf("the call ends after %v", took)
		}
		time.Sleep(time.Second) // the watchdog looks once more whether the handler has returned
	})
}

func TestTheClientOfACanceledCallIsShownNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, reply := newClient(t, spec.Version20250618), &quietReply{}
		c.table = &call.Table{}
		arrival := calltest.Arrive("%s", echo)
		arrival.KeepAlive = 15 * time.Second
		k := c.arrive(arrival, reply)
		go k.Run(doing(func(context.Context, *call.Call) (call.Result, error) { // which ignores its context
			time.Sleep(30 * time.Second)
			return said("done"), nil
		}))
		synctest.Wait()
		c.table.Cancel([]byte(`"a"`))
		time.Sleep(40 * time.Second)
		if got := reply.shown.Load(); got != 0 {
			t.Errorf("the client is shown %d times that the call goes on", got)
		}
	})
}

// The client may not read what shows that the call goes on.
func TestAClientThatDoesNotReadDoesNotPutOffTheDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reply := &quietReply{slow: make(chan struct{})}
		begin := time.Now()
		k := quietly(modern(t), reply, 15*time.Second, time.Hour)
		<-k.Done()
		if took := time.Since(begin); took != time.Minute {
			t.Errorf("the context of the call ends after %v", took)
		}
		close(reply.slow)
		time.Sleep(time.Second)
		if len(reply.Answers()) != 1 {
			t.Errorf("the answers are %+v", reply.Answers())
		}
	})
}

// The end of a call and the moment of its silence may meet.
func TestNothingIsShownAfterTheAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for range 100 {
			reply := &quietReply{}
			quietly(modern(t), reply, 15*time.Second, 15*time.Second)
			time.Sleep(time.Minute)
			if got := reply.shown.Load(); got > 1 || len(reply.Answers()) != 1 {
				t.Fatalf("the client is shown %d times that the call goes on, and gets %+v", got, reply.Answers())
			}
		}
	})
}
