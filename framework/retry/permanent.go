package retry

import (
	"errors"

	"github.com/bowline-mcp/bowline/framework/exchange"
)

// Permanent marks an error that another attempt would not change, such as that a
// thing doesn't exist. It has the text of err and wraps it. Permanent(nil) is nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &permanentError{err}
}

type permanentError struct{ err error }

// Error returns the text of the error that is marked.
func (e *permanentError) Error() string { return e.err.Error() }

// Unwrap returns the error that is marked.
func (e *permanentError) Unwrap() error { return e.err }

// isPermanent reports whether another attempt would not change an error.
func isPermanent(err error) bool {
	_, marked := errors.AsType[*permanentError](err)
	_, unanswered := errors.AsType[*exchange.AskError](err)
	return marked || unanswered || errors.Is(err, exchange.ErrInputRequired) || errors.Is(err, exchange.ErrCannotAsk)
}
