package server_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/internal/engine/server/servertest"
)

// reading returns a client of a server whose resource x:y returns the result. The client gets
// the texts of errors.
func reading(definition resources.Definition, result resources.Result) *servertest.Client {
	definition.URI, definition.Name = "x:y", "n"
	config := servertest.Config(io.Discard)
	config.Debug = true
	client, err := servertest.New(&servertest.Server{ResourceList: []resources.Interface{
		resources.New(definition, func(context.Context, *resources.Request) (resources.Result, error) { return result, nil }),
	}}, config)
	if err != nil {
		panic(err)
	}
	return client
}

// filled returns the contents that a client reads if a handler returns a result.
func filled(t *testing.T, definition resources.Definition, result resources.Result) string {
	t.Helper()
	got := reading(definition, result).Read("x:y")
	contents, ok := strings.CutPrefix(got, `{"contents":[`)
	if !ok {
		t.Fatalf("got %s", got)
	}
	return strings.TrimSuffix(contents, "]}")
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

func TestMissingFieldsOfContentsAreSet(t *testing.T) {
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
			if got := filled(t, resources.Definition{MIMEType: test.declared}, test.result); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestContentsTakeTheMetadataOfTheResource(t *testing.T) {
	t.Parallel()
	definition := resources.Definition{Meta: map[string]any{"k": "v"}}
	if got, want := filled(t, definition, resources.Text("a")), `{"uri":"x:y","mimeType":"text/plain","text":"a","_meta":{"k":"v"}}`; got != want {
		t.Errorf("got %s", got)
	}
	if got, want := filled(t, definition, resources.Contents(content.Resource{Text: "a"})), text("text/plain", `"a"`); got != want {
		t.Errorf("contents that the handler made itself: got %s", got)
	}
}

func TestAReadResultMayHaveItsOwnMetadata(t *testing.T) {
	t.Parallel()
	result := resources.Text("a")
	result.Meta = map[string]any{"k": 1}
	if got, want := reading(resources.Definition{}, result).Read("x:y"), `{"contents":[`+text("text/plain", `"a"`)+`],"_meta":{"k":1}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Another request may read the result at the same time.
func TestSettingFieldsDoesNotChangeTheHandlersResult(t *testing.T) {
	t.Parallel()
	result := resources.Text("a")
	_ = filled(t, resources.Definition{}, result)
	if got := result.Contents[0]; got.URI != "" || got.MIMEType != "" {
		t.Errorf("got %+v", got)
	}
}

func TestInvalidContentsAreAnError(t *testing.T) {
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
		if got := reading(resources.Definition{}, test.result).Read("x:y"); !strings.HasPrefix(got, "error -32603: Internal error: ") || !strings.Contains(got, test.want) {
			t.Errorf("%s: got %s; want …%s…", name, got, test.want)
		}
	}
}
