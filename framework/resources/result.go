package resources

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/declaration"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// A Result is what a resource returns: a [*ReadResult]. The functions of this package
// make one.
type Result interface{ result() }

// A ReadResult is the answer of a resource (specification: ReadResourceResult). Contents
// without a URI get the URI of the request. Contents without a MIME type get the
// resource's, or else one derived from the contents.
type ReadResult struct {
	Contents []content.Resource `json:"contents"`
	Meta     map[string]any     `json:"_meta,omitempty"`

	// CacheHint says how long clients may reuse this result, such as until what it shows
	// expires; nil means the hint of the resource. A TTL below 0 is 0.
	CacheHint *exchange.CacheHint `json:"-"`

	origins `json:"-"`
}

// origins record how each of the contents was made.
type origins = declaration.Origins

func (*ReadResult) result() {}

// Errorf returns an [*exchange.PublicError], whose text the client reads. It formats like
// [fmt.Errorf], including %w. Any other error is logged, and the client reads only that
// something failed.
func Errorf(format string, args ...any) error { return exchange.Errorf(format, args...) }

// A missingError reports a file that doesn't exist. Its text doesn't reveal the file's
// path.
type missingError struct{ err error }

func (e *missingError) Error() string { return exchange.ErrResourceNotFound.Error() }

func (e *missingError) Unwrap() []error { return []error{exchange.ErrResourceNotFound, e.err} }

// made returns a result with contents made by a function of this package.
func made(contents content.Resource, mimeType string) *ReadResult {
	return &ReadResult{Contents: []content.Resource{contents}, origins: origins{{MIMEType: mimeType, Bare: true}}}
}

// Text returns a result with text.
func Text(text string) *ReadResult { return made(content.Resource{Text: text}, "") }

// JSON returns a result with v as JSON, indented by two spaces.
func JSON(v any) (*ReadResult, error) {
	text, err := codec.Indent(v)
	if err != nil {
		return nil, err
	}
	return made(content.Resource{Text: string(text)}, content.MIMEJSON), nil
}

// Blob returns a result with binary data, which is sent in base64.
func Blob(data []byte) *ReadResult {
	if data == nil {
		data = []byte{}
	}
	return made(content.Resource{Blob: data}, "")
}

// BlobBase64 returns a result with binary data in standard base64.
func BlobBase64(data string) (*ReadResult, error) {
	decoded, err := content.DecodeBase64(data)
	if err != nil {
		return nil, err
	}
	return Blob(decoded), nil
}

// Reader returns a result with the bytes read from r, at most [content.MaxBytes]. If r is
// an [io.Closer], Reader closes it.
func Reader(r io.Reader) (*ReadResult, error) {
	data, err := content.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return Blob(data), nil
}

// File returns a result with the contents of a file, at most [content.MaxBytes]. They are
// text if the file's MIME type denotes text and the contents are valid UTF-8, and otherwise
// binary data. The MIME type is the resource's. If it has none, the file's name tells, and
// otherwise the contents. The error for a file that doesn't exist, or is a folder, wraps
// [exchange.ErrResourceNotFound].
//
// For a path from a client, use [FSFile] with the file system of an [os.Root], which no
// path can leave.
func File(path string) (*ReadResult, error) {
	file, err := os.Open(path)
	return readFile(file, path, err)
}

// FSFile returns a result with a file of a file system. Otherwise it works like [File].
//
//	root, err := os.OpenRoot("docs")
//	…
//	return resources.FSFile(root.FS(), request.Variable("path"))
func FSFile(fsys fs.FS, name string) (*ReadResult, error) {
	file, err := fsys.Open(name)
	return readFile(file, name, err)
}

// readFile reads and closes a file, unless err says why it was not opened.
func readFile(file fs.File, name string, err error) (*ReadResult, error) {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid): // ErrInvalid: no file can have this name
		return nil, &missingError{err}
	case err != nil:
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = &missingError{fmt.Errorf("%s is a folder", name)}
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	data, err := content.ReadAll(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path.Base(name), err)
	}
	mimeType, _, _ := strings.Cut(content.TypeOf(name, data), ";")
	result := made(content.Resource{Blob: data}, mimeType)
	result.origins[0].File = true
	return result, nil
}

// Contents returns a result with one or more contents. Empty URIs and MIME types are
// filled in.
func Contents(contents ...content.Resource) *ReadResult {
	return &ReadResult{Contents: contents}
}
