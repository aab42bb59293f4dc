package prompts

import "github.com/bowline-mcp/bowline/framework/exchange"

// Errorf returns an error whose text the client reads, an [*exchange.PublicError]. It
// formats like [fmt.Errorf], %w included. Any other error is logged, and the client only
// reads that something failed.
func Errorf(format string, args ...any) error { return exchange.Errorf(format, args...) }
