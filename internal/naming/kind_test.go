package naming_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/internal/naming"
)

// A thing has a name and a title, which are empty unless it overrides them.
type thing struct{ name, title string }

func (t thing) Name() string  { return t.name }
func (t thing) Title() string { return t.title }

type (
	EchoTool         struct{ thing }
	CodeReviewPrompt struct{ thing }
	HandbookResource struct{ thing }
	ShopServer       struct{ thing }
	Echo             struct{ thing }
	Tool             struct{ thing }
	ToolTool         struct{ thing }
	Retool           struct{ thing }
	ToolBox          struct{ thing }
	WeatherResource  struct{ thing }
	PromptTool       struct{ thing }
	HTTPStatusTool   struct{ thing }
	ListIDsTool      struct{ thing }
	GraphQLTool      struct{ thing }
	ATool            struct{ thing }
	V2Tool           struct{ thing }
	Tool2            struct{ thing }
	BoxTool[T any]   struct{ thing }
	echoTool         struct{ thing }
	ÜberTool         struct{ thing }
	天気Tool           struct{ thing }
)

func TestANameAndATitleLackTheKindOfTheType(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		kind        naming.Kind
		thing       naming.Thing
		name, title string
	}{
		{naming.Tool, &EchoTool{}, "echo", "Echo"},
		{naming.Prompt, &CodeReviewPrompt{}, "code-review", "Code Review"},
		{naming.Resource, &HandbookResource{}, "handbook", "Handbook"},
		{naming.Server, &ShopServer{}, "shop", "Shop"},
		{naming.Tool, Echo{}, "echo", "Echo"},

		// The kind is not the last word, or it is the only one.
		{naming.Tool, &Tool{}, "tool", "Tool"},
		{naming.Tool, &ToolTool{}, "tool", "Tool"},
		{naming.Tool, &Retool{}, "retool", "Retool"},
		{naming.Tool, &ToolBox{}, "tool-box", "Tool Box"},
		{naming.Tool, &Tool2{}, "tool2", "Tool2"},

		// The last word is another kind.
		{naming.Tool, &WeatherResource{}, "weather-resource", "Weather Resource"},
		{naming.Resource, &WeatherResource{}, "weather", "Weather"},
		{naming.Server, &EchoTool{}, "echo-tool", "Echo Tool"},
		{naming.Prompt, &PromptTool{}, "prompt-tool", "Prompt Tool"},
		{naming.Tool, &PromptTool{}, "prompt", "Prompt"},

		{naming.Tool, &HTTPStatusTool{}, "http-status", "HTTP Status"},
		{naming.Tool, &ListIDsTool{}, "list-ids", "List IDs"},
		{naming.Tool, &GraphQLTool{}, "graphql", "GraphQL"},
		{naming.Tool, &ATool{}, "a", "A"},
		{naming.Tool, &V2Tool{}, "v2", "V2"},
		{naming.Tool, &BoxTool[int]{}, "box", "Box"},
		{naming.Tool, &echoTool{}, "echo", "Echo"},

		// Names have only ASCII characters. If nothing is left of a name, the kind stays.
		{naming.Tool, &ÜberTool{}, "ber", "Über"},
		{naming.Tool, &天気Tool{}, "tool", "天気"},

		{naming.Tool, &EchoTool{thing{name: "echo-tool"}}, "echo-tool", "Echo Tool"},
		{naming.Tool, &EchoTool{thing{title: "Repeat"}}, "echo", "Repeat"},
		{naming.Tool, &EchoTool{thing{"say", "Repeat"}}, "say", "Repeat"},
	} {
		if got := test.kind.NameOf(test.thing); got != test.name {
			t.Errorf("the name of the %s %T is %q, want %q", test.kind, test.thing, got, test.name)
		}
		if got := test.kind.TitleOf(test.thing); got != test.title {
			t.Errorf("the title of the %s %T is %q, want %q", test.kind, test.thing, got, test.title)
		}
	}
}
