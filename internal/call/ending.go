package call

import (
	"context"
	"errors"
	"time"
)

// An Ending is how a call ended.
type Ending struct {
	Outcome Outcome
	Err     error // why it failed, nil if it didn't
	Took    time.Duration
}

// ending returns how the call ended. It reads the context's error, so it comes before the
// end of the context.
func (c *Call) ending() Ending {
	c.lock.Lock()
	outcome := c.outcome
	c.lock.Unlock()
	ending := Ending{Outcome: outcome, Took: time.Since(c.start)}
	switch outcome {
	case OutcomeTimeout:
		ending.Err = &TimeoutError{c.timeout}
	case OutcomeToolError, OutcomeError:
		if errors.Is(c.ctx.Err(), context.Canceled) {
			ending.Outcome = OutcomeCancelled // the handler's error is a result of that
			return ending
		}
		ending.Err = c.problem
	default:
	}
	return ending
}
