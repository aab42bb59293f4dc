package directive_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/directives/directive"
)

func TestTheFieldsOfARecordAreNoDirective(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"//mcp:crud title:string": false, "//mcp:crud": false, "//mcp:crude": true, "//mcp:tool": true, "// mcp:tool": true, "// mcp: text": false,
	} {
		if got := directive.Is(text); got != want {
			t.Errorf("%s is a directive: %t, want %t", text, got, want)
		}
	}
}
