package content_test

import (
	"reflect"
	"testing"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// The protocol's ResourceContents have no name and title, so these are sent in _meta.
func TestTheNameAndTitleOfAResourceAreSentInMeta(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		resource content.Resource
		want     string
	}{
		"text":      {content.Resource{URI: "x:y", Text: "t", Name: "n", Title: "N"}, `{"uri":"x:y","text":"t","_meta":{"name":"n","title":"N"}}`},
		"blob":      {content.Resource{URI: "x:y", Blob: []byte("abc"), Name: "n"}, `{"uri":"x:y","blob":"YWJj","_meta":{"name":"n"}}`},
		"with meta": {content.Resource{URI: "x:y", Title: "N", Meta: map[string]any{"k": "v"}}, `{"uri":"x:y","text":"","_meta":{"k":"v","title":"N"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := codec.Marshal(test.resource)
			if err != nil || string(got) != test.want {
				t.Fatalf("got\n%s, %v\nwant\n%s", got, err, test.want)
			}
			var back content.Resource
			if err := codec.Unmarshal(got, &back); err != nil || !reflect.DeepEqual(back, test.resource) {
				t.Errorf("came back as\n%+v, %v\nwant\n%+v", back, err, test.resource)
			}
		})
	}
}

func TestMarshallingAResourceLeavesItsMetaAlone(t *testing.T) {
	t.Parallel()
	meta := map[string]any{"k": "v"}
	if _, err := codec.Marshal(content.Resource{URI: "x:y", Name: "n", Meta: meta}); err != nil {
		t.Fatal(err)
	}
	if len(meta) != 1 {
		t.Errorf("the caller's map became %v", meta)
	}
}

func TestANameInMetaThatIsNotAStringStaysInMeta(t *testing.T) {
	t.Parallel()
	var resource content.Resource
	if err := codec.Unmarshal([]byte(`{"uri":"x:y","text":"","_meta":{"name":7}}`), &resource); err != nil {
		t.Fatal(err)
	}
	if resource.Name != "" || resource.Meta["name"] != 7.0 {
		t.Errorf("got %+v", resource)
	}
}

func TestTheTypeOfAFileComesFromItsNameElseItsContents(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ file, data, want string }{
		"by name":  {"a.png", "no png", "image/png"},
		"by bytes": {"a", "%PDF-1.7", "application/pdf"},
		"as text":  {"a", "hello", "text/plain; charset=utf-8"},
	} {
		if got := content.TypeOf(test.file, []byte(test.data)); got != test.want {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
}

func TestTypesOfText(t *testing.T) {
	t.Parallel()
	for mimeType, want := range map[string]bool{
		"text/plain": true, "text/html; charset=utf-8": true, "application/json": true, "image/svg+xml": true,
		"application/ld+json": true, "image/png": false, "application/octet-stream": false, "": false,
	} {
		if got := content.IsText(mimeType); got != want {
			t.Errorf("IsText(%q) = %v, want %v", mimeType, got, want)
		}
	}
}
