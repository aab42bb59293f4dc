package oauth

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/memory"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

// untidy is a store whose purges may fail.
type untidy struct {
	store.Store
	fails atomic.Bool
}

func (u *untidy) Purge(ctx context.Context, before time.Time) (int, error) {
	if u.fails.Load() {
		return 0, errors.New("the disk is full")
	}
	return u.Store.Purge(ctx, before)
}

func TestAServerThatIsOpenPurgesItsStoreEveryMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kept := &untidy{Store: memory.New()}
		expiring := func(name string, after time.Duration) {
			t.Helper()
			err := kept.CreateToken(t.Context(), store.Token{ID: name, UserID: "u", Hash: store.HashOf(name), Created: time.Now(), Expires: time.Now().Add(after)})
			if err != nil {
				t.Fatal(err)
			}
		}
		has := func(name string) bool {
			t.Helper()
			synctest.Wait()
			_, err := kept.Token(t.Context(), store.HashOf(name))
			return err == nil
		}
		expiring("expired", -time.Second)
		expiring("soon", 30*time.Second)
		expiring("later", 90*time.Second)
		f := newFixture(t, func(c *Config, _ *mcp.Site) {
			c.Store, c.Drivers = "memory:", []store.Driver{{Schemes: []string{"memory"}, Open: func(context.Context, string) (store.Store, error) { return kept, nil }}}
		})
		if has("expired") || !has("soon") || !strings.Contains(f.log.String(), `msg="removed expired records of the authorization server" records=1 clients=0`) {
			t.Errorf("at the start the log is %s", f.log)
		}
		if time.Sleep(time.Minute - time.Second); !has("soon") {
			t.Error("the store is purged before a minute has passed")
		}
		if time.Sleep(time.Second); has("soon") || !has("later") {
			t.Error("the store is not purged after a minute")
		}
		kept.fails.Store(true)
		time.Sleep(time.Minute)
		synctest.Wait()
		if want := `level=WARN msg="expired records of the authorization server were not removed" error="the disk is full"`; !strings.Contains(f.log.String(), want) {
			t.Errorf("the log lacks %s: %s", want, f.log)
		}
		kept.fails.Store(false)
		if time.Sleep(time.Minute); has("later") {
			t.Error("after a failure the store is no longer purged")
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		expected := f.log.String()
		time.Sleep(24 * time.Hour)
		if got := f.log.String(); got != expected {
			t.Errorf("after Close the log has %s", strings.TrimPrefix(got, expected))
		}
	}) // fails if a goroutine is left
}

// A purge that runs ends with the server, which waits for it.
func TestAServerThatClosesEndsItsPurge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := &slow{Store: memory.New()}
		f := newFixture(t, func(c *Config, _ *mcp.Site) {
			c.Store, c.Drivers = "memory:", []store.Driver{{Schemes: []string{"memory"}, Open: func(context.Context, string) (store.Store, error) { return slow, nil }}}
		})
		synctest.Wait()
		if err := f.Close(); err != nil || slow.purging.Load() || strings.Contains(f.log.String(), "removed") {
			t.Errorf("after Close a purge runs: %v, %v; the log is %s", slow.purging.Load(), err, f.log)
		}
	})
}

// slow is a store whose purges take until their context ends.
type slow struct {
	store.Store
	purging atomic.Bool
}

func (s *slow) Purge(ctx context.Context, _ time.Time) (int, error) {
	s.purging.Store(true)
	<-ctx.Done()
	s.purging.Store(false)
	return 0, ctx.Err()
}

// frugal is a store that notes how many unused clients it may keep.
type frugal struct {
	store.Store
	clients atomic.Int64
}

func (f *frugal) PruneClients(ctx context.Context, keep int) (int, error) {
	f.clients.Store(int64(keep))
	return f.Store.PruneClients(ctx, keep)
}

// Anybody can register clients.
func TestPurgesAndRegistrationsLimitTheUnusedClients(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kept := &frugal{Store: memory.New()}
		f := newFixture(t, func(c *Config, _ *mcp.Site) {
			c.Store, c.Drivers = "memory:", []store.Driver{{Schemes: []string{"memory"}, Open: func(context.Context, string) (store.Store, error) { return kept, nil }}}
		})
		synctest.Wait()
		if n := kept.clients.Swap(0); n != 10_000 {
			t.Errorf("a purge keeps %d unused clients", n)
		}
		const client = `{"redirect_uris":["https://client.example/cb"]}`
		for range 99 {
			f.registers(client)
		}
		if n := kept.clients.Load(); n != 0 {
			t.Errorf("fewer than a hundred registrations keep %d unused clients", n)
		}
		f.registers(client)
		if n := kept.clients.Load(); n != 10_000 {
			t.Errorf("a hundred registrations keep %d unused clients", n)
		}
	})
}
