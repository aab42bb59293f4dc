package resources

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/internal/codec"
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

	origins []origin // of the contents, in their order
}

// An origin says how contents were made, for what isn't known until the resource is.
type origin struct {
	mimeType string // if neither the contents nor the resource name one
	file     bool   // whether bytes of a text's type are sent as text
	bare     bool   // whether a function made the contents, so that they take the resource's metadata
}

func (*ReadResult) result() {}

// origin returns how contents were made.
func (r *ReadResult) origin(i int) origin {
	if i < len(r.origins) {
		return r.origins[i]
	}
	return origin{}
}

var (
	errNothing = errors.New("Handle returned neither contents nor an error; return exchange.ErrResourceNotFound for what does not exist")
	errBoth    = errors.New("a resource holds a text or a blob, not both; return two contents")
)

// Finish returns what a handler gave for a URI with everything filled in. The error
// says what is wrong with it. It is for the engine.
func Finish(resource *Compiled, uri string, result Result) (*ReadResult, error) {
	given, _ := result.(*ReadResult)
	if given == nil || len(given.Contents) == 0 {
		return nil, errNothing
	}
	finished := &ReadResult{Contents: make([]content.Resource, len(given.Contents)), Meta: given.Meta}
	for i, contents := range given.Contents {
		if contents.Blob != nil && contents.Text != "" {
			return nil, fmt.Errorf("contents %d: %w", i+1, errBoth)
		}
		finish(&contents, resource, uri, given.origin(i))
		finished.Contents[i] = contents
	}
	return finished, nil
}

// finish fills in what contents leave out.
func finish(contents *content.Resource, resource *Compiled, uri string, origin origin) {
	if contents.URI == "" {
		contents.URI = uri
	}
	if !utf8.ValidString(contents.Text) { // not a text after all
		contents.Blob, contents.Text = []byte(contents.Text), ""
	}
	for _, mimeType := range []string{resource.Definition.MIMEType, origin.mimeType, guess(contents)} {
		if contents.MIMEType == "" {
			contents.MIMEType = mimeType
		}
	}
	if origin.file && content.IsText(contents.MIMEType) && utf8.Valid(contents.Blob) {
		contents.Text, contents.Blob = string(contents.Blob), nil
	}
	if origin.bare && contents.Meta == nil {
		contents.Meta = resource.Definition.Meta
	}
}

// guess tells the MIME type of contents by how they begin.
func guess(contents *content.Resource) string {
	if contents.Blob != nil {
		return content.MIMEBinary
	}
	text := strings.TrimSpace(contents.Text)
	start := strings.ToLower(text[:min(len(text), len("<!doctype html"))])
	switch {
	case strings.HasPrefix(start, "<!doctype html"), strings.HasPrefix(start, "<html"):
		return content.MIMEHTML
	case strings.HasPrefix(start, "<?xml"):
		return content.MIMEXML
	case (strings.HasPrefix(start, "{") || strings.HasPrefix(start, "[")) && codec.Valid([]byte(text)):
		return content.MIMEJSON
	}
	return content.MIMEPlain
}
