package storetest_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/store"
	"github.com/bowline-mcp/bowline/framework/store/storetest"
	"github.com/bowline-mcp/bowline/internal/test/failuretest"
)

func TestOutagePassesADriverThatKeepsItsPromises(t *testing.T) {
	t.Parallel()
	checkOutage(t, true, "", func(*backend) {})
	checkOutage(t, false, "", loseAll)
}

func TestOutageFailsADriverThatBreaksAPromise(t *testing.T) {
	t.Parallel()
	whole := context.Background()
	for want, mistake := range map[string]func(*backend){
		`while the backend is stopped, these hang: ["After that is canceled" "After with a deadline" "Append that is canceled"`: func(b *backend) {
			good := b.wait
			b.wait = func(_ context.Context, begun bool) error { return good(whole, begun) }
		},
		`these hang: ["After that is canceled"`: func(b *backend) { // as drivers do that have a timeout of their own
			b.wait = func(context.Context, bool) error {
				time.Sleep(3 * time.Second)
				return errors.New("timeout")
			}
		},
		"a write that was running when the backend stopped hangs after it was canceled": func(b *backend) {
			good := b.wait
			b.wait = func(ctx context.Context, begun bool) error {
				if begun {
					ctx = whole
				}
				return good(ctx, begun)
			}
		},
		`while the backend is stopped, Touch with a deadline returns "timeout", which doesn't wrap "context deadline exceeded"`: func(b *backend) {
			good := b.wait
			b.wait = func(ctx context.Context, begun bool) error {
				if good(ctx, begun) != nil {
					return errors.New("timeout")
				}
				return nil
			}
		},
		`Get that is canceled returns "the store has no value for the key", as if the backend had answered`: func(b *backend) {
			b.wait = func(context.Context, bool) error { return store.ErrNotFound }
		},
		`Publish with a deadline returns no error, as if the backend had answered`: func(b *backend) {
			b.wait = func(context.Context, bool) error { return nil }
		},
		"was acknowledged before the outage, but isn't there after it": loseAll,
		"get: the error is the store has no value for the key":         loseValues,
		"after the outage the event":                                   countAnew,
		"waited 5s in vain for success of Publish after the outage":    func(b *backend) { b.stays = true },
		"waited 5s in vain for a message or a gap after the outage":    func(b *backend) { b.reconnect = func(subscribe, _ func()) { subscribe() } },
		"waited 5s in vain for messages after the outage":              func(b *backend) { b.reconnect = func(_, gap func()) { gap() } },
	} {
		checkOutage(t, true, want, mistake)
	}
}

// checkOutage checks how Outage fails for a driver.
func checkOutage(t *testing.T, durable bool, want string, change func(*backend)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := newBackend()
		change(b)
		got := failuretest.Of(t, func(t testing.TB) {
			t.Helper()
			storetest.Outage(t, b, b, storetest.Backend{Stop: b.stop, Start: b.start, Durable: durable})
		})
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("Outage fails with %q, want %q", got, want)
		}
		b.stays = false
		b.start()
		time.Sleep(5 * time.Second) // what hangs ends
	})
}

func loseAll(b *backend) { b.stopped = func() { b.data = store.NewMemory() } }

func loseValues(b *backend) {
	b.stopped = func() {
		for name := range b.names {
			_, _ = b.data.Delete(context.Background(), name)
		}
	}
}

// countAnew keeps all, but the next events get ids that others have had.
func countAnew(b *backend) {
	b.stopped = func() {
		ctx, former := context.Background(), b.data
		b.data = store.NewMemory()
		for name := range b.names {
			events, _ := former.After(ctx, name, 0, 1<<20)
			for _, e := range events {
				_, _ = b.data.Append(ctx, name, e.Data, time.Hour)
			}
			value, _, _ := former.Get(ctx, name)
			_, _ = b.data.Put(ctx, name, value, time.Hour, store.Any)
		}
	}
}
