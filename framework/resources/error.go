package resources

import (
	"fmt"

	"github.com/bowline-mcp/bowline/framework/exchange"
)

// A ReadError is an error whose text the client reads, as a JSON-RPC error with the
// code -32603. Any other error is logged, and the client only reads that something
// failed.
type ReadError struct{ err error }

// Errorf returns an error whose text the client reads. It formats like [fmt.Errorf],
// %w included.
func Errorf(format string, args ...any) error {
	return &ReadError{fmt.Errorf(format, args...)}
}

// Error returns the text.
func (e *ReadError) Error() string { return e.err.Error() }

// Unwrap returns the error that %w named, if any.
func (e *ReadError) Unwrap() error { return e.err }

// A missingError is what a file that doesn't exist becomes. Its text doesn't say where
// the program looked.
type missingError struct{ err error }

func (e *missingError) Error() string { return exchange.ErrResourceNotFound.Error() }

func (e *missingError) Unwrap() []error { return []error{exchange.ErrResourceNotFound, e.err} }
