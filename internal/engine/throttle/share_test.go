package throttle

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// shareOf returns a share of 100 units, of which a client may have 30 once 10 are held, and
// its log. The header User names the client.
func shareOf() (*Share, *bytes.Buffer) {
	log := &bytes.Buffer{}
	return &Share{
		Limit: 100, Client: 30, Spare: 10, Unit: "units", Setting: "Config.Units (APP_UNITS)", Logger: slog.New(slog.NewTextHandler(log, nil)),
		Key: func(r *http.Request) Key { return KeyOf(r.Header.Get("User"), netip.Addr{}) },
	}, log
}

func requestOf(user string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	r.Header.Set("User", user)
	return r
}

func TestAShareIsBoundedForAllAndForEachClient(t *testing.T) {
	t.Parallel()
	share, log := shareOf()
	take := func(h *Holding, units int64, user string, status int) {
		t.Helper()
		refused := share.Take(h, units, requestOf(user))
		switch {
		case status == 0 && refused != nil:
			t.Errorf("%s is refused %d units: %v", user, units, refused)
		case status != 0 && (refused == nil || refused.Status != status || refused.Header.Get("Retry-After") == ""):
			t.Errorf("%s gets %v, want %d with a Retry-After", user, refused, status)
		}
	}
	var spare, eve, more, ada, bob, last Holding
	take(&spare, 10, "eve", 0)
	take(&eve, 20, "eve", 0)
	take(&eve, 10, "eve", 0)
	take(&more, 1, "eve", http.StatusTooManyRequests)
	take(&more, 1, "eve", http.StatusTooManyRequests)
	take(&ada, 30, "ada", 0)
	take(&bob, 30, "bob", 0)
	take(&last, 1, "cid", http.StatusServiceUnavailable)
	if spare.Counted != 0 || eve.Counted != 30 || eve.Client.String() != "eve" || share.Held() != 100 {
		t.Errorf("%+v, %+v, and %d are held", spare, eve, share.Held())
	}
	share.Return(&eve)
	share.Return(&eve)
	take(&last, 10, "cid", 0)
	take(&eve, 20, "eve", 0)
	for _, h := range []*Holding{&spare, &eve, &more, &ada, &bob, &last} {
		share.Return(h)
	}
	if share.Held() != 0 || share.clients != nil {
		t.Errorf("%d are held, of %v", share.Held(), share.clients)
	}
	if text := log.String(); strings.Count(text, "level=WARN") != 1 || !strings.Contains(text, `client=eve setting="Config.Units (APP_UNITS)" limit=30 of=units refused=1`) {
		t.Errorf("the log is %s", text)
	}
}

func TestAHoldingGivesPartOfItBack(t *testing.T) {
	t.Parallel()
	share, _ := shareOf()
	h := Holding{Client: new(KeyOf("ada", netip.Addr{}))}
	for range 4 {
		if refused := share.Take(&h, 10, nil); refused != nil {
			t.Fatal(refused)
		}
	}
	if refused := share.Take(&h, 1, nil); refused == nil || refused.Status != http.StatusTooManyRequests {
		t.Errorf("beyond the share it gets %v", refused)
	}
	share.GiveBack(&h, 35)
	if share.Held() != 5 || h.Counted != 0 || share.clients != nil {
		t.Errorf("%d are held, %+v, of %v", share.Held(), h, share.clients)
	}
	if share.Return(&h); share.Held() != 0 {
		t.Errorf("%d are held", share.Held())
	}
}

func TestAHoldingReturnsAllThatItTook(t *testing.T) {
	t.Parallel()
	share, _ := shareOf()
	var h Holding
	for range 6 { // the first within the spare units
		if refused := share.Take(&h, 4, requestOf("ada")); refused != nil {
			t.Fatal(refused)
		}
	}
	if share.Return(&h); share.Held() != 0 || share.clients != nil {
		t.Errorf("%d are held, of %v", share.Held(), share.clients)
	}
}

func TestARefusalIsDelayed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		share, _ := shareOf()
		var h Holding
		begun := time.Now()
		if refused := share.Take(&h, 50, requestOf("ada")); refused == nil || time.Since(begun) != limits.RefusalDelay {
			t.Errorf("it gets %v after %v", refused, time.Since(begun))
		}
	})
}

// Stdio has one client, and so no share.
func TestWithoutARequestUnitsCountTowardsNoClient(t *testing.T) {
	t.Parallel()
	share, _ := shareOf()
	var h, next Holding
	if refused := share.Take(&h, 100, nil); refused != nil || h.Counted != 0 {
		t.Errorf("got %v, %+v", refused, h)
	}
	if refused := share.Take(&next, 1, nil); refused == nil || refused.Status != http.StatusServiceUnavailable {
		t.Errorf("got %v", refused)
	}
	share.GiveBack(&h, 40)
	if held := share.Held(); held != 60 || share.clients != nil {
		t.Errorf("%d are held, of %v", held, share.clients)
	}
}

func TestRefusalsAreLoggedOnceASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		share, log := shareOf()
		client := KeyOf("", netip.MustParseAddr("2001:db8::1"))
		for range 10 {
			_ = share.Refuse(client)
		}
		time.Sleep(time.Second)
		_ = share.Refuse(client)
		if text := log.String(); strings.Count(text, "\n") != 2 || !strings.Contains(text, "client=2001:db8::/64") || !strings.Contains(text, "refused=10") {
			t.Errorf("the log is %s", text)
		}
	})
}

func TestManyTakeOfAShareAtOnce(t *testing.T) {
	t.Parallel()
	share, _ := shareOf()
	var all sync.WaitGroup
	for _, user := range []string{"ada", "bob", "cid", "dan"} {
		for range 4 {
			all.Go(func() {
				ctx, cancel := context.WithCancel(t.Context())
				cancel() // so that a refusal isn't delayed
				r := requestOf(user).WithContext(ctx)
				for range 1000 {
					var h Holding
					_ = share.Take(&h, 7, r)
					_ = share.Take(&h, 7, r)
					share.Return(&h)
				}
			})
		}
	}
	all.Wait()
	if share.Held() != 0 || share.clients != nil {
		t.Errorf("%d are held, of %v", share.Held(), share.clients)
	}
}

func TestWeightsFindTheHeaviest(t *testing.T) {
	t.Parallel()
	var w Weights
	ada, bob, cid := KeyOf("ada", netip.Addr{}), KeyOf("bob", netip.Addr{}), KeyOf("cid", netip.Addr{})
	heaviest := func(client Key, units int) {
		t.Helper()
		if who, most := w.Heaviest(); who != client || most != units {
			t.Errorf("%s has most, %d; want %s with %d", who, most, client, units)
		}
	}
	heaviest(Key{}, 0)
	w.Add(ada, 5)
	w.Add(bob, 7)
	w.Add(cid, 6)
	heaviest(bob, 7)
	w.Add(bob, -2)
	heaviest(cid, 6)
	w.Add(ada, 5)
	heaviest(ada, 10)
	w.Add(ada, -10)
	w.Add(cid, -6)
	heaviest(bob, 5)
	if w.Of(ada) != 0 || w.Of(bob) != 5 {
		t.Errorf("ada has %d and bob %d", w.Of(ada), w.Of(bob))
	}
	w.Add(bob, -5)
	heaviest(Key{}, 0)
	if w.clients != nil {
		t.Errorf("it remembers %v", w.clients)
	}
}
