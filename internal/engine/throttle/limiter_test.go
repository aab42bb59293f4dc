package throttle

import (
	"net/netip"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
)

func limiter(t *testing.T, n int, per time.Duration, burst ...int) *Limiter {
	t.Helper()
	l, err := New(n, per, burst...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// taken takes tokens until there are none, and returns their number and the time to wait
// for the next.
func taken(l *Limiter, key Key) (times int, wait time.Duration) {
	for times = 0; times < 1000; times++ {
		if wait = l.Take(key); wait > 0 {
			return times, wait
		}
	}
	return times, 0
}

func TestABurstIsFollowedByTheRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, key := limiter(t, 60, time.Minute, 5), KeyOf("ann", netip.Addr{})
		if times, wait := taken(l, key); times != 5 || wait != time.Second {
			t.Errorf("%d at once, then a wait of %v; want 5 and 1 s", times, wait)
		}
		time.Sleep(2500 * time.Millisecond)
		if times, wait := taken(l, key); times != 2 || wait != time.Second {
			t.Errorf("%d after 2.5 s, then a wait of %v; want 2 and 1 s", times, wait)
		}
		time.Sleep(time.Hour)
		if times, _ := taken(l, key); times != 5 {
			t.Errorf("%d after an hour, want 5", times)
		}
	})
}

func TestAReturnedTokenCanBeTakenAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, key := limiter(t, 5, time.Minute), KeyOf("ann", netip.Addr{})
		taken(l, key)
		time.Sleep(time.Second)
		l.Return(key)
		if times, wait := taken(l, key); times != 1 || wait != 11*time.Second {
			t.Errorf("%d after the return, then a wait of %v; want 1 and 11 s", times, wait)
		}
		for range 10 {
			l.Return(key)
		}
		if times, _ := taken(l, key); times != 5 {
			t.Errorf("%d after many returns, want 5", times)
		}
	})
}

// A refused operation takes no token.
func TestARefusalCostsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, key := limiter(t, 1, time.Second, 1), KeyOf("ann", netip.Addr{})
		for range 100 {
			l.Take(key)
		}
		time.Sleep(time.Second)
		if wait := l.Take(key); wait != 0 {
			t.Errorf("it has to wait %v more", wait)
		}
	})
}

func TestClientsAreToldApart(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		a, b Key
		same bool
	}{
		{"principals", KeyOf("ann", netip.Addr{}), KeyOf("bob", netip.Addr{}), false},
		{"a principal at two addresses", KeyOf("ann", netip.MustParseAddr("192.0.2.1")), KeyOf("ann", netip.MustParseAddr("192.0.2.2")), true},
		{"addresses", KeyOf("", netip.MustParseAddr("192.0.2.1")), KeyOf("", netip.MustParseAddr("192.0.2.2")), false},
		{"an address in two forms", KeyOf("", netip.MustParseAddr("192.0.2.1")), KeyOf("", netip.MustParseAddr("::ffff:192.0.2.1")), true},
		{"one network of IPv6", KeyOf("", netip.MustParseAddr("2001:db8::1")), KeyOf("", netip.MustParseAddr("2001:db8::ffff:2")), true},
		{"two networks of IPv6", KeyOf("", netip.MustParseAddr("2001:db8:0:1::1")), KeyOf("", netip.MustParseAddr("2001:db8:0:2::1")), false},
		{"an interface of IPv6", KeyOf("", netip.MustParseAddr("fe80::1%eth0")), KeyOf("", netip.MustParseAddr("fe80::1%eth1")), true},
		{"a principal and an address", KeyOf("192.0.2.1", netip.Addr{}), KeyOf("", netip.MustParseAddr("192.0.2.1")), false},
	} {
		if same := test.a == test.b; same != test.same {
			t.Errorf("%s: the same is %t, want %t", test.name, same, test.same)
		}
	}
	l := limiter(t, 1, time.Hour, 1)
	if l.Take(KeyOf("ann", netip.Addr{})) != 0 || l.Take(KeyOf("bob", netip.Addr{})) != 0 || l.Take(KeyOf("ann", netip.Addr{})) == 0 {
		t.Error("one client's calls are counted as another's")
	}
}

func TestItNeverRemembersMoreThanItsLimit(t *testing.T) {
	t.Parallel()
	l := limiter(t, 1, time.Hour, 1)
	for i := range limits.MaxClients + 5000 {
		l.Take(KeyOf(strconv.Itoa(i), netip.Addr{}))
	}
	if len(l.clients) != limits.MaxClients || l.recent.Len() != limits.MaxClients {
		t.Errorf("it remembers %d clients, in a list of %d", len(l.clients), l.recent.Len())
	}
	if l.Take(KeyOf(strconv.Itoa(limits.MaxClients+4999), netip.Addr{})) == 0 {
		t.Error("the latest client is forgotten")
	}
}

// A client whose bucket is full again doesn't differ from a new one.
func TestClientsThatAreGoneAreForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := limiter(t, 10, time.Second, 10)
		for i := range 100 {
			l.Take(KeyOf(strconv.Itoa(i), netip.Addr{}))
		}
		time.Sleep(time.Second)
		for i := range 51 {
			l.Take(KeyOf("new "+strconv.Itoa(i), netip.Addr{}))
		}
		if len(l.clients) != 51 {
			t.Errorf("it remembers %d clients, want 51", len(l.clients))
		}
	})
}

func TestManyTakeAtOnce(t *testing.T) {
	t.Parallel()
	l := limiter(t, 1, time.Hour, 100)
	var wg sync.WaitGroup
	got := make(chan int, 8)
	for range 8 {
		wg.Go(func() {
			n := 0
			for range 50 {
				if l.Take(KeyOf("ann", netip.Addr{})) == 0 {
					n++
				}
			}
			got <- n
		})
	}
	wg.Wait()
	close(got)
	sum := 0
	for n := range got {
		sum += n
	}
	if sum != 100 {
		t.Errorf("%d took, want 100", sum)
	}
}

func TestNumbersThatLimitNothingAreRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		n     int
		per   time.Duration
		burst []int
	}{{0, time.Second, nil}, {-1, time.Second, nil}, {1, 0, nil}, {1, -time.Second, nil}, {1, time.Second, []int{0}}, {1, time.Second, []int{1, 2}}, {1, time.Millisecond - 1, nil}} {
		if _, err := New(test.n, test.per, test.burst...); err == nil {
			t.Errorf("%v is fine", test)
		}
	}
	if _, err := New(1, time.Millisecond, 1); err != nil {
		t.Errorf("the least numbers: %v", err)
	}
}

func TestAClientIsLoggedByItsPrincipalOrNetwork(t *testing.T) {
	t.Parallel()
	for want, key := range map[string]Key{
		"":              KeyOf("", netip.Addr{}),
		"ann":           KeyOf("ann", netip.MustParseAddr("192.0.2.1")),
		"192.0.2.1":     KeyOf("", netip.MustParseAddr("::ffff:192.0.2.1")),
		"2001:db8::/64": KeyOf("", netip.MustParseAddr("2001:db8::1")),
	} {
		if got := key.String(); got != want {
			t.Errorf("it is logged as %q, want %q", got, want)
		}
	}
}

func TestWithoutABurstAllMayComeAtOnce(t *testing.T) {
	t.Parallel()
	if times, _ := taken(limiter(t, 7, time.Hour), Key{}); times != 7 {
		t.Errorf("%d at once, want 7", times)
	}
}

func TestABatchTakesATokenForEachOperation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, key := limiter(t, 60, time.Minute, 4), KeyOf("ann", netip.Addr{})
		l.Take(key)
		for _, test := range []struct {
			operations int
			wait       time.Duration
		}{{5, Never}, {4, 0}, {3, 2 * time.Second}} {
			if wait := l.TakeRest(key, test.operations); wait != test.wait {
				t.Errorf("%d operations wait %v, want %v", test.operations, wait, test.wait)
			}
		}
	})
}
