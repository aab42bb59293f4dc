package naming_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/internal/naming"
)

func TestAURIHasASchemeAndNothingThatMustBeEncoded(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"docs://handbook": true, "file:///a%20b": true, "urn:isbn:1": true, "mailto:ada@example.com": true, "x:": true,
		"": false, "handbook": false, "/handbook": false, "not a uri": false, "docs://hand book": false, "file:///a b": false,
		"javascript:alert(1)\n": false, "x:\x00": false, "docs://<id>": false, "docs://{id}": false, "docs:///%zz": false, "1s:x": false,
	} {
		if got := naming.IsURI(text); got != want {
			t.Errorf("IsURI(%q) = %v, want %v", text, got, want)
		}
	}
}
