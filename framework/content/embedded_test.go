package content_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/content"
)

func TestALinkIsNamedAfterItsURI(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ uri, name, want string }{
		{"file:///notes/today.md", "Today", "Today"},
		{"file:///notes/today.md", "", "today.md"},
		{"https://example.com/", "", "example.com"},
		{"https://example.com/a/b/", "", "b"},
		{"urn:isbn:123", "", "urn:isbn:123"},
	} {
		if got := content.Link(test.uri, test.name); got.Type != content.TypeResourceLink || got.URI != test.uri || got.Name != test.want {
			t.Errorf("Link(%q, %q) = %+v, want the name %q", test.uri, test.name, got, test.want)
		}
	}
}

func TestAFileIsEmbeddedAsTextIfItIsText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ file, data, text, blob string }{
		{"notes.txt", "héllo", "héllo", ""},
		{"data.json", `{"a":1}`, `{"a":1}`, ""},
		{"empty.txt", "", "", ""},
		{"latin1.txt", "h\xe9llo", "", "h\xe9llo"},
		{"dot.png", png, "", png},
		{"unnamed", "just words", "just words", ""},
	} {
		t.Run(test.file, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), test.file)
			if err := os.WriteFile(path, []byte(test.data), 0o600); err != nil {
				t.Fatal(err)
			}
			block, err := content.EmbedFile("file:///"+test.file, path)
			if err != nil {
				t.Fatal(err)
			}
			resource := block.Resource
			if block.Type != content.TypeResource || resource.URI != "file:///"+test.file || resource.MIMEType == "" {
				t.Errorf("got %+v of %+v", block, resource)
			}
			if resource.Text != test.text || string(resource.Blob) != test.blob || (resource.Blob != nil) != (test.blob != "") {
				t.Errorf("got text %q and blob %q, want %q and %q", resource.Text, resource.Blob, test.text, test.blob)
			}
		})
	}
}

func TestBytesAreEmbeddedAsABlobEvenIfThereAreNone(t *testing.T) {
	t.Parallel()
	if block := content.EmbedBytes("x:y", "image/png", nil); block.Resource.Blob == nil {
		t.Error("no bytes became a text")
	}
	block, err := content.EmbedReader("x:y", "text/plain", strings.NewReader("abc"))
	if err != nil || string(block.Resource.Blob) != "abc" {
		t.Errorf("a reader became %+v, %v", block.Resource, err)
	}
	block, err = content.EmbedBase64("x:y", "text/plain", "YWJj")
	if err != nil || string(block.Resource.Blob) != "abc" {
		t.Errorf("base64 became %+v, %v", block.Resource, err)
	}
}
