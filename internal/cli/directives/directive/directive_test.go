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

func TestTheValueOfAMetaOptionIsJSONOrText(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		`text`: `"text"`, `"text"`: `"text"`, `3`: `3`, `-0.5e3`: `-0.5e3`, `true`: `true`, `null`: `nil`, `[]`: `[]any{}`, `{}`: `map[string]any{}`,
		`[1, "a", {"b": false}]`: `[]any{1, "a", map[string]any{"b": false}}`,
		`9007199254740993`:       `9007199254740993`,
		`9223372036854775808`:    `9223372036854775808.0`,
		`1e400`:                  `"1e400"`,
		`{"a": 1, "a": 2}`:       `"{\"a\": 1, \"a\": 2}"`,
		`[1`:                     `"[1"`,
		`1 2`:                    `"1 2"`,
	} {
		if got := directive.MetaLiteral(directive.Option{Value: value}); got != want {
			t.Errorf("%s is %s, want %s", value, got, want)
		}
	}
}
