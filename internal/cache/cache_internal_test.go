package cache

import (
	"errors"
	"testing"
	"time"
)

func TestAFullCacheForgetsWhatHasEndedFirst(t *testing.T) {
	t.Parallel()
	c := New[int, string](100)
	now := time.Now()
	for n := range 100 {
		until := now.Add(time.Hour)
		if n%2 == 0 {
			until = now.Add(time.Minute)
		}
		c.Put(n, "old", now, until)
	}
	now = now.Add(2 * time.Minute)
	for n := range 50 {
		c.Put(1000+n, "new", now, now.Add(time.Hour))
	}
	for n := range 50 {
		if _, ok := c.Get(2*n+1, now); !ok {
			t.Fatalf("the old value %d was forgotten, although others had ended", n)
		}
		if _, ok := c.Get(1000+n, now); !ok {
			t.Fatalf("the new value %d was forgotten, although others had ended", n)
		}
	}
}

func TestACacheIsBounded(t *testing.T) {
	t.Parallel()
	c := New[int, int](100)
	now := time.Now()
	for n := range 1000 {
		c.Put(n, n, now, now.Add(time.Hour))
		c.Put(n, -n, now, now.Add(time.Hour))
		if value, ok := c.Get(n, now); !ok || value != -n {
			t.Fatalf("the newest value %d is %d, %t", n, value, ok)
		}
		if n > 98 && len(c.entries) != 100 {
			t.Fatalf("%d values are kept after %d, want 100", len(c.entries), n+1)
		}
	}
}

func TestAValueIsKeptUntilItsTime(t *testing.T) {
	t.Parallel()
	c := New[string, int](1)
	now := time.Now()
	c.Put("a", 1, now, now.Add(time.Minute))
	if _, ok := c.Get("a", now.Add(time.Minute)); ok || !c.Has("a") {
		t.Error("a value whose time has ended is found, or forgotten")
	}
	if _, ok := c.Get("b", now); ok || c.Has("b") {
		t.Error("a value is found that was never put")
	}
}

func TestWhatIsFoundIsKeptAndErrorsAreNot(t *testing.T) {
	t.Parallel()
	c, failure, calls := New[string, int](1), errors.New("down"), 0
	find := func(err error) error {
		value, got := c.Find("a", time.Hour, func() (int, error) { calls++; return 7, err })
		if value != 7 {
			t.Errorf("the value is %d", value)
		}
		return got
	}
	if err := find(failure); !errors.Is(err, failure) {
		t.Errorf("the error is %v", err)
	}
	for range 3 {
		if err := find(nil); err != nil {
			t.Error(err)
		}
	}
	if calls != 2 {
		t.Errorf("there were %d calls, want one that failed and one that didn't", calls)
	}
}
