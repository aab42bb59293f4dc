package call

import "time"

// An Ending is how a call ended.
type Ending struct {
	Outcome Outcome
	Err     error // why it failed, nil if it didn't
	Took    time.Duration
}

// An Outcome names the way a call ended, for the log.
type Outcome uint8

// The outcomes of calls, and two that only streams have.
const (
	OutcomeOK        Outcome = iota
	OutcomeToolError         // a result with isError set
	OutcomeError
	OutcomeTimeout
	OutcomeCancelled
	OutcomeAsked // the client answers and calls again

	OutcomeDisconnected
	OutcomeTooSlow
)

// String returns the outcome as the log shows it.
func (o Outcome) String() string {
	return [...]string{"ok", "tool error", "error", "timed out", "cancelled", "asked", "disconnected", "too slow"}[o]
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
