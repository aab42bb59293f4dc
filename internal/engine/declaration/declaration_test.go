package declaration_test

import (
	"slices"
	"testing"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/internal/engine/declaration"
)

func TestAnArgumentSuggestsItsEnumElseWhatItsSourceDoes(t *testing.T) {
	t.Parallel()
	source := completion.Values("from a source")
	for _, test := range []struct {
		argument declaration.Argument
		want     []string // nil for no suggestions
	}{
		{declaration.Argument{}, nil},
		{declaration.Argument{Source: source, Completed: true}, []string{"from a source"}},
		{declaration.Argument{Enum: []string{"a", "b"}, Enumerated: true}, []string{"a", "b"}},
		{declaration.Argument{Enum: []string{"a"}, Enumerated: true, Source: source}, []string{"a"}},
		{declaration.Argument{Enum: []string{"a"}}, nil}, // Enum was not called
	} {
		suggests := test.argument.Completion()
		if test.want == nil {
			if suggests != nil {
				t.Errorf("%+v suggests something", test.argument)
			}
			continue
		}
		got, err := suggests.Complete(t.Context(), &completion.Request{})
		if err != nil || !slices.Equal(got.Values, test.want) {
			t.Errorf("%+v: got %q, %v, want %q", test.argument, got.Values, err, test.want)
		}
	}
}

func TestContentsWithoutAnOriginHaveNone(t *testing.T) {
	t.Parallel()
	origins := declaration.Origins{{MIMEType: "text/plain"}, {File: true}}
	for i, want := range []declaration.Origin{{MIMEType: "text/plain"}, {File: true}, {}} {
		if got := declaration.OriginOf(origins, i); got != want {
			t.Errorf("contents %d: got %+v, want %+v", i, got, want)
		}
	}
}
