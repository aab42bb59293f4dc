package resources

import (
	"errors"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/internal/declaration"
)

// A Result is what a resource hands back: a [*ReadResult]. Make one with the functions
// of this package.
type Result interface{ result() }

// A ReadResult is the answer of a resource (specification: ReadResourceResult). What
// contents leave out is filled in: the URI is the one that was read, the MIME type the
// resource's or else told by the contents.
type ReadResult struct {
	Contents []content.Resource `json:"contents"`
	Meta     map[string]any     `json:"_meta,omitempty"`

	origins `json:"-"`
}

// origins say how the contents were made, in their order.
type origins = declaration.Origins

func (*ReadResult) result() {}

var errNothing = errors.New("Handle returned neither contents nor an error; return exchange.ErrResourceNotFound for what does not exist")
