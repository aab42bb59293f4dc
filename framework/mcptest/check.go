package mcptest

import (
	"reflect"
	"slices"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// Check fails the test for everything that is wrong with a server: what keeps it
// from being registered, tools without a description, and methods that are
// probably misspelt, which Go takes for methods of your own.
func Check(t testing.TB, server servers.Interface) {
	t.Helper()
	if err := mcp.Validate(server); err != nil {
		t.Errorf("the server can't be registered:\n%v", err)
		return
	}
	misspelt(t, server, reflect.TypeFor[servers.Interface](), reflect.TypeFor[*servers.Server]())
	for _, tool := range server.Tools() {
		if tool.Description() == "" {
			t.Errorf("%T has no description; models choose tools by it", tool)
		}
		misspelt(t, tool, reflect.TypeFor[tools.Interface](), reflect.TypeFor[tools.Tool]())
	}
	for _, resource := range server.Resources() {
		misspelt(t, resource, reflect.TypeFor[resources.Interface](), reflect.TypeFor[resources.Resource]())
	}
	for _, prompt := range server.Prompts() {
		misspelt(t, prompt, reflect.TypeFor[prompts.Interface](), reflect.TypeFor[prompts.Prompt]())
	}
}

// misspelt looks for methods whose names are nearly those of the framework's.
func misspelt(t testing.TB, v any, contract, base reflect.Type) {
	t.Helper()
	known := []string{"ShouldRegister", "Confirmation", "ReadOnlyHint", "DestructiveHint", "IdempotentHint", "OpenWorldHint"}
	for i := range contract.NumMethod() {
		known = append(known, contract.Method(i).Name)
	}
	for i := range base.NumMethod() {
		known = append(known, base.Method(i).Name)
	}
	of := reflect.TypeOf(v)
	for i := range of.NumMethod() {
		name := of.Method(i).Name
		if slices.Contains(known, name) {
			continue
		}
		if nearest := naming.Nearest(name, known); nearest != "" {
			t.Errorf("%T has a method %s; did you mean %s?", v, name, nearest)
		}
	}
}
