package mcp_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// ForecastTool overrides all methods of a tool.
type ForecastTool struct {
	tools.Tool
	annotations.IsReadOnly
	annotations.IsIdempotent
}

func (*ForecastTool) Title() string       { return "Weather <Forecast>" }
func (*ForecastTool) Description() string { return "\n\tTells the weather & more.\n" }

func (*ForecastTool) Icons() []content.Icon {
	return []content.Icon{{Src: "https://example.com/i.png", MIMEType: "image/png", Sizes: []string{"48x48", "any"}, Theme: "dark"}, {Src: "data:image/png;base64,AA=="}}
}

func (*ForecastTool) Meta() map[string]any {
	return map[string]any{"example.com/b": 1, "example.com/a": []string{"x"}}
}
func (*ForecastTool) DestructiveHint() bool { return false }

func (*ForecastTool) Schema(s *schema.Object) {
	s.String("city").Description("Where.").MinLength(2).Required()
	s.Integer("days").Min(1).Max(10).Default(3)
}

func (*ForecastTool) OutputSchema(s *schema.Object) {
	s.Number("degrees").Required()
}

func (*ForecastTool) Handle(context.Context, *tools.Request) (tools.Result, error) {
	return tools.Structured(map[string]int{"degrees": 20}), nil
}

// BareTool has only the required methods.
type BareTool struct{ plain }

const (
	forecast = `{"name":"forecast","title":"Weather <Forecast>","description":"Tells the weather & more.",` +
		`"icons":[{"src":"https://example.com/i.png","mimeType":"image/png","sizes":["48x48","any"],"theme":"dark"},{"src":"data:image/png;base64,AA=="}],` +
		`"inputSchema":` + forecastInput + `,"outputSchema":` + forecastOutput + `,` +
		`"annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true},"_meta":{"example.com/a":["x"],"example.com/b":1}}`
	forecastInput = `{"type":"object","properties":{"city":{"type":"string","description":"Where.","minLength":2},` +
		`"days":{"type":"integer","minimum":1,"maximum":10,"default":3}},"required":["city"],"additionalProperties":false}`
	forecastOutput = `{"type":"object","properties":{"degrees":{"type":"number"}},"required":["degrees"],"additionalProperties":false}`
	bareInput      = `{"type":"object","properties":{},"additionalProperties":false}`
)

// The whole list, byte by byte, in the form of each version.
func TestTheListOfToolsHasItsWireForm(t *testing.T) {
	t.Parallel()
	modern := probeServer(t, mcp.Config{}, boxOf(&ForecastTool{}, &BareTool{}))
	for version, want := range map[string]string{
		"2026-07-28": `{"resultType":"complete","tools":[` + forecast + `,{"name":"bare","title":"Bare","description":"A tool.","inputSchema":` + bareInput + `}],` +
			`"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"toolbox","title":"Toolbox","version":"0.0.0"}}}`,
		"2025-11-25": `{"tools":[` + forecast + `,{"name":"bare","title":"Bare","description":"A tool.","inputSchema":` + bareInput + `}]}`,
		"2025-06-18": `{"tools":[{"name":"forecast","title":"Weather <Forecast>","description":"Tells the weather & more.",` +
			`"inputSchema":` + forecastInput + `,"outputSchema":` + forecastOutput + `,` +
			`"annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true},"_meta":{"example.com/a":["x"],"example.com/b":1}},` +
			`{"name":"bare","title":"Bare","description":"A tool.","inputSchema":` + bareInput + `}]}`,
		"2025-03-26": `{"tools":[{"name":"forecast","description":"Tells the weather & more.","inputSchema":` + forecastInput + `,` +
			`"annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"title":"Weather <Forecast>"}},` +
			`{"name":"bare","description":"A tool.","inputSchema":` + bareInput + `,"annotations":{"title":"Bare"}}]}`,
		"2024-11-05": `{"tools":[{"name":"forecast","description":"Tells the weather & more.","inputSchema":` + forecastInput + `},` +
			`{"name":"bare","description":"A tool.","inputSchema":` + bareInput + `}]}`,
	} {
		t.Run(version, func(t *testing.T) {
			p, _ := modern.as(version)
			if got := p.ask("tools/list", nil).result; got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// Clients prefer the title to the one in the annotations. In versions that have a title
// only in the annotations, the tool's title is there.
func TestATitleWinsOverTheTitleOfTheAnnotations(t *testing.T) {
	t.Parallel()
	handle := func(context.Context, *tools.Request) (tools.Result, error) { return tools.Text(""), nil }
	modern := probeServer(t, mcp.Config{}, boxOf(
		tools.New(tools.Definition{Name: "both", Title: "Title", Description: "A tool.", Annotations: annotations.Hints{Title: "Hint"}}, handle),
		tools.New(tools.Definition{Name: "hint", Description: "A tool.", Annotations: annotations.Hints{Title: "Hint"}}, handle),
	))
	type titles struct{ Title, Hint string }
	for version, want := range map[string][]titles{
		"2026-07-28": {{"Title", "Hint"}, {"", "Hint"}}, "2025-06-18": {{"Title", "Hint"}, {"", "Hint"}},
		"2025-03-26": {{"", "Title"}, {"", "Hint"}}, "2024-11-05": {{"", ""}, {"", ""}},
	} {
		p, _ := modern.as(version)
		definitions, _ := p.ask("tools/list", nil).listed()
		var got []titles
		for _, tool := range definitions {
			got = append(got, titles{tool.Title, tool.Annotations.Title})
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", version, got, want)
		}
	}
}

// SearchTool is the definition that the guide of the PHP SDK shows (seed S1-03).
type SearchTool struct{ plain }

func (*SearchTool) Name() string        { return "search_pages" }
func (*SearchTool) Title() string       { return "Search" }
func (*SearchTool) Description() string { return "Search for pages in Notion workspace" }

func (*SearchTool) Schema(s *schema.Object) {
	s.String("query").Description("Search query").Required()
	s.Integer("limit").Description("Maximum number of results").Default(10)
	s.Open()
}

func TestDefinitionsOfTheSeedsAreListedUnchanged(t *testing.T) {
	t.Parallel()
	handle := func(context.Context, *tools.Request) (tools.Result, error) { return tools.Text(""), nil }
	for name, test := range map[string]struct {
		tool servers.Tool
		want string
	}{
		"a type": {&SearchTool{}, `{"name":"search_pages","title":"Search","description":"Search for pages in Notion workspace","inputSchema":{"type":"object","properties":{` +
			`"query":{"type":"string","description":"Search query"},"limit":{"type":"integer","description":"Maximum number of results","default":10}},"required":["query"]}}`},
		"data, with five annotations": {
			tools.New(tools.Definition{
				Name: "calculate", Description: "Performs basic arithmetic",
				InputSchema: json.RawMessage(`{
					"type": "object",
					"properties": {"operation": {"type": "string", "enum": ["add", "subtract"]}, "a": {"type": "number"}},
					"required": ["operation", "a"]
				}`),
				Annotations: annotations.Hints{Title: "Calculator", ReadOnly: new(true), Destructive: new(false), Idempotent: new(true), OpenWorld: new(false)},
			}, handle),
			`{"name":"calculate","description":"Performs basic arithmetic","inputSchema":{"type":"object","properties":{` +
				`"operation":{"type":"string","enum":["add","subtract"]},"a":{"type":"number"}},"required":["operation","a"]},` +
				`"annotations":{"title":"Calculator","readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var list struct {
				Tools []codec.Value `json:"tools"`
			}
			probeServer(t, mcp.Config{}, boxOf(test.tool)).ask("tools/list", nil).decode(&list)
			if len(list.Tools) != 1 || string(list.Tools[0]) != test.want {
				t.Errorf("got\n%s\nwant\n%s", list.Tools, test.want)
			}
		})
	}
}
