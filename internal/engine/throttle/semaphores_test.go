package throttle

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestFewRequestsOfAClientRunAtOnceAndInTheirOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, ada, bob := &Semaphores{Capacity: 2, Patience: time.Minute}, KeyOf("ada", netip.Addr{}), KeyOf("bob", netip.Addr{})
		var running []int
		ends := make(chan func(), 5)
		for n := range 5 {
			go func() {
				leave, err := s.Enter(t.Context(), ada, 1)
				if err != nil {
					t.Error(err)
				}
				running = append(running, n)
				ends <- leave
			}()
			synctest.Wait()
		}
		if !slices.Equal(running, []int{0, 1}) {
			t.Errorf("%v run at once", running)
		}
		leave, err := s.Enter(t.Context(), bob, 1)
		if err != nil {
			t.Fatal(err)
		}
		leave()
		for n := 3; n <= 5; n++ {
			(<-ends)()
			synctest.Wait()
			if len(running) != n || !slices.IsSorted(running) {
				t.Errorf("after one more has ended, %v have run", running)
			}
		}
		(<-ends)()
		(<-ends)()
		if s.clients != nil {
			t.Errorf("it remembers %v", s.clients)
		}
	})
}

func TestARequestThatHasWaitedForLongRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, ada := &Semaphores{Capacity: 1, Patience: time.Second}, KeyOf("ada", netip.Addr{})
		first, err := s.Enter(t.Context(), ada, 1)
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		second, err := s.Enter(t.Context(), ada, 1)
		if took := time.Since(begun); err != nil || took != time.Second {
			t.Fatalf("after %v the error is %v", took, err)
		}
		second() // releases nothing
		gone, hangUp := context.WithTimeout(t.Context(), time.Millisecond)
		defer hangUp()
		if _, err := s.Enter(gone, ada, 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the error of a client that is gone is %v", err)
		}
		first()
		if s.clients != nil {
			t.Errorf("it remembers %v", s.clients)
		}
	})
}
