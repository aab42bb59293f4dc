package tools

import (
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/codec"
)

// Error returns a result that tells the model what went wrong, so that it can mend
// its call: an answer with isError set.
func Error(message string) *CallResult {
	result := Text(message)
	result.IsError = true
	return result
}

// With adds fields to a result, for programs: they become its structured content,
// mirrored as JSON text after what the result says already.
func (r *CallResult) With(fields map[string]any) *CallResult {
	r.StructuredContent, r.structured = fields, true
	if text, err := codec.Marshal(fields); err == nil {
		r.Content = append(r.Content, content.Text(string(text)))
	}
	return r
}

// Errorf returns an error whose text the model reads, an [*exchange.PublicError]. It
// formats like [fmt.Errorf], %w included. Any other error is logged, and the model only
// reads that the tool failed.
func Errorf(format string, args ...any) error { return exchange.Errorf(format, args...) }
