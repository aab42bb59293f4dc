package retry_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/retry"
)

var errBusy = errors.New("busy")

// failing returns a function that fails that many times before it succeeds, and the times
// of its calls since the start.
func failing(failures int) (fn func(context.Context) error, calls *[]time.Duration) {
	start := time.Now()
	calls = &[]time.Duration{}
	return func(context.Context) error {
		*calls = append(*calls, time.Since(start))
		if len(*calls) <= failures {
			return errBusy
		}
		return nil
	}, calls
}

func TestAFunctionThatSucceedsRunsOnce(t *testing.T) {
	t.Parallel()
	fn, calls := failing(0)
	if err := retry.Do(t.Context(), fn); err != nil || len(*calls) != 1 {
		t.Errorf("got %v after %d calls", err, len(*calls))
	}
}

func TestATemporaryFailureIsRetried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fn, calls := failing(2)
		if err := retry.Do(t.Context(), fn); err != nil {
			t.Error(err)
		}
		if len(*calls) != 3 {
			t.Fatalf("%d calls, want 3", len(*calls))
		}
		first, second := (*calls)[1]-(*calls)[0], (*calls)[2]-(*calls)[1]
		if first < time.Second/2 || first > time.Second {
			t.Errorf("the first pause is %v, want 0.5 to 1 s", first)
		}
		if second < time.Second || second > 2*time.Second {
			t.Errorf("the second pause is %v, want 1 to 2 s", second)
		}
	})
}

func TestPausesAreRandom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pauses := map[time.Duration]bool{}
		for range 20 {
			fn, calls := failing(1)
			if err := retry.Do(t.Context(), fn); err != nil {
				t.Fatal(err)
			}
			pauses[(*calls)[1]] = true
		}
		if len(pauses) < 10 {
			t.Errorf("20 pauses have %d lengths", len(pauses))
		}
	})
}

func TestTheThirdFailureIsTheLast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fn, calls := failing(99)
		err := retry.Do(t.Context(), fn)
		if !errors.Is(err, errBusy) || err.Error() != "3 attempts: busy" || len(*calls) != 3 {
			t.Errorf("got %v after %d calls", err, len(*calls))
		}
	})
}

func TestAPermanentErrorIsNotRetried(t *testing.T) {
	t.Parallel()
	calls := 0
	err := retry.Do(t.Context(), func(context.Context) error {
		calls++
		return fmt.Errorf("page 7: %w", retry.Permanent(errBusy))
	})
	if calls != 1 || !errors.Is(err, errBusy) || err.Error() != "page 7: busy" {
		t.Errorf("got %v after %d calls", err, calls)
	}
	if retry.Permanent(nil) != nil {
		t.Error("no error is marked as one")
	}
}

// An open question is the answer, and the client calls again. A user who has refused
// isn't asked again.
func TestAQuestionIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	for _, reason := range []error{
		exchange.ErrInputRequired,
		&exchange.Error{Message: "It lacks a capability.", Err: exchange.ErrCannotAsk},
		&exchange.AskError{Key: "sure", Reason: "the client refused it"},
	} {
		calls := 0
		err := retry.Do(t.Context(), func(context.Context) error {
			calls++
			return fmt.Errorf("asking: %w", reason)
		})
		if calls != 1 || !errors.Is(err, reason) {
			t.Errorf("got %v after %d calls", err, calls)
		}
	}
}

func TestTheEndOfTheContextEndsTheWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		gone := errors.New("the client is gone")
		time.AfterFunc(100*time.Millisecond, func() { cancel(gone) })
		start := time.Now()
		fn, calls := failing(99)
		err := retry.Do(ctx, fn)
		if len(*calls) != 1 || !errors.Is(err, errBusy) || !errors.Is(err, gone) || time.Since(start) != 100*time.Millisecond {
			t.Errorf("got %v after %d calls and %v", err, len(*calls), time.Since(start))
		}
	})
}

func TestAContextThatEndsDuringAnAttemptStopsRetries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		calls := 0
		err := retry.Do(ctx, func(ctx context.Context) error {
			calls++
			<-ctx.Done()
			return ctx.Err()
		})
		if calls != 1 || err != context.DeadlineExceeded {
			t.Errorf("got %v after %d calls", err, calls)
		}
	})
}

func TestAPauseThatOutlastsTheDeadlineIsNotBegun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		start := time.Now()
		fn, calls := failing(99)
		err := retry.Do(ctx, fn)
		if len(*calls) != 1 || err == nil || err.Error() != "no time for another attempt: busy" || time.Since(start) != 0 {
			t.Errorf("got %v after %d calls and %v", err, len(*calls), time.Since(start))
		}
	})
}

// A timeout within fn is a failure like any other.
func TestATimeoutOfOneAttemptIsRetried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		err := retry.Do(t.Context(), func(ctx context.Context) error {
			if calls++; calls > 1 {
				return nil
			}
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			<-ctx.Done()
			return ctx.Err()
		})
		if err != nil || calls != 2 {
			t.Errorf("got %v after %d calls", err, calls)
		}
	})
}
