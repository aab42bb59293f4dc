package mcptest_test

import (
	"context"
	"testing"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

type fineTool struct {
	tools.Tool
	annotations.IsReadOnly
}

func (*fineTool) Title() string                  { return "Fine" }
func (*fineTool) Description() string            { return "Is fine." }
func (*fineTool) VisibleTo(context.Context) bool { return true }
func (*fineTool) OpenWorldHint() bool            { return false }
func (*fineTool) Load() error                    { return nil } // a method of its own

func (*fineTool) Handle(context.Context, *tools.Request) (tools.Result, error) {
	return tools.Text(""), nil
}

type misspeltTool struct{ fineTool }

func (*misspeltTool) Titel() string { return "" }

type muteTool struct{ fineTool }

func (*muteTool) Description() string { return "" }

func TestCheckFindsLikelyMistakes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		server servers.Interface
		want   string
	}{
		{"nothing", &boxServer{tools: []servers.Tool{&fineTool{}, &EchoTool{}}}, ""},
		{"a misspelt method", &boxServer{tools: []servers.Tool{&misspeltTool{}}}, "the server can't be registered:\n" +
			"the server boxServer: tool 1: misspelt-tool (*mcptest_test.misspeltTool): the method Titel is never called; did you mean Title() string? " +
			"If the method is your own, return \"Titel\" from OwnMethods() []string"},
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
