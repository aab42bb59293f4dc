package launcher_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/launcher"
)

const importsFramework = "package main\n\nimport _ \"github.com/bowline-mcp/bowline/framework/mcp\"\n\nfunc main() {}\n"

// readFile returns the content of a file.
func readFile(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// The go command names a missing package, or several ways out of a mismatch; this one is right for an app.
func TestAFolderVendorThatIsOutOfDateIsReportedWithItsFix(t *testing.T) {
	t.Parallel()
	const explicit = "## explicit; go 1.26\n"
	imports := func(t *testing.T, root, modules string) {
		writeFile(t, filepath.Join(modules, "..", "..", "bowline", "framework", "ask", "ask.go"), "package ask\n")
		writeFile(t, filepath.Join(root, "more.go"), "package main\n\nimport _ \"github.com/bowline-mcp/bowline/framework/ask\"\n")
	}
	for name, test := range map[string]struct {
		workspace string // the folder of the app in it, "" for none
		age       func(t *testing.T, root, modules string)
		message   string // of the go command
	}{
		"a package is missing":                  {age: imports, message: "import lookup disabled by -mod=vendor"},
		"a package is missing in the workspace": {workspace: "app", age: imports, message: "import lookup disabled by -mod=vendor"},
		"it doesn't fit go.mod": {
			age: func(t *testing.T, _, modules string) {
				writeFile(t, modules, strings.Replace(readFile(t, modules), explicit, "", 1))
			},
			message: "inconsistent vendoring",
		},
		"it doesn't fit the workspace": {
			workspace: "app",
			age: func(t *testing.T, _, modules string) {
				writeFile(t, modules, strings.ReplaceAll(readFile(t, modules), explicit, ""))
			},
			message: "inconsistent vendoring",
		},
		"it doesn't fit the workspace of the app itself": {
			workspace: ".",
			age: func(t *testing.T, _, modules string) {
				writeFile(t, modules, strings.ReplaceAll(readFile(t, modules), explicit, ""))
			},
			message: "inconsistent vendoring",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := appWithFramework(t, importsFramework)
			fix, folder := "go mod vendor", root
			if test.workspace != "" {
				writeFile(t, filepath.Join(root, "go.work"), "go 1.26\n\nuse ./"+test.workspace+"\n")
				fix = "go work vendor"
			}
			if test.workspace == "app" {
				app := filepath.Join(root, "app")
				for _, file := range []string{"go.mod", "main.go"} {
					writeFile(t, filepath.Join(app, file), strings.Replace(readFile(t, filepath.Join(root, file)), "./bowline", "../bowline", 1))
				}
				if err := os.Remove(filepath.Join(root, "go.mod")); err != nil {
					t.Fatal(err)
				}
				root = app
			}
			vendor := func() {
				t.Helper()
				words := strings.Fields(fix)
				command := exec.Command(words[0], words[1:]...)
				command.Dir = root
				if out, err := command.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", fix, err, out)
				}
			}
			vendor()
			if _, err := launcher.Program(t.Context(), root, io.Discard); err != nil {
				t.Fatalf("the folder vendor is new, and the app doesn't build: %v", err)
			}
			test.age(t, root, filepath.Join(folder, "vendor", "modules.txt"))
			var log bytes.Buffer
			_, err := launcher.Program(t.Context(), root, &log)
			want := "the app does not build, since the folder vendor lacks a package that the app imports, or doesn't fit go.mod; run: " + fix
			if err == nil || err.Error() != want || !errors.Is(err, launcher.ErrBuild) || !strings.Contains(log.String(), test.message) {
				t.Errorf("the error is %v, want %s; the log is\n%s", err, want, &log)
			}
			if err := launcher.Release(t.Context(), root, filepath.Join(t.TempDir(), "app"), io.Discard); err == nil || err.Error() != want {
				t.Errorf("the error of a release is %v, want %s", err, want)
			}
			vendor()
			if _, err := launcher.Program(t.Context(), root, io.Discard); err != nil {
				t.Errorf("after %s the app doesn't build: %v", fix, err)
			}
		})
	}
}

// The go command proposes go get with the version of the framework in go.mod, which is no release.
func TestAModuleThatThePackagesOfAnAppNeedIsReportedWithItsFix(t *testing.T) {
	t.Parallel()
	const want = "the app does not build, since go.mod or go.sum lacks a module that the app needs; run: go mod tidy"
	for name, change := range map[string]func(t *testing.T, root string){
		"a package of the framework needs it": func(t *testing.T, root string) {
			writeFile(t, filepath.Join(root, "bowline", "go.mod"), readFile(t, filepath.Join(root, "bowline", "go.mod"))+"\nrequire example.com/driver v1.0.0\n")
			writeFile(t, filepath.Join(root, "bowline", "framework", "database", "database.go"), "package database\n\nimport _ \"example.com/driver\"\n")
			writeFile(t, filepath.Join(root, "more.go"), "package main\n\nimport _ \"github.com/bowline-mcp/bowline/framework/database\"\n")
		},
		"the app imports it": func(t *testing.T, root string) {
			writeFile(t, filepath.Join(root, "more.go"), "package main\n\nimport _ \"example.com/driver\"\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := appWithFramework(t, importsFramework)
			change(t, root)
			var log bytes.Buffer
			if _, err := launcher.Program(t.Context(), root, &log); err == nil || err.Error() != want || !errors.Is(err, launcher.ErrBuild) {
				t.Errorf("the error is %v, want %s; the log is\n%s", err, want, &log)
			}
		})
	}
}

func TestAMistakeInAnAppWithAFolderVendorIsNotOneOfTheFolder(t *testing.T) {
	t.Parallel()
	root := appWithFramework(t, importsFramework)
	command := exec.Command("go", "mod", "vendor")
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("go mod vendor: %v\n%s", err, out)
	}
	writeFile(t, filepath.Join(root, "more.go"), "package main\n\nvar _ = missing\n")
	if _, err := launcher.Program(t.Context(), root, io.Discard); err == nil || err.Error() != "the app does not build: see the messages above" {
		t.Errorf("the error is %v", err)
	}
}
