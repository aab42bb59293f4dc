// Package retry retries work that fails temporarily, such as a call to another service:
//
//	err := retry.Do(ctx, func(ctx context.Context) error {
//		var err error
//		page, err = t.Pages.Fetch(ctx, id)
//		if errors.Is(err, pages.ErrUnknown) {
//			return retry.Permanent(err)
//		}
//		return err
//	})
//
// Use it inside a handler, and only for work that may safely run twice. The framework
// never repeats a tool call; only the client may do that.
package retry

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
)

// attempts is the maximum number of attempts. The pause after the first one is at most
// first, and each later pause is twice as long.
const (
	attempts = 3
	first    = time.Second
)

// Do calls fn until it returns nil, at most three times. It waits half a second to a
// second after the first failure, and twice that after the second. The pause is random so
// that many callers don't retry at the same moment.
//
// Do stops immediately if [Permanent] marks the error, or if the error comes from Ask: the
// client is asked first (exchange.ErrInputRequired), can't be asked (ErrCannotAsk) or did
// not answer (*AskError). It also stops when the context ends, and doesn't begin a pause
// that would outlast the context's deadline. Its error wraps the last error of fn, and
// the context's error if the context has ended.
func Do(ctx context.Context, fn func(ctx context.Context) error) error {
	for attempt, longest := 1, first; ; attempt, longest = attempt+1, 2*longest {
		err := fn(ctx)
		if err == nil || isPermanent(err) {
			return err
		}
		if ctx.Err() != nil {
			return ended(ctx, err)
		}
		if attempt == attempts {
			return fmt.Errorf("%d attempts: %w", attempts, err)
		}
		pause := longest/2 + rand.N(longest/2)
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= pause {
			return fmt.Errorf("no time for another attempt: %w", err)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ended(ctx, err)
		}
	}
}

// ended returns the error for a context that has ended after a failure.
func ended(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); !errors.Is(err, cause) {
		return fmt.Errorf("%w (%w)", err, cause)
	}
	return err
}

// Permanent marks an error that another attempt would not fix, such as a missing record.
// It returns an error that wraps err and has the same text. Permanent(nil) is nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &permanentError{err}
}

type permanentError struct{ err error }

// Error returns the text of the marked error.
func (e *permanentError) Error() string { return e.err.Error() }

// Unwrap returns the marked error.
func (e *permanentError) Unwrap() error { return e.err }

// isPermanent reports whether another attempt would not fix an error.
func isPermanent(err error) bool {
	_, marked := errors.AsType[*permanentError](err)
	_, unanswered := errors.AsType[*exchange.AskError](err)
	return marked || unanswered || errors.Is(err, exchange.ErrInputRequired) || errors.Is(err, exchange.ErrCannotAsk)
}
