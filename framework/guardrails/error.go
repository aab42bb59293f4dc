package guardrails

import (
	"fmt"
	"time"
)

// A RefusalError is an error whose text the client reads, of whatever kind the
// operation is: the model as a tool's result with isError set, a client otherwise as a
// JSON-RPC error with the code -32603.
type RefusalError struct {
	err  error
	wait time.Duration
}

// Errorf returns an error whose text the client reads. It formats like [fmt.Errorf],
// %w included.
func Errorf(format string, args ...any) error {
	return &RefusalError{err: fmt.Errorf(format, args...)}
}

// Error returns the text.
func (e *RefusalError) Error() string { return e.err.Error() }

// Unwrap returns the error that %w named, if any.
func (e *RefusalError) Unwrap() error { return e.err }

// RetryAfter returns how long the client has to wait before it is worth to try again,
// 0 if that makes no difference. A JSON-RPC error has it in its data, as the member
// retryAfter, in seconds.
func (e *RefusalError) RetryAfter() time.Duration { return e.wait }
