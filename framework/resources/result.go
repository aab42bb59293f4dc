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
	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/declaration"
)

// A Result is what a resource returns: a [*ReadResult]. Make one with the functions of
// this package.
type Result interface{ result() }

// A ReadResult is the answer of a resource (specification: ReadResourceResult). Fields
// that contents leave out are filled in: the URI with the one that was read, the MIME
// type with the resource's, else with one derived from the contents.
type ReadResult struct {
	Contents []content.Resource `json:"contents"`
	Meta     map[string]any     `json:"_meta,omitempty"`

	origins `json:"-"`
}

// origins say how the contents were made, in their order.
type origins = declaration.Origins

func (*ReadResult) result() {}

// Errorf returns an error whose text the client reads, an [*exchange.PublicError]. It
// formats like [fmt.Errorf], %w included. Any other error is logged, and the client only
// reads that something failed.
func Errorf(format string, args ...any) error { return exchange.Errorf(format, args...) }

// A missingError reports a file that doesn't exist. Its text doesn't reveal where the
// program looked.
type missingError struct{ err error }

func (e *missingError) Error() string { return exchange.ErrResourceNotFound.Error() }

func (e *missingError) Unwrap() []error { return []error{exchange.ErrResourceNotFound, e.err} }

// made returns a result of contents made by a function of this package.
func made(contents content.Resource, mimeType string) *ReadResult {
	return &ReadResult{Contents: []content.Resource{contents}, origins: origins{{MIMEType: mimeType, Bare: true}}}
}

// Text returns a result of text.
func Text(text string) *ReadResult { return made(content.Resource{Text: text}, "") }

// JSON returns a result of v as JSON, indented by two spaces.
func JSON(v any) (*ReadResult, error) {
	text, err := codec.Indent(v)
	if err != nil {
		return nil, err
	}
	return made(content.Resource{Text: string(text)}, content.MIMEJSON), nil
}

// Blob returns a result of bytes, which are sent in base64.
func Blob(data []byte) *ReadResult {
	if data == nil {
		data = []byte{}
	}
	return made(content.Resource{Blob: data}, "")
}

// BlobBase64 returns a result of bytes given in standard base64.
func BlobBase64(data string) (*ReadResult, error) {
	decoded, err := content.DecodeBase64(data)
	if err != nil {
		return nil, err
	}
	return Blob(decoded), nil
}

// Reader returns a result of the bytes read from r, at most [content.MaxBytes]. A
// reader that is an [io.Closer] is closed.
func Reader(r io.Reader) (*ReadResult, error) {
	data, err := content.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return Blob(data), nil
}

// File returns a result of a file, at most [content.MaxBytes]: as text if its type
// denotes text and it is valid UTF-8, else as bytes. The type is the resource's, else
// derived from the file's name, else from its bytes. The error for a file that doesn't
// exist, or is a folder, wraps [exchange.ErrResourceNotFound].
//
// For a path that comes from a client, use [FSFile] with the file system of an
// [os.Root], which no path can leave.
func File(path string) (*ReadResult, error) {
	file, err := os.Open(path)
	return readFile(file, path, err)
}

// FSFile returns a result of a file in a file system, as [File] does.
//
//	root, err := os.OpenRoot("docs")
//	…
//	return resources.FSFile(root.FS(), request.Variable("path"))
func FSFile(fsys fs.FS, name string) (*ReadResult, error) {
	file, err := fsys.Open(name)
	return readFile(file, name, err)
}

// readFile reads and closes a file that may not have been opened.
func readFile(file fs.File, name string, err error) (*ReadResult, error) {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid): // invalid is a name that no file can have
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

// Contents returns a result of one or several contents. Empty URIs and MIME types are
// filled in.
func Contents(contents ...content.Resource) *ReadResult {
	return &ReadResult{Contents: contents}
}
