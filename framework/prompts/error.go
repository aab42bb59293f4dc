package prompts

import "fmt"

// A GetError is an error whose text the client reads, as a JSON-RPC error with the
// code -32603. Any other error is logged, and the client only reads that something
// failed.
type GetError struct{ err error }

// Errorf returns an error whose text the client reads. It formats like [fmt.Errorf],
// %w included.
func Errorf(format string, args ...any) error {
	return &GetError{fmt.Errorf(format, args...)}
}

// Error returns the text.
func (e *GetError) Error() string { return e.err.Error() }

// Unwrap returns the error that %w named, if any.
func (e *GetError) Unwrap() error { return e.err }
