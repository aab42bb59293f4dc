package interop_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestTheInspectorCallsAGeneratedTool makes an app and a tool, and has the Inspector call the
// tool through the entry that mcp install wrote for another client. The script hour.txtar of
// cmd/mcp has the steps without a client.
func TestTheInspectorCallsAGeneratedTool(t *testing.T) {
	t.Parallel()
	requireNode(t, "@modelcontextprotocol/inspector")
	i := newInstallation(t)
	path := os.Getenv("PATH")
	i.run(t, path, "new", "shop", "--framework", i.app)
	app := filepath.Join(i.home, "shop")
	i.run(t, path, "make:tool", "Weather", "--dir", app)
	i.run(t, path, "install", "shop", "--client", "cursor", "--dir", app)
	var result inspectedResult
	ran := runInspector(t, i.home, "--config", filepath.Join(i.home, ".cursor", "mcp.json"), "--server", "shop",
		"--method", "tools/call", "--tool-name", "weather", "--tool-args-json", `{"input":"Oslo"}`)
	ran.decode(t, &result)
	if ran.code != 0 || len(result.Content) != 1 || result.Content[0].Text != "Oslo" {
		t.Errorf("the Inspector ends with %d and %+v\n%s", ran.code, result, &ran.stderr)
	}
}
