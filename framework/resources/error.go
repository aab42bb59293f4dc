package resources

import "github.com/bowline-mcp/bowline/framework/exchange"

// Errorf returns an error whose text the client reads, an [*exchange.PublicError]. It
// formats like [fmt.Errorf], %w included. Any other error is logged, and the client only
// reads that something failed.
func Errorf(format string, args ...any) error { return exchange.Errorf(format, args...) }

// A missingError is what a file that doesn't exist becomes. Its text doesn't say where
// the program looked.
type missingError struct{ err error }

func (e *missingError) Error() string { return exchange.ErrResourceNotFound.Error() }

func (e *missingError) Unwrap() []error { return []error{exchange.ErrResourceNotFound, e.err} }
