package mcptest

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
)

// Check fails the test for everything that is wrong with a server: what keeps it from
// being registered, and tools without a description.
func Check(t testing.TB, server servers.Interface) {
	t.Helper()
	if err := mcp.Validate(server); err != nil {
		t.Errorf("the server can't be registered:\n%v", err)
		return
	}
	for _, tool := range server.Tools() {
		if tool.Description() == "" {
			t.Errorf("%T has no description; models choose tools by it", tool)
		}
	}
}
