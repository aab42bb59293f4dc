package scaffold_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

// tree writes files into a new folder and returns it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestFindAppReadsTheModulePath(t *testing.T) {
	t.Parallel()
	for mod, want := range map[string]string{
		"module demo\n": "demo",
		"module example.com/demo // Deprecated: gone\n":      "example.com/demo",
		"// module wrong\n\n\tmodule  demo\t\r\ngo 1.26\r\n": "demo",
		"module \"example.com/demo\"\n":                      "example.com/demo",
		"module`demo`\n":                                     "demo",
		"go 1.26\nmodule demo":                               "demo",
		"modulex demo\nmodule demo\n":                        "demo",
	} {
		root := tree(t, map[string]string{"go.mod": mod, "main.go": "package main\n"})
		app, err := scaffold.FindApp(root)
		if err != nil {
			t.Errorf("%q: %v", mod, err)
			continue
		}
		if app.Module != want || app.Root != root {
			t.Errorf("%q: app is %+v, want module %q in %s", mod, *app, want, root)
		}
	}
}

func TestFindAppExplainsABrokenModuleLine(t *testing.T) {
	t.Parallel()
	for mod, want := range map[string]string{
		"go 1.26\n":           "has no module line",
		"":                    "has no module line",
		"module\n":            "has no module line",
		"module \n":           "has no module line",
		"module a b\n":        "go.mod:1: expected module PATH",
		"\nmodule \"demo\n":   "go.mod:2: the module path is not quoted correctly",
		"module (\n\tdemo\n)": "go.mod:1: expected module PATH",
	} {
		root := tree(t, map[string]string{"go.mod": mod, "main.go": "package main\n"})
		if app, err := scaffold.FindApp(root); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: app %v, error %v, want an error with %q", mod, app, err, want)
		}
	}
}

func TestFindAppTakesTheNearestModuleWithAProgram(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{
		"go.mod":                  "module demo\n",
		"main.go":                 "package main\n",
		"main_test.go":            "package main\n",
		"app/mcp/tools/tool.go":   "package tools\n",
		"peers/go.mod":            "module peers\n",
		"peers/peers.go":          "package peers\n",
		"nested/go.mod":           "module nested\n",
		"nested/main.go":          "package main\nimport \"unfinished",
		"nested/deep/.keep":       "",
		"library/go.mod":          "module library\n",
		"library/generate.go":     "//go:build ignore\n\npackage main\n",
		"library/library.go":      "package library\n",
		"mixed/go.mod":            "module mixed\n",
		"mixed/library.go":        "package mixed\n",
		"mixed/main.go":           "package main\n",
		"peers/bench/compare.txt": "",
	})
	for folder, want := range map[string]string{
		".": "demo", "app/mcp/tools": "demo", "peers/bench": "demo", "library": "demo",
		"nested": "nested", "nested/deep": "nested", "mixed": "mixed",
	} {
		app, err := scaffold.FindApp(filepath.Join(root, folder))
		if err != nil {
			t.Errorf("%s: %v", folder, err)
		} else if app.Module != want {
			t.Errorf("%s belongs to %s, want %s", folder, app.Module, want)
		}
	}
}

func TestFindAppSaysWhatAnAppIs(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"go.mod": "module library\n", "library.go": "package library\n"})
	_, err := scaffold.FindApp(root)
	if !errors.Is(err, scaffold.ErrNoApp) || !strings.Contains(err.Error(), root) || !strings.Contains(err.Error(), "--dir") {
		t.Errorf("error is %v, want ErrNoApp with the folder and --dir", err)
	}
	for _, folder := range []string{filepath.Join(root, "missing"), filepath.Join(root, "go.mod")} {
		if _, err := scaffold.FindApp(folder); err == nil || !strings.Contains(err.Error(), folder) {
			t.Errorf("%s: error is %v, want one that names the folder", folder, err)
		}
	}
}
