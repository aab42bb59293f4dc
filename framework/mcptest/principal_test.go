package mcptest_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/test/failuretest"
)

// filesServer has a tool that needs a scope, and one that some principals may not call.
type filesServer struct{ servers.Server }

func (*filesServer) Tools() []servers.Tool {
	says := func(_ context.Context, r *tools.Request) (tools.Result, error) {
		return tools.Text("by " + r.Principal().ID), nil
	}
	return []servers.Tool{
		tools.New(tools.Definition{Name: "write", Description: "Writes.", Guardrails: []guardrails.Guardrail{auth.Require("files:write", "mcp:use")}}, says),
		tools.New(tools.Definition{Name: "secret", Description: "Tells."}, func(context.Context, *tools.Request) (tools.Result, error) {
			return nil, exchange.ErrForbidden
		}),
		tools.New(tools.Definition{Name: "late", Description: "Needs a scope at the end."}, func(_ context.Context, r *tools.Request) (tools.Result, error) {
			return nil, errors.Join(r.Notify("acme/step", nil), &exchange.ScopeError{Needed: []string{"files:delete"}})
		}),
	}
}

func TestAClientActsAsAPrincipal(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2026-07-28", "2025-11-25"} {
		client := mcptest.New(t, &filesServer{}).Speaks(version)
		reader := exchange.Principal{ID: "ana", Scopes: []string{"mcp:use"}}
		writer := exchange.Principal{ID: "bo", Scopes: []string{"mcp:use", "files:write"}}
		client.Call("write", nil).AssertError("Unauthorized")
		client.As(reader).Call("write", nil).AssertForbidden("files:write", "mcp:use").AssertError("the token has mcp:use")
		client.As(writer).Call("write", nil).AssertOK().AssertSee("by bo")
		client.As(exchange.Principal{ID: "me", Local: true}).Call("write", nil).AssertOK().AssertSee("by me")
		client.As(writer).Call("secret", nil).AssertForbidden()
		client.As(writer).Call("late", nil).AssertNotified("acme/step").AssertForbidden("files:delete")
	}
}

func TestAssertForbiddenSaysWhatHappenedInstead(t *testing.T) {
	t.Parallel()
	reader := exchange.Principal{ID: "ana", Scopes: []string{"mcp:use"}}
	writer := exchange.Principal{ID: "bo", Scopes: []string{"mcp:use", "files:write"}}
	for what, test := range map[string]struct {
		act  func(*mcptest.Client)
		want string
	}{
		"a result":       {func(c *mcptest.Client) { c.As(writer).Call("write", nil).AssertForbidden("files:write") }, "the call is not forbidden; its answer is: by bo"},
		"other scopes":   {func(c *mcptest.Client) { c.As(reader).Call("write", nil).AssertForbidden("files:delete") }, `the call needs the scopes "files:write mcp:use", want "files:delete"`},
		"no scopes":      {func(c *mcptest.Client) { c.As(reader).Call("secret", nil).AssertForbidden("files:write") }, `the call needs the scopes "", want "files:write"`},
		"scopes":         {func(c *mcptest.Client) { c.As(reader).Call("write", nil).AssertForbidden() }, `the call needs the scopes "files:write mcp:use", want ""`},
		"an anonymous":   {func(c *mcptest.Client) { c.Call("write", nil).AssertForbidden("files:write") }, "it failed with the JSON-RPC error -32603: Unauthorized"},
		"an other error": {func(c *mcptest.Client) { c.As(writer).Call("wrote", nil).AssertForbidden("files:write") }, "it failed with the JSON-RPC error -32602: Unknown tool"},
	} {
		got := failuretest.Of(t, func(t testing.TB) { test.act(mcptest.New(t, &filesServer{})) })
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: the test fails with %q, want %q", what, got, test.want)
		}
	}
}
