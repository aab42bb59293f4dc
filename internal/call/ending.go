package call

import "time"

// An Ending is how a call ended.
type Ending struct {
	Outcome Outcome
	Err     error // why it failed, nil if it didn't
	Took    time.Duration
}

// ending returns how the call ended.
func (c *Call) ending() Ending {
	c.lock.Lock()
	outcome := c.outcome
	c.lock.Unlock()
	ending := Ending{Outcome: outcome, Took: time.Since(c.start)}
	switch outcome {
	case OutcomeTimeout:
		ending.Err = &TimeoutError{c.timeout}
	case OutcomeToolError, OutcomeError:
		ending.Err = c.problem
	default:
	}
	return ending
}
