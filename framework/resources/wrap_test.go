package resources_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/resources"
)

type object = map[string]any

func TestWrapAcceptsEveryFormOfContents(t *testing.T) {
	t.Parallel()
	page := filepath.Join(t.TempDir(), "a.html")
	if err := os.WriteFile(page, []byte("<p>"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(page)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		value any
		want  string
	}{
		"a result":               {resources.Text("a"), text("text/plain", `"a"`)},
		"a string":               {`{"a":1}`, text("application/json", `"{\"a\":1}"`)},
		"bytes":                  {[]byte{1}, blob("application/octet-stream", "AQ==")},
		"a map":                  {object{"a": 1}, text("application/json", `"{\n  \"a\": 1\n}"`)},
		"a struct":               {struct{ A int }{1}, text("application/json", `"{\n  \"A\": 1\n}"`)},
		"a list":                 {[]int{1}, text("application/json", `"[\n  1\n]"`)},
		"an empty list":          {[]any{}, text("application/json", `"[]"`)},
		"a number":               {7, text("application/json", `"7"`)},
		"a reader":               {strings.NewReader("abc"), blob("application/octet-stream", "YWJj")},
		"a buffer":               {bytes.NewBufferString("abc"), blob("application/octet-stream", "YWJj")},
		"a file":                 {file, text("text/html", `"<p>"`)},
		"contents":               {content.Resource{Text: "a"}, text("text/plain", `"a"`)},
		"a list of contents":     {[]content.Resource{{Text: "a"}, {URI: "x:z", Text: "b"}}, text("text/plain", `"a"`) + `,{"uri":"x:z","mimeType":"text/plain","text":"b"}`},
		"an embedded resource":   {content.EmbedText("x:z", "a/b", "t"), `{"uri":"x:z","mimeType":"a/b","text":"t"}`},
		"a map with a text":      {object{"text": "a", "mimeType": "a/b"}, text("a/b", `"a"`)},
		"a map with a blob":      {object{"blob": "AQ=="}, blob("application/octet-stream", "AQ==")},
		"a map with bytes":       {object{"blob": []byte{1}, "mimeType": "a/b"}, blob("a/b", "AQ==")},
		"a map with no bytes":    {object{"blob": []byte(nil)}, blob("application/octet-stream", "")},
		"a map with both":        {object{"blob": "AQ==", "text": "a"}, blob("application/octet-stream", "AQ==")},
		"a map of strings":       {map[string]string{"text": "a", "uri": "x:z"}, `{"uri":"x:z","mimeType":"text/plain","text":"a"}`},
		"a map with all":         {object{"text": "a", "name": "n", "title": "N", "_meta": object{"k": 1}}, `{"uri":"x:y","mimeType":"text/plain","text":"a","_meta":{"k":1,"name":"n","title":"N"}}`},
		"a map with another key": {object{"text": "a", "lang": "en"}, text("application/json", `"{\n  \"lang\": \"en\",\n  \"text\": \"a\"\n}"`)},
		"a mixed list": {[]any{object{"text": "a"}, content.EmbedBytes("x:z", "", []byte{1}), "b", object{"n": 1}},
			text("text/plain", `"a"`) + `,{"uri":"x:z","mimeType":"application/octet-stream","blob":"AQ=="},` + text("text/plain", `"b"`) + "," + text("application/json", `"{\n  \"n\": 1\n}"`)},
		"a list of maps": {[]object{{"text": "a"}, {"blob": "AQ=="}}, text("text/plain", `"a"`) + "," + blob("application/octet-stream", "AQ==")},
	} {
		t.Run(name, func(t *testing.T) {
			result, err := resources.Wrap(test.value)
			if err != nil {
				t.Fatal(err)
			}
			if got := wire(t, resources.Definition{}, result); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
	if _, err := file.Stat(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("the file was left open: %v", err)
	}
}

func TestWrapRefusesOtherValues(t *testing.T) {
	t.Parallel()
	var none *resources.ReadResult
	var nothing *struct{}
	whole := resources.Text("a")
	whole.Meta = object{"k": 1}
	for name, test := range map[string]struct {
		value any
		want  string
	}{
		"nil":                        {nil, "neither contents nor an error"},
		"a nil result":               {none, "neither contents nor an error"},
		"a nil pointer":              {nothing, "neither contents nor an error"},
		"nil in a list":              {[]any{content.Resource{}, nil}, "item 2: Handle returned neither"},
		"a function":                 {func() {}, "func()"},
		"a block of text":            {content.Text("a"), `a block of type "text" has no resource`},
		"a text that is none":        {object{"text": 7}, `the "text" of contents must be a string, not int`},
		"a blob that is none":        {object{"blob": 7}, `the "blob" of contents must be a string in base64 or bytes, not int`},
		"a blob that is not base64":  {object{"blob": "a b"}, `the "blob" of contents: base64`},
		"metadata that is none":      {object{"text": "a", "_meta": 7}, `the "_meta" of contents must be a map`},
		"a result with meta, listed": {[]any{whole}, "item 1: a result with metadata can't be one of several"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := resources.Wrap(test.value); err == nil || got != nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, %v; want …%s…", got, err, test.want)
			}
		})
	}
}
