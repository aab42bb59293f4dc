package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/test/machinetest"
)

func TestMain(m *testing.M) { os.Exit(machinetest.Machine{}.Run(m)) }

// The time that an app has to serve is too long for a script.
func TestTheInspectorReportsAnAppThatNeverServes(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, content := range map[string]string{"go.mod": "module demo\n\ngo 1.26\n", "main.go": "package main\n\nfunc main() { missing() }\n"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	log := &bytes.Buffer{} // dev.Serve has ended before it is read
	server, err := newInspectorServer(root, "/mcp/demo", launcher.Listing{Address: "127.0.0.1:0"}, log)
	if err != nil {
		t.Fatal(err)
	}
	server.limit = 200 * time.Millisecond
	_, err = server.serve(t.Context())
	if err == nil || !strings.HasSuffix(err.Error(), " after 200ms; its messages are above, and config/app.go must take APP_ADDR") || strings.Contains(err.Error(), "\n") {
		t.Errorf("the error is %v", err)
	}
}
