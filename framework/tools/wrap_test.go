package tools_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

type celsius float64

// money encodes itself.
type money struct{ cents int }

func (money) MarshalJSON() ([]byte, error) { return []byte(`{"currency":"EUR"}`), nil }

func TestAnyValueBecomesAResult(t *testing.T) {
	t.Parallel()
	type point struct {
		X int     `json:"x"`
		Y *string `json:"y,omitempty"`
	}
	texts := func(texts ...string) string {
		encoded, _ := codec.Marshal(tools.Items(func() (blocks []content.Block) {
			for _, text := range texts {
				blocks = append(blocks, content.Text(text))
			}
			return blocks
		}()...))
		return string(encoded)
	}
	for _, test := range []struct {
		name  string
		value any
		want  string
	}{
		{"a string is its text", "Hello.", texts("Hello.")},
		{"an empty string is an empty text", "", texts("")},
		{"a named string", content.Role("user"), texts("user")},
		{"an int is its text", 42, texts("42")},
		{"a negative int64", int64(-1), texts("-1")},
		{"a uint8", uint8(255), texts("255")},
		{"a float is its shortest text", 0.1, texts("0.1")},
		{"a float32", float32(0.1), texts("0.1")},
		{"a big float has no exponent", 1e21, texts("1000000000000000000000")},
		{"a named float", celsius(36.6), texts("36.6")},
		{"true", true, texts("true")},
		{"false", false, texts("false")},
		{"nil", nil, texts("(null)")},
		{"a nil pointer", (*point)(nil), texts("(null)")},
		{"a nil map", map[string]any(nil), `{"content":[{"type":"text","text":"{}"}],"structuredContent":{}}`},
		{"a nil list", []string(nil), texts("[]")},
		{"a nil result", (*tools.CallResult)(nil), texts("(null)")},
		{"nothing", tools.Nothing{}, `{"content":[]}`},
		{"an empty list", []string{}, texts("[]")},
		{"a list is JSON, indented", []any{1, "<a>", nil}, texts("[\n  1,\n  \"<a>\",\n  null\n]")},
		{"an array", [2]bool{true}, texts("[\n  true,\n  false\n]")},
		{"a list of objects", []point{{X: 1}}, texts("[\n  {\n    \"x\": 1\n  }\n]")},
		{"an empty map", map[string]any{}, `{"content":[{"type":"text","text":"{}"}],"structuredContent":{}}`},
		{"a map is structured", map[string]int{"b": 2, "a": 1}, `{"content":[{"type":"text","text":"{\"a\":1,\"b\":2}"}],"structuredContent":{"a":1,"b":2}}`},
		{"a struct is structured", point{X: 1}, `{"content":[{"type":"text","text":"{\"x\":1}"}],"structuredContent":{"x":1}}`},
		{"a pointer to a struct", &point{Y: new("y")}, `{"content":[{"type":"text","text":"{\"x\":0,\"y\":\"y\"}"}],"structuredContent":{"x":0,"y":"y"}}`},
		{"what encodes itself", money{5}, `{"content":[{"type":"text","text":"{\"currency\":\"EUR\"}"}],"structuredContent":{"currency":"EUR"}}`},
		{"a block is itself", content.Image([]byte("abc"), "image/png"), `{"content":[{"type":"image","data":"YWJj","mimeType":"image/png"}]}`},
		{"blocks keep their order", []content.Block{content.Text("b"), content.Text("a")}, texts("b", "a")},
		{"no blocks", []content.Block{}, `{"content":[]}`},
		{"a mixed list, item by item", []any{content.Text("a"), 1, nil, map[string]any{"k": true}, []int{}, content.Link("x:y", "n")},
			`{"content":[{"type":"text","text":"a"},{"type":"text","text":"1"},{"type":"text","text":"(null)"},{"type":"text","text":"{\"k\":true}"},` +
				`{"type":"text","text":"[]"},{"type":"resource_link","uri":"x:y","name":"n"}]}`},
		{"nothing among others adds nothing", []any{content.Text("a"), tools.Nothing{}}, texts("a")},
		{"a result is itself", tools.Error("No."), `{"content":[{"type":"text","text":"No."}],"isError":true}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			result, err := tools.Wrap(test.value)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := codec.Marshal(result); err != nil || string(got) != test.want {
				t.Errorf("got\n%s, %v\nwant\n%s", got, err, test.want)
			}
		})
	}
}

func TestAStreamIsAResultButNotAnItem(t *testing.T) {
	t.Parallel()
	stream := make(tools.Stream)
	if result, err := tools.Wrap(stream); err != nil || reflect.ValueOf(result).Pointer() != reflect.ValueOf(stream).Pointer() {
		t.Errorf("a stream became %v, %v", result, err)
	}
	if _, err := tools.Wrap([]any{content.Text("a"), stream}); err == nil || err.Error() != "a stream can't be an item of a list; return the stream itself" || errors.As(err, new(*exchange.PublicError)) {
		t.Errorf("a stream in a list returns the error %v, which is a mistake of the program", err)
	}
}

func TestAValueWithoutJSONIsNotAResult(t *testing.T) {
	t.Parallel()
	if _, err := tools.Wrap([]any{func() {}}); err == nil {
		t.Error("a list of functions became a result")
	}
}
