package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// giveTool returns a prepared result.
type giveTool struct {
	tools.Tool
	result tools.Result
	err    error
}

func (*giveTool) Description() string { return "Gives what it has." }

func (g *giveTool) Handle(context.Context, *tools.Request) (tools.Result, error) {
	return g.result, g.err
}

// give returns a function that accepts the results of a constructor with an error.
func give(t *testing.T) func(*tools.CallResult, error) *tools.CallResult {
	return func(result *tools.CallResult, err error) *tools.CallResult {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
}

func TestResultsHaveTheirWireForm(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, data string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	must := give(t)
	const pixel = "\x89PNG\r\n\x1a\n"
	const pixel64 = "iVBORw0KGgo="
	for _, test := range []struct {
		name   string
		result *tools.CallResult
		want   string
	}{
		{"text", tools.Text("Hello."), `{"content":[{"type":"text","text":"Hello."}]}`},
		{"empty text", tools.Text(""), `{"content":[{"type":"text","text":""}]}`},
		{"text keeps its characters", tools.Text("<a> & \"b\" \\ é\u2028\n"), `{"content":[{"type":"text","text":"<a> & \"b\" \\ é` + "\u2028" + `\n"}]}`},
		{"markdown", tools.Markdown("# Title"), `{"content":[{"type":"text","text":"# Title"}]}`},
		{"code", tools.Code("x := 1\n", "go"), "{\"content\":[{\"type\":\"text\",\"text\":\"```go\\nx := 1\\n```\"}]}"},
		{"code with fences", tools.Code("```\nx\n```", "md"), "{\"content\":[{\"type\":\"text\",\"text\":\"````md\\n```\\nx\\n```\\n````\"}]}"},
		{"JSON", must(tools.JSON(map[string]any{"b": "<", "a": []int{}})), `{"content":[{"type":"text","text":"{\n  \"a\": [],\n  \"b\": \"<\"\n}"}]}`},
		{"JSON null", must(tools.JSON(nil)), `{"content":[{"type":"text","text":"null"}]}`},
		{"structured", tools.Structured(map[string]any{"b": 1, "a": "<"}), `{"content":[{"type":"text","text":"{\"a\":\"<\",\"b\":1}"}],"structuredContent":{"a":"<","b":1}}`},
		{"structured null", tools.Structured(nil), `{"content":[{"type":"text","text":"null"}],"structuredContent":null}`},
		{"structured false", tools.Structured(false), `{"content":[{"type":"text","text":"false"}],"structuredContent":false}`},
		{"structured 0", tools.Structured(0.0), `{"content":[{"type":"text","text":"0"}],"structuredContent":0}`},
		{"structured empty text", tools.Structured(""), `{"content":[{"type":"text","text":"\"\""}],"structuredContent":""}`},
		{"structured list", tools.Structured([]any{1.0, "a"}), `{"content":[{"type":"text","text":"[1,\"a\"]"}],"structuredContent":[1,"a"]}`},
		{"structured nil list", tools.Structured([]string(nil)), `{"content":[{"type":"text","text":"[]"}],"structuredContent":[]}`},
		{"items in order", tools.Items(content.Text("a"), content.Image([]byte("abc"), "image/png"), content.Link("x:y", "n")),
			`{"content":[{"type":"text","text":"a"},{"type":"image","data":"YWJj","mimeType":"image/png"},{"type":"resource_link","uri":"x:y","name":"n"}]}`},
		{"no items", tools.Items(), `{"content":[]}`},
		{"image", tools.Image([]byte("abc"), "image/png"), `{"content":[{"type":"image","data":"YWJj","mimeType":"image/png"}]}`},
		{"image of base64", must(tools.ImageBase64("YWJj", "image/png")), `{"content":[{"type":"image","data":"YWJj","mimeType":"image/png"}]}`},
		{"image of a file", must(tools.ImageFile(file("p.png", pixel))), `{"content":[{"type":"image","data":"` + pixel64 + `","mimeType":"image/png"}]}`},
		{"image of a reader", must(tools.ImageReader(strings.NewReader("abc"), "image/png")), `{"content":[{"type":"image","data":"YWJj","mimeType":"image/png"}]}`},
		{"audio", tools.Audio([]byte("abc"), "audio/wav"), `{"content":[{"type":"audio","data":"YWJj","mimeType":"audio/wav"}]}`},
		{"audio of base64", must(tools.AudioBase64("YWJj", "audio/wav")), `{"content":[{"type":"audio","data":"YWJj","mimeType":"audio/wav"}]}`},
		{"audio of a file", must(tools.AudioFile(file("a.mp3", "abc"))), `{"content":[{"type":"audio","data":"YWJj","mimeType":"audio/mpeg"}]}`},
		{"audio of a reader", must(tools.AudioReader(strings.NewReader("abc"), "audio/wav")), `{"content":[{"type":"audio","data":"YWJj","mimeType":"audio/wav"}]}`},
		{"resource", tools.Resource("file:///a", "text/plain", ""), `{"content":[{"type":"resource","resource":{"uri":"file:///a","mimeType":"text/plain","text":""}}]}`},
		{"resource of bytes", tools.ResourceBytes("file:///a", "image/png", []byte("abc")), `{"content":[{"type":"resource","resource":{"uri":"file:///a","mimeType":"image/png","blob":"YWJj"}}]}`},
		{"resource of base64", must(tools.ResourceBase64("file:///a", "image/png", "YWJj")), `{"content":[{"type":"resource","resource":{"uri":"file:///a","mimeType":"image/png","blob":"YWJj"}}]}`},
		{"resource of a text file", must(tools.ResourceFile("file:///a", file("a.json", "{}"))), `{"content":[{"type":"resource","resource":{"uri":"file:///a","mimeType":"application/json","text":"{}"}}]}`},
		{"resource of a file of bytes", must(tools.ResourceFile("file:///a", file("q.png", pixel))), `{"content":[{"type":"resource","resource":{"uri":"file:///a","mimeType":"image/png","blob":"` + pixel64 + `"}}]}`},
		{"resource of a reader", must(tools.ResourceReader("file:///a", "image/png", strings.NewReader("abc"))), `{"content":[{"type":"resource","resource":{"uri":"file:///a","mimeType":"image/png","blob":"YWJj"}}]}`},
		{"link", tools.Link("file:///notes/a.md", "Notes"), `{"content":[{"type":"resource_link","uri":"file:///notes/a.md","name":"Notes"}]}`},
		{"link named after its URI", tools.Link("file:///notes/a.md", ""), `{"content":[{"type":"resource_link","uri":"file:///notes/a.md","name":"a.md"}]}`},
		{"metadata", tools.Text("a").WithMeta(map[string]any{"example.com/k": "v"}), `{"content":[{"type":"text","text":"a"}],"_meta":{"example.com/k":"v"}}`},
		{"annotations", tools.Items(content.Text("a").For(content.User).Priority(0.5)), `{"content":[{"type":"text","text":"a","annotations":{"audience":["user"],"priority":0.5}}]}`},
		{"error", tools.Error("No such city."), `{"content":[{"type":"text","text":"No such city."}],"isError":true}`},
		{"error with fields", tools.Error("No such city.").With(map[string]any{"success": false, "code": "NOT_FOUND"}),
			`{"content":[{"type":"text","text":"No such city."},{"type":"text","text":"{\"code\":\"NOT_FOUND\",\"success\":false}"}],` +
				`"structuredContent":{"code":"NOT_FOUND","success":false},"isError":true}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := codec.Marshal(test.result)
			if err != nil || string(got) != test.want {
				t.Errorf("got\n%s, %v\nwant\n%s", got, err, test.want)
			}
			if sent, err := codec.Marshal(served(t, test.result)); err != nil || string(sent) != test.want {
				t.Errorf("a client got\n%s, %v\nwant\n%s", sent, err, test.want)
			}
		})
	}
}

// served returns a result as a client gets it, without the server's description.
func served(t *testing.T, result *tools.CallResult) *tools.CallResult {
	t.Helper()
	call := mcptest.Tool(t, &giveTool{result: result}, nil).Call
	if call == nil {
		t.Fatal("the answer is a JSON-RPC error")
	}
	if delete(call.Meta, "io.modelcontextprotocol/serverInfo"); len(call.Meta) == 0 {
		call.Meta = nil
	}
	return call
}

func TestResultsRoundTrip(t *testing.T) {
	t.Parallel()
	for name, result := range map[string]*tools.CallResult{
		"text":       tools.Text(""),
		"no content": tools.Items(),
		"all": tools.Error("a").With(map[string]any{"b": 1.0}).WithMeta(map[string]any{
			"c": []any{true},
		}),
	} {
		for codecName, codec := range map[string]struct {
			marshal   func(any) ([]byte, error)
			unmarshal func([]byte, any) error
		}{"codec": {codec.Marshal, codec.Unmarshal}, "encoding/json": {json.Marshal, json.Unmarshal}} {
			encoded, err := codec.marshal(result)
			if err != nil {
				t.Fatal(err)
			}
			var back tools.CallResult
			if err := codec.unmarshal(encoded, &back); err != nil || !reflect.DeepEqual(&back, result) {
				t.Errorf("%s: %s came back by %s as %+v, %v", name, encoded, codecName, back, err)
			}
		}
	}
	var null tools.CallResult
	if err := codec.Unmarshal([]byte(`{"content":[],"structuredContent":null}`), &null); err != nil || !null.HasStructured() || null.StructuredContent != nil {
		t.Errorf("a structured null came back as %+v, %v", null, err)
	}
	if tools.Text("a").HasStructured() || !tools.Structured(nil).HasStructured() {
		t.Error("structured results are not distinguished from others")
	}
}

func TestAValueThatDoesNotEncodeIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := tools.JSON(math.NaN()); err == nil {
		t.Error("not a number became JSON")
	}
	for name, make := range map[string]func() (*tools.CallResult, error){
		"image":    func() (*tools.CallResult, error) { return tools.ImageBase64("!", "image/png") },
		"audio":    func() (*tools.CallResult, error) { return tools.AudioFile("none.wav") },
		"resource": func() (*tools.CallResult, error) { return tools.ResourceFile("x:y", "none.txt") },
	} {
		if result, err := make(); err == nil || result != nil {
			t.Errorf("%s: got %+v, %v", name, result, err)
		}
	}
}

// A block that can't be sent must not break the message that it is part of.
func TestAResultThatDoesNotEncodeIsAFailedCall(t *testing.T) {
	t.Parallel()
	for name, result := range map[string]*tools.CallResult{
		"structured":               tools.Structured(math.NaN()),
		"metadata":                 tools.Text("a").WithMeta(map[string]any{"f": func() {}}),
		"a block's metadata":       tools.Items(content.Text("a").WithMeta(map[string]any{"f": math.Inf(1)})),
		"a block of no type":       tools.Items(content.Text("a"), content.Block{}),
		"a resource of both kinds": tools.Items(content.Embed(content.Resource{URI: "x:y", Text: "a", Blob: []byte("b")}), content.Text("a")),
		"a resource that is nil":   tools.Items(content.Block{Type: content.TypeResource}),
		"a priority of no number":  tools.Items(content.Text("a").Priority(math.NaN()), content.Text("b")),
		"fields that don't encode": tools.Text("a").With(map[string]any{"f": math.NaN()}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mcptest.Tool(t, &giveTool{result: result}, nil).AssertError("The tool give failed. The server's log says why (request ")
		})
	}
}

func TestInvalidUTF8IsReplaced(t *testing.T) {
	t.Parallel()
	for name, result := range map[string]*tools.CallResult{
		"text":           tools.Text("h\xe9llo"),
		"annotated text": tools.Items(content.Text("h\xe9llo").For(content.User)),
		"structured":     tools.Structured(map[string]string{"a": "h\xe9llo"}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mcptest.Tool(t, &giveTool{result: result}, nil).AssertOK().AssertSee("h\uFFFDllo")
		})
	}
}

func TestNeitherAResultNorAnErrorIsAFailedCall(t *testing.T) {
	t.Parallel()
	for name, result := range map[string]tools.Result{"nil": nil, "a nil result": (*tools.CallResult)(nil)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mcptest.Tool(t, &giveTool{result: result}, nil).AssertError("The tool give failed. The server's log says why (request ")
		})
	}
}

func TestErrorfFormatsAndWraps(t *testing.T) {
	t.Parallel()
	cause := errors.New("no such file")
	err := tools.Errorf("reading %q: %w", "a.txt", cause)
	if err.Error() != `reading "a.txt": no such file` || !errors.Is(err, cause) {
		t.Errorf("got %q, whose chain has the cause: %t", err, errors.Is(err, cause))
	}
	if _, ok := errors.AsType[*exchange.PublicError](err); !ok {
		t.Error("it is no PublicError")
	}
}
