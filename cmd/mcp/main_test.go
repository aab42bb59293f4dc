package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bowline-mcp/bowline/internal/test/gatetest"
	"github.com/bowline-mcp/bowline/internal/test/machinetest"
)

func TestMain(m *testing.M) {
	flag.Bool("update", false, "write the golden files anew")
	testscript.Main(sameMachine{m}, map[string]func(){"mcp": main})
}

// sameMachine runs the tests where no AI client is on the PATH, and nobody has settings.
type sameMachine struct{ *testing.M }

func (m sameMachine) Run() int {
	mcp, _, _ := strings.Cut(os.Getenv("PATH"), string(os.PathListSeparator)) // the folder of testscript
	compiler := "as cc clang gcc ld"                                          // of the go command, if it has to compile a package with C
	return machinetest.Machine{
		Bin: mcp,
		Programs: strings.Fields("cat chmod cp env git grep kill ln ls mkdir mkfifo mv od readlink rm sed seq setpriv sh sleep test tail tr wc " +
			"jq nginx openssl sqlite3 " + compiler),
	}.Run(m.M)
}

// TestScripts runs testdata/script/*.txtar, each in a folder with a home and a cache of programs of its own, and without a network. With
// -update it writes the actual output into the golden files. What the condition nightly guards repeats other scripts.
func TestScripts(t *testing.T) {
	t.Parallel()
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if !testing.Short() {
		fetchModules(t, module)
	}
	app := newSharedApp(t, module)
	mcp, _, _ := strings.Cut(os.Getenv("PATH"), string(os.PathListSeparator))
	settings := map[string]string{
		"GOENV":               "off",
		"GOFLAGS":             os.Getenv("GOFLAGS") + " -trimpath", // builds in other folders find packages in the cache
		"GOFLAGS_HERE":        os.Getenv("GOFLAGS"),                // what is a part of the checkout is compiled in place
		"GOCACHE":             goEnv(t, "GOCACHE"),
		"GOMODCACHE":          goEnv(t, "GOMODCACHE"),
		"GOTOOLCHAIN":         "local",
		"GOPROXY":             "off",
		"NETWORK":             goEnv(t, "GOPROXY"), // for a step that may download
		"GIT_CONFIG_NOSYSTEM": "1",
		"MCP_BIN":             mcp, // a folder with only mcp, for a PATH without go
		"MODULE":              module,
		"APP":                 app.folder, // see the command app
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: flag.Lookup("update").Value.String() == "true",
		Setup: func(env *testscript.Env) error {
			for name, value := range settings {
				env.Setenv(name, value)
			}
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, "cache"))
			env.Setenv("GIT_CEILING_DIRECTORIES", env.WorkDir) // the folder of temporary files may be in a repository
			return nil
		},
		Condition: func(condition string) (bool, error) {
			if condition == "nightly" {
				return gatetest.Nightly(), nil
			}
			if commands, ok := strings.CutPrefix(condition, "needs:"); ok {
				return has(strings.Split(commands, "+"))
			}
			return false, fmt.Errorf("there is no condition %q", condition)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"app":       app.use,
			"clone":     clone,
			"ended":     ended,
			"framework": framework,
			"freeport":  freePort,
			"reference": reference,
			"unpack":    unpack,
		},
	})
}

// has reports whether the machine has all of the commands that a script needs. The gate has them, so one that is missing there is an error.
func has(commands []string) (bool, error) {
	for _, command := range commands {
		if _, err := exec.LookPath(command); err != nil {
			if gatetest.Gate() {
				return false, fmt.Errorf("%w; .ci/run installs it", err)
			}
			return false, nil
		}
	}
	return true, nil
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
