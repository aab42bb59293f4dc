package launcher_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/launcher"
)

// The scripts in cmd/mcp run apps for real; a test in this process can only see Run fail.

func appFolder(t *testing.T, source string) string {
	t.Helper()
	// The go command keeps its own cache while ours moves into the test's folder.
	if cache, err := os.UserCacheDir(); err == nil && os.Getenv("GOCACHE") == "" {
		t.Setenv("GOCACHE", filepath.Join(cache, "go-build"))
	}
	home := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", home)
	t.Setenv("LocalAppData", home)
	root := t.TempDir()
	for name, content := range map[string]string{"go.mod": "module demo\n\ngo 1.26\n", "main.go": source} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestRunReportsErrorsOfTheCompiler(t *testing.T) {
	root := appFolder(t, "package main\n\nfunc main() { missing() }\n")
	var log bytes.Buffer
	_, err := launcher.Run(root, []string{"list"}, &log)
	if !errors.Is(err, launcher.ErrBuild) || !strings.Contains(log.String(), "main.go:3:15: undefined: missing") {
		t.Errorf("error is %v, want ErrBuild; log is:\n%s", err, &log)
	}
}
