package launcher_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/test/machinetest"
)

func TestMain(m *testing.M) { os.Exit(machinetest.Machine{}.Run(m)) }

// The scripts in cmd/mcp run apps for real; a test in this process can only see Run fail.

func appFolder(t *testing.T, source string) string {
	t.Helper()
	root := t.TempDir()
	writeFile(t, filepath.Join(root, "go.mod"), "module demo\n\ngo 1.26\n")
	writeFile(t, filepath.Join(root, "main.go"), source)
	return root
}

// appWithFramework returns the folder of an app whose framework is an empty package in its subfolder bowline.
func appWithFramework(t *testing.T, source string) string {
	t.Helper()
	root := appFolder(t, source)
	writeFile(t, filepath.Join(root, "go.mod"), "module demo\n\ngo 1.26\n\nrequire github.com/bowline-mcp/bowline v0.0.0\n\n"+
		"replace github.com/bowline-mcp/bowline => ./bowline\n")
	writeFile(t, filepath.Join(root, "bowline", "go.mod"), "module github.com/bowline-mcp/bowline\n\ngo 1.26\n")
	writeFile(t, filepath.Join(root, "bowline", "framework", "mcp", "mcp.go"), "package mcp\n")
	return root
}

// isFresh reports whether the app needs no build.
func isFresh(root string) bool {
	_, fresh := launcher.Built(root)
	return fresh
}

// writeFile writes a file and creates its folder if necessary.
func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestRunReportsErrorsOfTheCompiler(t *testing.T) {
	root := appFolder(t, "package main\n\nfunc main() { missing() }\n")
	var log bytes.Buffer
	_, err := launcher.Run(root, []string{"list"}, &log)
	if !errors.Is(err, launcher.ErrBuild) || !strings.Contains(log.String(), "main.go:3:15: undefined: missing") {
		t.Errorf("error is %v, want ErrBuild; log is:\n%s", err, &log)
	}
}
