package machinetest_test

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/bowline-mcp/bowline/internal/test/machinetest"
)

// tests are what a package's TestMain would run.
type tests func() int

func (f tests) Run() int { return f() }

// run runs tests on a machine, and gives the process its own environment back.
func run(t *testing.T, m machinetest.Machine, f tests) {
	t.Helper()
	before := os.Environ()
	defer func() {
		os.Clearenv()
		for _, setting := range before {
			name, value, _ := strings.Cut(setting, "=")
			if err := os.Setenv(name, value); err != nil {
				t.Error(err)
			}
		}
	}()
	if code := m.Run(f); code != 7 {
		t.Errorf("the exit code is %d, want that of the tests", code)
	}
}

func TestTheSettingsOfAPersonAreGone(t *testing.T) {
	person := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "APP_KEY", "OAUTH_STORE", "NO_COLOR", "TERM", "CI", "EDITOR", "GIT_DIR", "CODEX_HOME"} {
		t.Setenv(name, person)
	}
	t.Setenv("GOFLAGS", "-p=1")
	t.Setenv("GOWORK", filepath.Join(person, "go.work"))
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:9")
	t.Setenv("GORACE", "halt_on_error=1")
	run(t, machinetest.Machine{}, func() int {
		for _, setting := range os.Environ() {
			if strings.Contains(setting, person) && !strings.HasPrefix(setting, "GO") { // where its caches are
				t.Errorf("the environment has %s", setting)
			}
		}
		if os.Getenv("GOFLAGS") != "-ldflags=-s -p=1" || os.Getenv("HTTPS_PROXY") != "http://127.0.0.1:9" {
			t.Error("the go command has lost its settings")
		}
		if work, ok := os.LookupEnv("GOWORK"); ok {
			t.Errorf("the go command works in %s", work)
		}
		if settings := os.Getenv("GORACE"); settings != "atexit_sleep_ms=0 halt_on_error=1" {
			t.Errorf("the race detector has the settings %q", settings)
		}
		return 7
	})
	if os.Getenv("HOME") != person {
		t.Errorf("HOME is %s after it", os.Getenv("HOME"))
	}
}

func TestTheHomeFolderIsEmptyAndRemoved(t *testing.T) {
	var home string
	run(t, machinetest.Machine{}, func() int {
		var err error
		if home, err = os.UserHomeDir(); err != nil {
			t.Fatal(err)
		}
		if cache, err := os.UserCacheDir(); err != nil || !strings.HasPrefix(cache, home) {
			t.Errorf("caches are in %s, %v", cache, err)
		}
		if err := os.MkdirAll(filepath.Join(home, ".cursor"), 0o700); err != nil {
			t.Fatal(err)
		}
		return 7
	})
	if _, err := os.Stat(home); !os.IsNotExist(err) {
		t.Errorf("%s is left behind: %v", home, err)
	}
}

func TestTheGoCommandKeepsItsCaches(t *testing.T) {
	caches := func() string {
		out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE", "GOENV").Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	before := caches()
	run(t, machinetest.Machine{Programs: []string{"sh"}}, func() int {
		if now := caches(); now != before {
			t.Errorf("the go command has\n%sand had\n%s", now, before)
		}
		return 7
	})
}

func TestProgramsHearOfAHangupUnderNohup(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no signals; run on Linux: go test ./internal/test/machinetest")
	}
	signal.Ignore(syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	run(t, machinetest.Machine{}, func() int {
		if out, err := exec.Command("sh", "-c", "kill -HUP $$; echo alive").Output(); err == nil {
			t.Errorf("a program prints %s after a hangup", out)
		}
		return 7
	})
}

func TestOnlyTheNamedProgramsAreOnThePath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a link needs a privilege; run on Linux: go test ./internal/test/machinetest")
	}
	clients, own := t.TempDir(), t.TempDir()
	for _, file := range []string{filepath.Join(clients, "codex"), filepath.Join(own, "mcp")} {
		machinetest.WriteProgram(t, file, "#!/bin/sh\n")
	}
	t.Setenv("PATH", clients+string(os.PathListSeparator)+os.Getenv("PATH"))
	run(t, machinetest.Machine{Bin: own, Programs: []string{"sh", "none-of-this-name"}}, func() int {
		for _, name := range []string{"mcp", "go", "gofmt", "sh"} {
			if err := exec.Command(name, "-c", "").Run(); err != nil && !strings.Contains(err.Error(), "exit status") {
				t.Errorf("%s doesn't run: %v", name, err)
			}
		}
		for _, name := range []string{"codex", "ls", "none-of-this-name"} {
			if path, err := exec.LookPath(name); err == nil {
				t.Errorf("%s is on the PATH: %s", name, path)
			}
		}
		return 7
	})
}
