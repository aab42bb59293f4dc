package resources_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// wire returns the contents that a client gets for a result of a resource with the URI
// x:y.
func wire(t *testing.T, definition resources.Definition, result resources.Result) string {
	t.Helper()
	definition.URI, definition.Name = "x:y", "n"
	resource := resources.New(definition, func(context.Context, *resources.Request) (resources.Result, error) { return result, nil })
	encoded, err := codec.Marshal(mcptest.Resource(t, resource, "x:y").AssertOK().Read.Contents)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Trim(string(encoded), "[]")
}

func must(result *resources.ReadResult, err error) resources.Result {
	if err != nil {
		panic(err)
	}
	return result
}

func text(mimeType, quoted string) string {
	return `{"uri":"x:y","mimeType":"` + mimeType + `","text":` + quoted + `}`
}

func blob(mimeType, encoded string) string {
	return `{"uri":"x:y","mimeType":"` + mimeType + `","blob":"` + encoded + `"}`
}

func TestConstructorsPassErrorsOn(t *testing.T) {
	t.Parallel()
	if got, err := resources.JSON(make(chan int)); err == nil || got != nil {
		t.Errorf("JSON: got %v, %v", got, err)
	}
	if got, err := resources.BlobBase64("AQ"); err == nil || got != nil {
		t.Errorf("BlobBase64: got %v, %v", got, err)
	}
	failing := &closing{Reader: io.MultiReader(strings.NewReader("a"), &broken{})}
	if got, err := resources.Reader(failing); !errors.Is(err, errBroken) || got != nil || !failing.closed {
		t.Errorf("Reader: got %v, %v; closed %v", got, err, failing.closed)
	}
	huge := &closing{Reader: io.LimitReader(zeros{}, content.MaxBytes+1)}
	if got, err := resources.Reader(huge); err == nil || got != nil || !huge.closed {
		t.Errorf("a huge reader: got %v, %v", got, err)
	}
}

var errBroken = errors.New("broken")

type broken struct{}

func (*broken) Read([]byte) (int, error) { return 0, errBroken }

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

type closing struct {
	io.Reader
	closed bool
}

func (c *closing) Close() error {
	c.closed = true
	return nil
}
