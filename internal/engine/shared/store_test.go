package shared_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/store"
	"github.com/bowline-mcp/bowline/internal/engine/shared"
	"github.com/bowline-mcp/bowline/internal/limits"
)

var errDown = errors.New("the store is down")

// A flaky store subscribes only if it isn't down.
type flaky struct {
	*store.Memory
	lock   sync.Mutex
	down   bool
	hangs  bool
	slow   bool // whether it subscribes once its time is over, when the context has ended
	panics bool
}

func (f *flaky) set(down bool) {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.down = down
}

func (f *flaky) Subscribe(ctx context.Context, receive func(store.Message)) error {
	f.lock.Lock()
	defer f.lock.Unlock()
	if f.hangs {
		<-ctx.Done()
		f.hangs = false
		return ctx.Err()
	}
	if f.slow {
		time.Sleep(2 * limits.StoreTime)
		f.slow = false
		return nil
	}
	if f.panics {
		panic("no bus")
	}
	if f.down {
		return errDown
	}
	return f.Memory.Subscribe(ctx, receive)
}

// A record has the messages that listeners hear, by their names.
type record struct {
	lock  sync.Mutex
	heard map[string][]string
}

func (r *record) add(name, message string) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.heard == nil {
		r.heard = map[string][]string{}
	}
	r.heard[name] = append(r.heard[name], message)
}

// take returns the messages since it was last called.
func (r *record) take() map[string][]string {
	synctest.Wait()
	r.lock.Lock()
	defer r.lock.Unlock()
	heard := r.heard
	r.heard = nil
	return heard
}

// bubble runs a test with a store whose log it gets.
func bubble(t *testing.T, test func(t *testing.T, s *shared.Store, under *flaky, log *strings.Builder)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		under, log := &flaky{Memory: store.NewMemory()}, &strings.Builder{}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		test(t, shared.New(ctx, under, slog.New(slog.NewTextHandler(log, nil))), under, log)
	})
}

// does returns an operation that ends with an error.
func does(err error) func(context.Context, store.Store) error {
	return func(context.Context, store.Store) error { return err }
}

func TestAnOperationEndsInTime(t *testing.T) {
	bubble(t, func(t *testing.T, s *shared.Store, _ *flaky, _ *strings.Builder) {
		start := time.Now()
		err := s.Do(t.Context(), func(ctx context.Context, _ store.Store) error {
			<-ctx.Done()
			return ctx.Err()
		})
		if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took != limits.StoreTime {
			t.Errorf("an operation that hangs ends after %s with %v", took, err)
		}
	})
}

func TestAPanicOfADriverIsAnError(t *testing.T) {
	bubble(t, func(t *testing.T, s *shared.Store, under *flaky, log *strings.Builder) {
		err := s.Do(t.Context(), func(context.Context, store.Store) error { panic("no connection") })
		if err == nil || !strings.Contains(err.Error(), "the store panics: no connection") || !strings.Contains(log.String(), "no connection") {
			t.Errorf("a panic gives %v, and the log is %s", err, log)
		}
		under.panics = true
		defer s.Listen("a", func([]byte) {})()
		time.Sleep(10 * limits.StorePause)
		synctest.Wait()
		if n := strings.Count(log.String(), "no bus"); n != 1 {
			t.Errorf("the log names a subscription that panics %d times: %s", n, log)
		}
	})
}

func TestOutagesAreLoggedOnce(t *testing.T) {
	bubble(t, func(t *testing.T, s *shared.Store, _ *flaky, log *strings.Builder) {
		logs := func(what string, outages, ends int) {
			t.Helper()
			if strings.Count(log.String(), "level=ERROR") != outages || strings.Count(log.String(), "works again") != ends {
				t.Errorf("%s: the log is %s", what, log)
			}
		}
		for _, err := range []error{nil, store.ErrNotFound, store.ErrConflict, store.ErrTooLarge} {
			if got := s.Do(t.Context(), does(err)); !errors.Is(got, err) {
				t.Errorf("Do returns %v, want %v", got, err)
			}
		}
		logs("without an outage", 0, 0)
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		_ = s.Do(canceled, does(context.Canceled))
		logs("the end of the caller", 0, 0)
		for range 3 {
			_ = s.Do(t.Context(), does(errDown))
		}
		_ = s.Do(canceled, does(context.Canceled))
		logs("an outage", 1, 0)
		_ = s.Do(t.Context(), does(store.ErrNotFound))
		_ = s.Do(t.Context(), does(nil))
		logs("the end of it", 1, 1)
		for range 3 {
			_ = s.Do(t.Context(), does(errDown))
			_ = s.Do(t.Context(), does(nil))
		}
		_ = s.Do(t.Context(), does(errDown))
		logs("outages within a moment", 1, 1)
		time.Sleep(limits.StorePause)
		_ = s.Do(t.Context(), does(errDown))
		logs("an outage that lasts", 2, 1)
		_ = s.Do(t.Context(), does(nil))
		logs("the end of that", 2, 2)
	})
}

func TestDuringAnOutageOnlyWhatIsNeededIsTried(t *testing.T) {
	bubble(t, func(t *testing.T, s *shared.Store, _ *flaky, _ *strings.Builder) {
		expect := func(want error) {
			t.Helper()
			if err := s.DoUnlessOut(t.Context(), does(nil)); !errors.Is(err, want) {
				t.Errorf("DoUnlessOut = %v, want %v", err, want)
			}
		}
		expect(nil)
		_ = s.Do(t.Context(), does(errDown))
		expect(shared.ErrOutage)
		time.Sleep(limits.StorePause - 1)
		expect(shared.ErrOutage)
		time.Sleep(time.Nanosecond)
		expect(nil)
		_ = s.Do(t.Context(), does(errDown))
		expect(shared.ErrOutage)
		_ = s.Do(t.Context(), does(nil))
		expect(nil)
		_ = s.Do(t.Context(), does(errDown))
		if err := s.Publish(t.Context(), "topic", nil); !errors.Is(err, shared.ErrOutage) {
			t.Errorf("Publish = %v", err)
		}
	})
}

func TestListenersGetTheMessagesOfTheirTopics(t *testing.T) {
	bubble(t, func(t *testing.T, s *shared.Store, under *flaky, _ *strings.Builder) {
		heard := record{}
		listen := func(name, topic string) (stop func()) {
			return s.Listen(topic, func(payload []byte) {
				text := string(payload)
				if payload == nil {
					text = "a gap"
				}
				heard.add(name, text)
			})
		}
		expect := func(what string, want map[string][]string) {
			t.Helper()
			for name, got := range heard.take() {
				if !slices.Equal(got, want[name]) {
					t.Errorf("%s: %s hears %q, want %q", what, name, got, want[name])
				}
				delete(want, name)
			}
			if len(want) > 0 {
				t.Errorf("%s: nobody hears %v", what, want)
			}
		}
		under.set(true) // until all listen
		stopA, stopAgain, stopB := listen("a", "a"), listen("again a", "a"), listen("b", "b")
		synctest.Wait()
		under.set(false)
		time.Sleep(limits.StorePause)
		expect("at first, messages may have been lost", map[string][]string{"a": {"a gap"}, "again a": {"a gap"}, "b": {"a gap"}})
		publish := func() {
			for _, topic := range []string{"a", "b", "c"} {
				if err := s.Publish(t.Context(), topic, []byte("about "+topic)); err != nil {
					t.Error(err)
				}
			}
		}
		publish()
		expect("all listen", map[string][]string{"a": {"about a"}, "again a": {"about a"}, "b": {"about b"}})
		stopA()
		stopB()
		publish()
		expect("one listens", map[string][]string{"again a": {"about a"}})
		stopAgain()
		publish()
		expect("nobody listens", nil)
		defer listen("b", "b")()
		publish()
		expect("one listens again", map[string][]string{"b": {"about b"}})
	})
}

func TestASubscriptionIsTriedUntilItSucceeds(t *testing.T) {
	bubble(t, func(t *testing.T, s *shared.Store, under *flaky, _ *strings.Builder) {
		under.set(true)
		heard := record{}
		defer s.Listen("a", func([]byte) { heard.add("a", "") })()
		time.Sleep(10*limits.StorePause + 1)
		under.set(false)
		if len(heard.take()) > 0 {
			t.Error("a store that is down has a subscription")
		}
		time.Sleep(limits.StorePause)
		if n := len(heard.take()["a"]); n != 1 {
			t.Errorf("the listener heard %d messages, want a gap", n)
		}
	})
}

func TestASubscriptionThatHangsIsTriedAgain(t *testing.T) {
	bubble(t, func(t *testing.T, s *shared.Store, under *flaky, _ *strings.Builder) {
		under.hangs = true
		heard := record{}
		defer s.Listen("a", func([]byte) { heard.add("a", "") })()
		time.Sleep(limits.StoreTime + limits.StorePause + 1)
		synctest.Wait()
		if err := s.Publish(t.Context(), "a", []byte("news")); err != nil {
			t.Fatal(err)
		}
		if n := len(heard.take()["a"]); n != 2 {
			t.Errorf("the listener heard %d messages, want a gap and the news", n)
		}
		time.Sleep(time.Hour) // the limit of time is for subscribing only
		if err := s.Publish(t.Context(), "a", []byte("more news")); err != nil {
			t.Fatal(err)
		}
		if n := len(heard.take()["a"]); n != 1 {
			t.Errorf("the listener heard %d messages, want one", n)
		}
	})
}

func TestASubscriptionThatCameTooLateIsTriedAgain(t *testing.T) {
	bubble(t, func(t *testing.T, s *shared.Store, under *flaky, _ *strings.Builder) {
		under.slow = true
		heard := record{}
		defer s.Listen("a", func([]byte) { heard.add("a", "") })()
		time.Sleep(2*limits.StoreTime + limits.StorePause + 1)
		synctest.Wait()
		if err := s.Publish(t.Context(), "a", []byte("news")); err != nil {
			t.Fatal(err)
		}
		if n := len(heard.take()["a"]); n != 2 {
			t.Errorf("the listener heard %d messages, want a gap and the news", n)
		}
	})
}

func TestTheEndOfTheProgramEndsItsSubscription(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		under := &flaky{Memory: store.NewMemory(), down: true}
		s := shared.New(ctx, under, slog.New(slog.DiscardHandler))
		defer s.Listen("a", func([]byte) { t.Error("the program has ended") })()
		synctest.Wait()
		select {
		case <-s.Ended():
			t.Error("the store has ended")
		default:
		}
		cancel()
		synctest.Wait()
		<-s.Ended()
		under.set(false)
		time.Sleep(10 * limits.StorePause)
	})
}

func TestAKeyNamesATextAndRevealsNothingOfIt(t *testing.T) {
	t.Parallel()
	one, two := shared.Key("secret"), shared.Key(strings.Repeat("x", 1<<20))
	if one == two || one != shared.Key("secret") || len(one) != 24 || len(two) != 24 {
		t.Errorf("the keys are %s and %s", one, two)
	}
}
