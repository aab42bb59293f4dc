package mcptest_test

import (
	"context"
	"testing"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

type fineTool struct {
	tools.Tool
	annotations.IsReadOnly
}

func (*fineTool) Title() string                       { return "Fine" }
func (*fineTool) Description() string                 { return "Is fine." }
func (*fineTool) ShouldRegister(context.Context) bool { return true }
func (*fineTool) OpenWorldHint() bool                 { return false }
func (*fineTool) Load() error                         { return nil } // a method of its own

func (*fineTool) Handle(context.Context, *tools.Request) (tools.Result, error) {
	return tools.Text(""), nil
}

type misspeltTool struct{ fineTool }

func (*misspeltTool) Titel() string                       { return "" }
func (*misspeltTool) OutputShema() string                 { return "" }
func (*misspeltTool) ShouldRegistre(context.Context) bool { return false }
func (*misspeltTool) DestructivHint() bool                { return true }
func (*misspeltTool) Icon() []content.Icon                { return nil }

type muteTool struct{ fineTool }

func (*muteTool) Description() string { return "" }

type misspeltServer struct{ boxServer }

func (*misspeltServer) Instruction() string { return "" }
func (*misspeltServer) PageSise() int       { return 3 }

func TestCheckFindsWhatIsProbablyAMistake(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		server servers.Interface
		want   string
	}{
		{"nothing", &boxServer{tools: []servers.Tool{&fineTool{}, &EchoTool{}}}, ""},
		{"methods of a tool", &boxServer{tools: []servers.Tool{&misspeltTool{}}}, "" +
			"*mcptest_test.misspeltTool has a method DestructivHint; did you mean DestructiveHint?\n" +
			"*mcptest_test.misspeltTool has a method Icon; did you mean Icons?\n" +
			"*mcptest_test.misspeltTool has a method OutputShema; did you mean OutputSchema?\n" +
			"*mcptest_test.misspeltTool has a method ShouldRegistre; did you mean ShouldRegister?\n" +
			"*mcptest_test.misspeltTool has a method Titel; did you mean Title?"},
		{"methods of a server", &misspeltServer{}, "" +
			"*mcptest_test.misspeltServer has a method Instruction; did you mean Instructions?\n" +
			"*mcptest_test.misspeltServer has a method PageSise; did you mean PageSize?"},
		{"a tool without a description", &boxServer{tools: []servers.Tool{&muteTool{}}}, "*mcptest_test.muteTool has no description; models choose tools by it"},
		{"what can't be registered", &boxServer{tools: []servers.Tool{nil}}, "the server can't be registered:\nthe server boxServer: tool 1: it is nil; give a pointer to a tool, such as &tools.EchoTool{}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := failures(t, func(t testing.TB) { mcptest.Check(t, test.server) }); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}
