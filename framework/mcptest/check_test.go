package mcptest_test

import (
	"context"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/test/failuretest"
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

// listTool has an array without items, which VS Code refuses.
type listTool struct{ fineTool }

func (*listTool) Schema(s *schema.Object) {
	s.RawProperty("ids", `{"type":"array"}`)
	s.Integer("level").Enum(1, 2)
}

// scopedTool is for clients whose token has a scope.
type scopedTool struct{ fineTool }

func (*scopedTool) Schema(s *schema.Object) { s.RawProperty("ids", `{"type":"array"}`) }

func (*scopedTool) Guardrails() []guardrails.Guardrail {
	return []guardrails.Guardrail{auth.Require("write")}
}

// tolerantServer ignores a rule that its tools break.
type tolerantServer struct{ boxServer }

func (*tolerantServer) IgnoredRules() []string { return []string{"array-without-items"} }

type misspelledRuleServer struct{ boxServer }

func (*misspelledRuleServer) IgnoredRules() []string { return []string{"array-without-item"} }

func TestCheckFindsLikelyMistakes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		server servers.Interface
		want   string
	}{
		{"nothing", &boxServer{tools: []servers.Tool{&fineTool{}, &EchoTool{}}}, ""},
		{"a misspelt method", &boxServer{tools: []servers.Tool{&misspeltTool{}}}, "the server can't be registered:\n" +
			"the server boxServer: tool 1: misspelt (*mcptest_test.misspeltTool): the method Titel is never called; did you mean Title() string? " +
			"If the method is your own, return \"Titel\" from OwnMethods() []string"},
		{"a tool that needs a scope", &boxServer{tools: []servers.Tool{&scopedTool{}}}, "scoped/inputSchema/properties/ids: an array has no items; " +
			"say what the items are, such as schema.Strings. It is refused by Gemini API (the whole list), VS Code (the tool) (rule array-without-items)"},
		{"a tool without a description", &boxServer{tools: []servers.Tool{&muteTool{}}}, "*mcptest_test.muteTool has no description; models choose tools by it"},
		{"tools that clients refuse", &boxServer{tools: []servers.Tool{&listTool{}}}, "list/inputSchema/properties/ids: an array has no items; " +
			"say what the items are, such as schema.Strings. It is refused by Gemini API (the whole list), VS Code (the tool) (rule array-without-items)\n" +
			"list/inputSchema/properties/level/enum: enum or const has a value that is not a string; use strings, or bounds and a description. " +
			"It is refused by Gemini API (the whole list) (rule enum-not-string)"},
		{"a rule that is ignored", &tolerantServer{boxServer{tools: []servers.Tool{&listTool{}}}}, "list/inputSchema/properties/level/enum: enum or const has a value that is not a string; " +
			"use strings, or bounds and a description. It is refused by Gemini API (the whole list) (rule enum-not-string)"},
		{"a rule that doesn't exist", &misspelledRuleServer{}, "the server can't be registered:\n" +
			"the server misspelledRuleServer: IgnoredRules: there is no rule \"array-without-item\"; did you mean \"array-without-items\"?"},
		{"what can't be registered", &boxServer{tools: []servers.Tool{nil}}, "the server can't be registered:\nthe server boxServer: tool 1: it is nil; give a pointer to a tool, such as &tools.EchoTool{}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := failuretest.Of(t, func(t testing.TB) { mcptest.Check(t, test.server) }); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// A server that serves is sound, and stays open.
func TestCheckLeavesAServerThatServesAlone(t *testing.T) {
	t.Parallel()
	server := &boxServer{tools: []servers.Tool{&fineTool{}}}
	client := mcptest.New(t, server)
	if got := failuretest.Of(t, func(t testing.TB) { mcptest.Check(t, server) }); got != "" {
		t.Errorf("got\n%s", got)
	}
	client.Tool(&fineTool{}, nil).AssertOK()
	other := &boxServer{tools: []servers.Tool{&fineTool{}}}
	mcptest.Check(t, other)
	if err := mcp.Validate(other); err != nil {
		t.Errorf("the server isn't released: %v", err)
	}
	mcptest.New(t, other).Tool(&fineTool{}, nil).AssertOK()
}

// The guard by which a test names principals refuses nobody.
func TestAServerMayHaveAPublicCacheHint(t *testing.T) {
	t.Parallel()
	shared := func() servers.Interface {
		return servers.New(servers.Definition{Name: "shared", CacheHint: &exchange.CacheHint{TTL: time.Hour, Public: true}, Tools: []servers.Tool{tools.New(
			tools.Definition{Name: "fine", Description: "Is fine."}, (&fineTool{}).Handle)}})
	}
	mcptest.Check(t, shared())
	mcptest.New(t, shared()).Call("fine", nil).AssertOK()
}
