package dev_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/test/buffertest"
	"github.com/bowline-mcp/bowline/internal/test/machinetest"
)

// TestMain is also the go command of the tests. It keeps the programs that the tests build out of the cache of the user.
func TestMain(m *testing.M) {
	if isGo() {
		if err := runGo(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, "go:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		fmt.Fprintln(os.Stderr, "go env GOCACHE:", err)
		return 1
	}
	folder, err := os.MkdirTemp("", "dev")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(folder) }()
	if err := installGo(folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for name, value := range map[string]string{
		"GOCACHE": strings.TrimSpace(string(out)), "XDG_CACHE_HOME": folder, "LocalAppData": folder, "APP_ADDR": "", "APP_URL": "", "APP_KEY": "",
		"GOFLAGS": machinetest.LinkFast + " " + os.Getenv("GOFLAGS"),
		"GORACE":  os.Getenv("GORACE") + " atexit_sleep_ms=0", // or else each go command takes a second to exit
	} {
		if value == "" {
			_ = os.Unsetenv(name)
		} else {
			_ = os.Setenv(name, value)
		}
	}
	return m.Run()
}

// forever is longer than anything takes on a busy machine, such as the first build of all packages.
const forever = 3 * time.Minute

// An app is testdata/app in a folder of its own, where the test edits its greeting.
type app struct {
	t    *testing.T
	root string
	log  buffertest.Buffer // the stderr of mcp dev
}

// newApp writes an app with the greeting one.
func newApp(t *testing.T) *app {
	t.Helper()
	module, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	a := &app{t: t, root: t.TempDir()}
	mod, err := os.ReadFile(filepath.Join(module, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(module, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	required := regexp.MustCompile(`(?m)^module .*$`).ReplaceAll(mod, []byte("module demo"))
	a.write("go.mod", string(required)+"\nrequire github.com/bowline-mcp/bowline v0.0.0\n\nreplace github.com/bowline-mcp/bowline => "+module+"\n")
	a.write("go.sum", string(sum))
	source, err := os.ReadFile(filepath.Join("testdata", "app", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	a.write("main.go", string(source))
	a.greet("one")
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("mcp dev logged:\n%s", a.log.String())
		}
	})
	return a
}

func (a *app) write(name, content string) {
	a.t.Helper()
	if err := os.WriteFile(filepath.Join(a.root, name), []byte(content), 0o644); err != nil {
		a.t.Fatal(err)
	}
}

// awaitMatch waits until the log of mcp dev has what a pattern describes.
func (a *app) awaitMatch(pattern *regexp.Regexp) {
	a.t.Helper()
	for deadline := time.Now().Add(forever); !pattern.MatchString(a.log.String()); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			a.t.Fatalf("mcp dev hasn't logged %v", pattern)
		}
	}
}

func (a *app) remove(name string) {
	a.t.Helper()
	if err := os.Remove(filepath.Join(a.root, name)); err != nil {
		a.t.Fatal(err)
	}
}

// awaitFile waits until the app has written a file.
func (a *app) awaitFile(name string) {
	a.t.Helper()
	for deadline := time.Now().Add(forever); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(a.root, name)); err == nil {
			return
		}
		if time.Now().After(deadline) {
			a.t.Fatalf("the app doesn't write %s", name)
		}
	}
}

// greet edits the greeting.
func (a *app) greet(greeting string) {
	a.t.Helper()
	a.write("greeting.go", "package main\n\nconst greeting = \""+greeting+"\"\n")
}

// breakSources makes the app not compile.
func (a *app) breakSources() {
	a.t.Helper()
	a.write("greeting.go", "package main\n\nconst greeting = undefinedName\n")
}

// awaitLog waits until mcp dev has logged a text n times.
func (a *app) awaitLog(text string, n int) {
	a.t.Helper()
	for deadline := time.Now().Add(forever); strings.Count(a.log.String(), text) < n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			a.t.Fatalf("mcp dev hasn't logged %q %d times", text, n)
		}
	}
}

// freeAddress returns a loopback address on which nothing listens. The connections of other tests don't get
// its port from the system, which begins at 32768.
func freeAddress(t *testing.T) string {
	t.Helper()
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", 20_000+rand.IntN(10_000))
		if listener, err := net.Listen("tcp", address); err == nil {
			_ = listener.Close()
			return address
		}
	}
	t.Fatal("no port is free")
	return ""
}
