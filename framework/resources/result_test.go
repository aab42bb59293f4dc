package resources_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/internal/codec"
)

// wire returns the wire form of what a resource gave for the URI x:y.
func wire(t *testing.T, definition resources.Definition, result resources.Result) string {
	t.Helper()
	definition.URI, definition.Name = "x:y", "n"
	finished, err := resources.Finish(compile(t, resources.New(definition, nil)), "x:y", result)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := codec.Marshal(finished)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(strings.TrimPrefix(string(encoded), `{"contents":[`), `]}`)
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

func TestWhatContentsLeaveOutIsFilledIn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		declared string
		result   resources.Result
		want     string
	}{
		"text":                 {"", resources.Text("hello"), text("text/plain", `"hello"`)},
		"declared text":        {"text/markdown", resources.Text("# Hi"), text("text/markdown", `"# Hi"`)},
		"empty text":           {"", resources.Text(""), text("text/plain", `""`)},
		"a page":               {"", resources.Text("\n<HTML lang=en>"), text("text/html", `"\n<HTML lang=en>"`)},
		"a page with its type": {"", resources.Text("<!DOCTYPE html><p>"), text("text/html", `"<!DOCTYPE html><p>"`)},
		"XML":                  {"", resources.Text("<?xml version='1.0'?>"), text("application/xml", `"<?xml version='1.0'?>"`)},
		"an object":            {"", resources.Text(` {"a":1} `), text("application/json", `" {\"a\":1} "`)},
		"a list":               {"", resources.Text("[]"), text("application/json", `"[]"`)},
		"braces":               {"", resources.Text("{name}"), text("text/plain", `"{name}"`)},
		"not UTF-8":            {"", resources.Text("\xff"), blob("application/octet-stream", "/w==")},
		"JSON":                 {"", must(resources.JSON(map[string]any{"a": 1})), text("application/json", `"{\n  \"a\": 1\n}"`)},
		"JSON of text":         {"", must(resources.JSON("a")), text("application/json", `"\"a\""`)},
		"declared JSON":        {"application/ld+json", must(resources.JSON([]int{})), text("application/ld+json", `"[]"`)},
		"bytes":                {"", resources.Blob([]byte{1}), blob("application/octet-stream", "AQ==")},
		"declared bytes":       {"image/png", resources.Blob([]byte{1}), blob("image/png", "AQ==")},
		"no bytes":             {"", resources.Blob(nil), blob("application/octet-stream", "")},
		"base64":               {"", must(resources.BlobBase64("AQ==")), blob("application/octet-stream", "AQ==")},
		"a reader":             {"", must(resources.Reader(strings.NewReader("abc"))), blob("application/octet-stream", "YWJj")},
		"whole contents":       {"a/b", resources.Contents(content.Resource{URI: "x:z", MIMEType: "c/d", Text: "t"}), `{"uri":"x:z","mimeType":"c/d","text":"t"}`},
		"several": {"", resources.Contents(content.Resource{Text: "t"}, content.Resource{Blob: []byte{1}, Name: "n"}),
			text("text/plain", `"t"`) + `,{"uri":"x:y","mimeType":"application/octet-stream","blob":"AQ==","_meta":{"name":"n"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := wire(t, resources.Definition{MIMEType: test.declared}, test.result); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestContentsTakeTheMetadataOfTheResource(t *testing.T) {
	t.Parallel()
	definition := resources.Definition{Meta: map[string]any{"k": "v"}}
	if got, want := wire(t, definition, resources.Text("a")), `{"uri":"x:y","mimeType":"text/plain","text":"a","_meta":{"k":"v"}}`; got != want {
		t.Errorf("got %s", got)
	}
	if got, want := wire(t, definition, resources.Contents(content.Resource{Text: "a"})), text("text/plain", `"a"`); got != want {
		t.Errorf("contents that the handler made itself: got %s", got)
	}
}

func TestAResultMayHaveMetadataOfItsOwn(t *testing.T) {
	t.Parallel()
	result := resources.Text("a")
	result.Meta = map[string]any{"k": 1}
	finished, err := resources.Finish(compile(t, &HandbookResource{}), "x:y", result)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := codec.Marshal(finished); string(got) != `{"contents":[`+text("text/plain", `"a"`)+`],"_meta":{"k":1}}` {
		t.Errorf("got %s", got)
	}
}

// A resource that another request reads at the same time must not change.
func TestFinishingLeavesTheHandlersResultAlone(t *testing.T) {
	t.Parallel()
	result := resources.Text("a")
	_ = wire(t, resources.Definition{}, result)
	if got := result.Contents[0]; got.URI != "" || got.MIMEType != "" {
		t.Errorf("got %+v", got)
	}
}

func TestAResultThatCannotBeSentIsAnError(t *testing.T) {
	t.Parallel()
	var none *resources.ReadResult
	for name, test := range map[string]struct {
		result resources.Result
		want   string
	}{
		"nothing":       {nil, "neither contents nor an error"},
		"nil pointer":   {none, "neither contents nor an error"},
		"no contents":   {resources.Contents(), "neither contents nor an error"},
		"text and blob": {resources.Contents(content.Resource{Text: "a"}, content.Resource{Text: "a", Blob: []byte{1}}), "contents 2: a resource holds a text or a blob, not both"},
	} {
		if got, err := resources.Finish(compile(t, &HandbookResource{}), "x:y", test.result); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, %v; want …%s…", name, got, err, test.want)
		}
	}
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
