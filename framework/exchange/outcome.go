package exchange

import (
	"errors"
	"log/slog"
	"net/http"
)

// An Outcome is how an operation ended. The log, guardrails.Audit and package events use the
// same outcomes.
type Outcome string

const (
	// OutcomeOK means that the client got a result.
	OutcomeOK Outcome = "ok"

	// OutcomeInputRequired means that the client is asked first, and then sends the request
	// again (specification: input_required).
	OutcomeInputRequired Outcome = "input required"

	// OutcomeRefused means that the request can't be served as it is: the item doesn't exist,
	// the arguments are not valid, the caller lacks a permission or has exceeded a rate limit,
	// or the handler returned an error that it wrote for the model, such as one of
	// tools.Errorf, or a result with isError set.
	OutcomeRefused Outcome = "refused"

	// OutcomeCanceled means that the client canceled the request or disconnected, or that the
	// program stopped.
	OutcomeCanceled Outcome = "canceled"

	// OutcomeTimedOut means that the handler didn't return before the deadline.
	OutcomeTimedOut Outcome = "timed out"

	// OutcomeFailed means that the handler returned an error that it didn't write for the
	// model, or a result that the server can't send.
	OutcomeFailed Outcome = "failed"

	// OutcomePanicked means that the handler panicked, or ended its goroutine.
	OutcomePanicked Outcome = "panicked"
)

// Level returns the level of log lines with the outcome. A person should look at failures and
// panics (error) and at timeouts (warn). All others are at info: nothing is wrong with the
// program.
func (o Outcome) Level() slog.Level {
	switch o {
	case OutcomeFailed, OutcomePanicked:
		return slog.LevelError
	case OutcomeTimedOut:
		return slog.LevelWarn
	default:
		return slog.LevelInfo
	}
}

// OutcomeOf returns the outcome of an operation that ends with an error of its handler or of a
// guardrail: ok for nil and for a [TypedResult], input required, refused, or failed. It can't
// tell that the operation was canceled or timed out: a handler's own context may end too.
//
// An error with the method Outcome() Outcome has the outcome that the method returns.
func OutcomeOf(err error) Outcome {
	if err == nil || is[*TypedResult](err) {
		return OutcomeOK
	}
	if own, ok := errors.AsType[interface {
		error
		Outcome() Outcome
	}](err); ok {
		return own.Outcome()
	}
	if errors.Is(err, ErrInputRequired) {
		return OutcomeInputRequired
	}
	if is[*PublicError](err) || is[*AskError](err) {
		return OutcomeRefused
	}
	if own, ok := errors.AsType[*Error](err); ok && (own.Code != CodeInternalError || own.Status != 0 && own.Status != http.StatusInternalServerError) {
		return OutcomeRefused
	}
	for _, refusal := range []error{ErrToolNotFound, ErrPromptNotFound, ErrResourceNotFound, ErrUnauthorized, ErrForbidden, ErrCannotAsk} {
		if errors.Is(err, refusal) {
			return OutcomeRefused
		}
	}
	return OutcomeFailed
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
