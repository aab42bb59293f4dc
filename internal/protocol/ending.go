package protocol

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// An Observer is told of calls. It must not keep them.
type Observer interface {
	// Observes reports whether it wants to be told.
	Observes() bool

	// Over is told of a call whose handler has returned and which was answered.
	Over(call *Call, ending Ending)
}

// An Ending is how a call ended.
type Ending struct {
	Outcome Outcome
	Err     error // why it failed, nil if it didn't
	Took    time.Duration
}

// An Outcome is how a call was answered, in a word for the log.
type Outcome string

// The outcomes.
const (
	OutcomeOK        Outcome = "ok"
	OutcomeToolError Outcome = "tool error" // a result with isError set
	OutcomeError     Outcome = "error"
	OutcomeTimeout   Outcome = "timed out"
	OutcomeCancelled Outcome = "cancelled"
	OutcomeAsked     Outcome = "asked" // the client answers, and then calls again
)

// Observed reports whether anyone is told of the call.
func (call *Call) Observed() bool {
	observer := call.core.config.Observer
	return observer != nil && observer.Observes()
}

// Blame notes why the call fails, for who observes it. It is for the handler's
// goroutine.
func (call *Call) Blame(err error) { call.problem = err }

// Key returns the name or the URI, or template, of what the call is for; "" if it is
// for nothing that there is.
func (call *Call) Key() string { return call.key }

// ending returns how the call has ended. Its handler has returned, and its context has
// not been ended for that.
func (call *Call) ending() Ending {
	call.answer.Lock()
	outcome, fault := call.outcome, call.fault
	call.answer.Unlock()
	ending := Ending{Outcome: outcome, Took: call.took()}
	switch outcome {
	case OutcomeOK, OutcomeAsked, OutcomeCancelled:
	case OutcomeTimeout:
		ending.Err = fmt.Errorf("timed out after %s: %w", call.timeout, context.DeadlineExceeded)
	case OutcomeToolError, OutcomeError:
		if call.ctx != nil && errors.Is(call.ctx.Err(), context.Canceled) {
			ending.Outcome = OutcomeCancelled // what a handler says then is about that
			return ending
		}
		if ending.Err = call.problem; ending.Err == nil && fault != nil {
			ending.Err = fault
		}
	}
	return ending
}
