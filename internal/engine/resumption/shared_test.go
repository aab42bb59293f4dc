package resumption_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/store"
	"github.com/bowline-mcp/bowline/internal/engine/resumption"
	"github.com/bowline-mcp/bowline/internal/engine/shared"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/limits"
)

var errDown = errors.New("the store is down")

// A faulty store fails, hangs, loses messages or does half of what it is asked for.
type faulty struct {
	*store.Memory

	lock  sync.Mutex
	mode  string
	tried int
}

func (f *faulty) is(mode string) {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.mode, f.tried = mode, 0
}

// fails returns the error of an operation.
func (f *faulty) fails(ctx context.Context) error {
	f.lock.Lock()
	f.tried++
	mode := f.mode
	f.lock.Unlock()
	switch mode {
	case "fails":
		return errDown
	case "hangs":
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

func (f *faulty) has(mode string) bool {
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.mode == mode
}

func (f *faulty) Append(ctx context.Context, stream string, data []byte, ttl time.Duration) (int64, error) {
	if err := f.fails(ctx); err != nil {
		return 0, err
	}
	id, err := f.Memory.Append(ctx, stream, data, ttl)
	if f.has("stores and fails") {
		return 0, errDown
	}
	return id, err
}

func (f *faulty) After(ctx context.Context, stream string, id int64, limit int) ([]store.Event, error) {
	if err := f.fails(ctx); err != nil {
		return nil, err
	}
	if f.has("returns few") {
		limit = 1
	}
	return f.Memory.After(ctx, stream, id, limit)
}

func (f *faulty) Drop(ctx context.Context, stream string) error {
	if err := f.fails(ctx); err != nil {
		return err
	}
	return f.Memory.Drop(ctx, stream)
}

func (f *faulty) Publish(ctx context.Context, topic string, payload []byte) error {
	if f.has("loses messages") {
		return nil
	}
	if err := f.fails(ctx); err != nil {
		return err
	}
	return f.Memory.Publish(ctx, topic, payload)
}

// processes returns a session in each of two processes, and their store and log.
func processes(t *testing.T, resumes bool) (one, two *resumption.Session, s *faulty, log *strings.Builder) {
	t.Helper()
	s, log = &faulty{Memory: store.NewMemory()}, &strings.Builder{}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	logger := slog.New(slog.NewTextHandler(log, nil))
	session := func() *resumption.Session {
		return resumption.NewSession(resumption.NewShared(shared.New(ctx, s, logger)), "the session", throttle.Key{}, resumes)
	}
	return session(), session(), s, log
}

func TestAnotherProcessFollowsTheStreamOfACall(t *testing.T) {
	for _, mode := range []string{"", "loses messages", "returns few", "stores and fails"} {
		t.Run("the store "+mode, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				one, two, s, _ := processes(t, true)
				s.is(mode)
				first := &connection{}
				stream := one.Begin(first)
				first.breaks()
				time.Sleep(limits.StorePause) // a store that has failed is tried again
				if err := stream.Send([]byte("one")); err == nil {
					t.Error("the connection isn't broken")
				}
				time.Sleep(2 * limits.StorePause)
				again, back := open(t, two, first.last())
				synctest.Wait()
				back.gets(t, "one")
				send(t, stream, "two")
				time.Sleep(2 * limits.StorePause)
				back.gets(t, "two")
				stream.End([]byte("the answer"))
				if time.Sleep(2 * time.Second); !back.hasEnded() {
					t.Error("the connection is open after the answer")
				}
				back.gets(t, "the answer")
				again.Release(back)
				refuses(t, two, back.last(), resumption.ErrEnded)
				refuses(t, one, back.last(), resumption.ErrEnded)
			})
		})
	}
}

func TestTheBusWakesAFollower(t *testing.T) {
	bubble(t, func(t *testing.T) {
		one, two, _, _ := processes(t, true)
		first := &connection{}
		stream := one.Begin(first)
		stream.Release(first)
		_, back := open(t, two, first.last())
		synctest.Wait()
		start := time.Now()
		send(t, stream, "one")
		synctest.Wait()
		back.gets(t, "one")
		stream.End()
		synctest.Wait()
		if !back.hasEnded() || time.Since(start) > 0 {
			t.Error("the follower waits, or doesn't hear of an end without an answer")
		}
		back.gets(t)
	})
}

func TestAClientOfAnOlderVersionResumesInAnotherProcessAfterAMessage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		one, two, _, _ := processes(t, false)
		first := &connection{}
		stream := one.Begin(first)
		send(t, stream, "one")
		stream.Release(first)
		send(t, stream, "two")
		_, back := open(t, two, first.last())
		synctest.Wait()
		stream.End([]byte("the answer"))
		synctest.Wait()
		back.gets(t, "two", "the answer")
	})
}

func TestAListeningStreamMovesToTheProcessOfItsClient(t *testing.T) {
	bubble(t, func(t *testing.T) {
		one, two, _, _ := processes(t, true)
		stream, first := open(t, one, "")
		one.Deliver(says("one"))
		stream.Release(first)
		moved, back := open(t, two, first.ids[0])
		if !two.Deliver(says("two")) || one.Deliver(says("nobody listens here")) {
			t.Error("the message isn't delivered where the client listens")
		}
		back.gets(t, "one", "two")
		moved.Release(back)
		_, again := open(t, one, back.last())
		one.Deliver(says("three"))
		again.gets(t, "three")
		_, last := open(t, two, back.ids[0])
		last.gets(t, "one", "two", "three")
	})
}

func TestAProcessThatDiedIsNotFollowedForEver(t *testing.T) {
	bubble(t, func(t *testing.T) {
		one, two, _, _ := processes(t, true)
		first := &connection{}
		one.Begin(first)
		_, back := open(t, two, first.last())
		time.Sleep(limits.FollowTime - time.Second)
		if synctest.Wait(); back.hasEnded() {
			t.Error("the follower gives up early")
		}
		time.Sleep(time.Second)
		if synctest.Wait(); !back.hasEnded() || back.retry != limits.FollowPause {
			t.Errorf("the connection has ended (%t), with a retry of %s", back.hasEnded(), back.retry)
		}
	})
}

func TestAFollowerHasOneConnectionAtATime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		one, two, _, _ := processes(t, true)
		first := &connection{}
		stream := one.Begin(first)
		stream.Release(first)
		_, before := open(t, two, first.last())
		_, after := open(t, two, first.last())
		synctest.Wait()
		send(t, stream, "one")
		time.Sleep(2 * time.Second)
		if !before.hasEnded() {
			t.Error("the former connection is open")
		}
		before.gets(t)
		after.gets(t, "one")
		two.EndListening()
		if synctest.Wait(); !after.hasEnded() {
			t.Error("the connection of a follower is open while the process stops")
		}
	})
}

func TestACallGoesOnWhileTheStoreFails(t *testing.T) {
	for mode, most := range map[string]time.Duration{"fails": 0, "hangs": 2*limits.StoreTime + time.Second} {
		t.Run("the store "+mode, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				one, two, s, log := processes(t, true)
				c, start := &connection{}, time.Now()
				stream := one.Begin(c)
				begin := c.last()
				s.is(mode)
				for range 1000 {
					send(t, stream, "an event")
				}
				c.gets(t, strings.Split(strings.Repeat("an event,", 999)+"an event", ",")...)
				if _, _, err := two.Open(t.Context(), begin); err == nil || errors.Is(err, resumption.ErrUnknownEvent) {
					t.Errorf("Open = %v, want the error of the store", err)
				}
				stream.End([]byte("the answer"))
				c.gets(t, "the answer")
				if took := time.Since(start); took > 2*limits.StoreTime+most {
					t.Errorf("the call took %s", took)
				}
				if n := strings.Count(log.String(), "level=ERROR"); n != 2 { // one by each process
					t.Errorf("the failure is logged %d times:\n%s", n, log)
				}
				s.is("")
				time.Sleep(2 * limits.StorePause)
				stream = one.Begin(c)
				stream.Release(c)
				stream.End([]byte("later"))
				_, back := open(t, two, c.last())
				synctest.Wait()
				back.gets(t, "later")
				if n := strings.Count(log.String(), "works again"); n != 2 {
					t.Errorf("the end of the failure is logged %d times:\n%s", n, log)
				}
			})
		})
	}
}

func TestAFollowerGoesOnWhenTheStoreComesBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		one, two, s, _ := processes(t, true)
		first := &connection{}
		stream := one.Begin(first)
		stream.Release(first)
		_, back := open(t, two, first.last())
		synctest.Wait()
		s.is("fails")
		time.Sleep(5 * time.Second)
		s.is("")
		time.Sleep(2 * time.Second)
		stream.End([]byte("the answer"))
		time.Sleep(2 * time.Second)
		back.gets(t, "the answer")
	})
}

func TestASessionHasABoundedPartOfASharedStore(t *testing.T) {
	bubble(t, func(t *testing.T) {
		one, two, _, _ := processes(t, true)
		old, recent := &connection{}, &connection{}
		first, second := one.Begin(old), one.Begin(recent)
		send(t, first, strings.Repeat("x", 3<<20))
		send(t, second, strings.Repeat("y", 3<<20))
		refuses(t, two, old.last(), resumption.ErrUnknownEvent)
		followed, back := open(t, two, recent.ids[0])
		synctest.Wait()
		back.gets(t, strings.Repeat("y", 3<<20))
		followed.Release(back)
		one.Close()
		synctest.Wait()
		refuses(t, two, recent.last(), resumption.ErrUnknownEvent)
	})
}

func TestAFollowerHearsOfAnEndWithoutMessages(t *testing.T) {
	t.Parallel()
	for _, resumes := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			one, two, _, _ := processes(t, resumes)
			first := &connection{}
			stream := one.Begin(first)
			if !resumes { // only a message has an id
				send(t, stream, "one")
			}
			stream.Release(first)
			_, back := open(t, two, first.last())
			synctest.Wait()
			stream.End()
			if synctest.Wait(); !back.hasEnded() {
				t.Errorf("the follower goes on (the client can resume: %t)", resumes)
			}
		})
	}
}

func TestAStreamThatMovesIsNotReplacedBeforeItConnects(t *testing.T) {
	bubble(t, func(t *testing.T) {
		one, two, _, _ := processes(t, true)
		stream, first := open(t, one, "")
		stream.Release(first)
		if _, _, err := two.Open(t.Context(), first.last()); err != nil {
			t.Fatal(err)
		}
		for range limits.SessionListeners - 1 {
			open(t, two, "")
		}
		refuses(t, two, "", resumption.ErrTooManyStreams)
	})
}

func TestFollowersAreNoStreamsToListen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		one, two, _, _ := processes(t, true)
		for range limits.SessionListeners {
			call := &connection{}
			one.Begin(call)
			open(t, two, call.last())
		}
		open(t, two, "")
	})
}

func TestAnEventNumberThatNoProcessGivesIsUnknown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		one, two, _, _ := processes(t, true)
		call := &connection{}
		one.Begin(call)
		stream := call.last()[:strings.LastIndex(call.last(), "-")+1]
		refuses(t, two, stream+"4611686018427387904", resumption.ErrUnknownEvent)
		if _, _, err := two.Open(t.Context(), stream+"4611686018427387903"); err != nil {
			t.Errorf("the largest number: %v", err)
		}
	})
}
