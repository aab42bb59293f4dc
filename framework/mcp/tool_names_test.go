package mcp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// plain is the common part of the tools of this file.
type plain struct{ tools.Tool }

func (plain) Description() string { return "A tool." }

func (plain) Handle(context.Context, *tools.Request) (tools.Result, error) {
	return tools.Text("ok"), nil
}

type (
	MyExampleTool    struct{ plain }
	HTTPStatusTool   struct{ plain }
	ListUserIDsTool  struct{ plain }
	GitHubIssueTool  struct{ plain }
	MD5SumTool       struct{ plain }
	Echo             struct{ plain }
	EchoTool         struct{ plain }
	WeatherResource  struct{ plain }
	BoxTool[T any]   struct{ plain }
	TitledTool       struct{ plain }
	PinnedTool       struct{ plain }
	PinnedTitledTool struct{ plain }
)

func (*TitledTool) Title() string       { return "Something Else" }
func (*PinnedTool) Name() string        { return "search_pages.v2" }
func (*PinnedTitledTool) Name() string  { return "X" }
func (*PinnedTitledTool) Title() string { return "Y" }

func TestToolsAreNamedAfterTheirTypes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		tool        servers.Tool
		name, title string
	}{
		{&MyExampleTool{}, "my-example", "My Example"},
		{&HTTPStatusTool{}, "http-status", "HTTP Status"},
		{&ListUserIDsTool{}, "list-user-ids", "List User IDs"},
		{&GitHubIssueTool{}, "github-issue", "GitHub Issue"},
		{&MD5SumTool{}, "md5-sum", "MD5 Sum"},
		{&Echo{}, "echo", "Echo"},
		{Echo{}, "echo", "Echo"},
		{&EchoTool{}, "echo", "Echo"},
		{&WeatherResource{}, "weather-resource", "Weather Resource"},
		{&BoxTool[int]{}, "box", "Box"},
		{&TitledTool{}, "titled", "Something Else"},
		{&PinnedTool{}, "search_pages.v2", "Search Pages V2"},
		{&PinnedTitledTool{}, "X", "Y"},
		{saying("from-data", ""), "from-data", ""},
		{tools.Func("from-func", "A tool.", func(context.Context, struct{}) (string, error) { return "", nil }), "from-func", ""},
	} {
		p := probeServer(t, mcp.Config{}, boxOf(test.tool))
		definitions, _ := p.ask("tools/list", nil).listed()
		if len(definitions) != 1 || definitions[0].Name != test.name || definitions[0].Title != test.title {
			t.Errorf("%T is %+v, want the name %q and the title %q", test.tool, definitions, test.name, test.title)
		}
		if r := p.call(test.name, nil); r.err != nil {
			t.Errorf("%s can't be called: %+v", test.name, r.err)
		}
	}
}

func TestLongNamesAreAWarningAndLongerNamesRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		warned bool
		want   string // the error
	}{
		{strings.Repeat("a", 64), false, ""},
		{strings.Repeat("a", 65), true, ""},
		{strings.Repeat("a", 128), true, ""},
		{strings.Repeat("a", 129), false, "it must be 1 to 128 letters, digits, underscores, dots and dashes; define Name to choose another"},
		{"Az09_.-", false, ""},
		{"with space", false, `its name is "with space"; it must be`},
		{"släsh", false, `its name is "släsh"; it must be`},
		{"a/b", false, `its name is "a/b"; it must be`},
		{"a\n", false, `its name is "a\n"; it must be`},
		{"", false, "it has no name; define Name, or give its type one"},
	} {
		var log logbook
		app := mcp.New(mcp.Config{Logger: log.logger()})
		server := boxOf(saying(test.name, ""))
		for i := range 3 {
			app.Router.Web(fmt.Sprint("/", i), server)
		}
		err := app.Validate()
		if (test.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: got the error %v, want %q", test.name, err, test.want)
		}
		warnings := strings.Count(log.String(), "rule=tool-name-over-64 ")
		if want := map[bool]int{true: 1}[test.warned]; warnings != want {
			t.Errorf("%q: got %d warnings, want %d:\n%s", test.name, warnings, want, log.String())
		}
	}
}

func TestAToolWithoutADescriptionIsAWarning(t *testing.T) {
	t.Parallel()
	var log logbook
	handle := func(context.Context, *tools.Request) (tools.Result, error) { return tools.Text(""), nil }
	probeServer(t, mcp.Config{Logger: log.logger()}, boxOf(tools.New(tools.Definition{Name: "mute", Description: " \n"}, handle)))
	if !strings.Contains(log.String(), "a tool has no description; models choose tools by it") || !strings.Contains(log.String(), "tool=mute") {
		t.Errorf("the log is\n%s", log.String())
	}
}

// hinted sets one hint with a marker, and one with a method.
type hinted struct {
	plain
	annotations.IsReadOnly
}

func (*hinted) OpenWorldHint() bool { return false }

func TestAToolHasTheHintsOfItsType(t *testing.T) {
	t.Parallel()
	p := probeServer(t, mcp.Config{}, boxOf(&hinted{}))
	if r := p.ask("tools/list", nil); !strings.Contains(r.result, `"annotations":{"readOnlyHint":true,"openWorldHint":false}`) {
		t.Errorf("got %s", r.result)
	}
}
