package main

import (
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	flag.Bool("update", false, "write the golden files anew")
	testscript.Main(m, map[string]func(){"mcp": main})
}

// TestScripts runs testdata/script/*.txtar, each in a folder with a home and a build
// cache of its own, and without a network. With -update it writes the actual output into the
// golden files.
func TestScripts(t *testing.T) {
	t.Parallel()
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if !testing.Short() {
		fetchModules(t, module)
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: flag.Lookup("update").Value.String() == "true",
		Setup: func(env *testscript.Env) error {
			bin, _, _ := strings.Cut(env.Getenv("PATH"), string(os.PathListSeparator))
			for name, value := range map[string]string{
				"HOME":           filepath.Join(env.WorkDir, "home"),
				"XDG_CACHE_HOME": filepath.Join(env.WorkDir, "cache"),
				"GOCACHE":        goEnv(t, "GOCACHE"),
				"GOMODCACHE":     goEnv(t, "GOMODCACHE"),
				"GOTOOLCHAIN":    "local",
				"GOPROXY":        "off",
				"NETWORK":        goEnv(t, "GOPROXY"), // for a step that may download
				"MCP_BIN":        bin,                 // a folder with only mcp, for a PATH without go
				"MODULE":         module,
			} {
				env.Setenv(name, value)
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"clone": clone,
		},
	})
}

// fetchModules fills the module cache with all that go mod tidy reads, in the apps of the scripts
// too. The tests of dependencies are among it, which go build and go test of the framework don't
// download.
func fetchModules(t *testing.T, module string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "mod", "tidy", "-diff")
	command.Dir = module
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("go mod tidy -diff: %v\n%s", err, out)
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatalf("go env %s: %v", name, err)
	}
	return strings.TrimSpace(string(out))
}

// clone FOLDER: copies the repository into a new FOLDER, without hidden folders and
// nested projects. Unlike git clone it includes uncommitted changes.
func clone(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) != 1 {
		ts.Fatalf("usage: clone FOLDER")
	}
	module, target := ts.Getenv("MODULE"), ts.MkAbs(args[0])
	ts.Check(filepath.WalkDir(module, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(module, path)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (strings.HasPrefix(entry.Name(), ".") || name == "storage" || isProject(path)):
			return filepath.SkipDir // storage has the data of an app that was served here
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(target, name), 0o755)
		case !entry.Type().IsRegular():
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(target, name), content, 0o644)
	}))
}

// isProject reports whether the folder is the root of a Go module or a Node package.
func isProject(folder string) bool {
	_, noModule := os.Stat(filepath.Join(folder, "go.mod"))
	_, noPackage := os.Stat(filepath.Join(folder, "package.json"))
	return noModule == nil || noPackage == nil
}
