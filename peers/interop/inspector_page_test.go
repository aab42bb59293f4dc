package interop_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestTheInspectorsPageCallsAGeneratedTool makes an app and a tool, runs mcp inspector, and has
// Chromium call the tool on the page of the URL that it prints. With "go test -artifacts", the
// screenshot of a page that fails stays.
func TestTheInspectorsPageCallsAGeneratedTool(t *testing.T) {
	t.Parallel()
	requireNode(t, "@modelcontextprotocol/inspector", "playwright-core")
	chromium := requireChromium(t)
	i := newInstallation(t)
	i.run(t, os.Getenv("PATH"), "new", "shop", "--framework", i.app)
	app := filepath.Join(i.home, "shop")
	i.run(t, os.Getenv("PATH"), "make:tool", "Weather", "--dir", app)
	answersAsAPersonWrites(t, filepath.Join(app, "app", "mcp", "tools", "weather_tool.go"))

	for _, test := range []struct{ name, server, entry string }{
		{"a handle, which mcp dev starts", "shop", "shop"},
		{"a path, which the command serves", "/mcp/shop", "mcp-shop"},
	} {
		t.Run(test.name, func(t *testing.T) {
			page := i.inspect(t, app, test.server)
			with, err := json.Marshal(map[string]any{
				"chromium": chromium, "url": page, "server": test.entry, "tools": []string{"echo", "weather"},
				"tool": "weather", "argument": "input", "value": "Oslo", "text": "It rains in Oslo.", "screenshots": t.ArtifactDir(),
			})
			if err != nil {
				t.Fatal(err)
			}
			browser := exec.CommandContext(t.Context(), "node", "inspector.mjs", string(with))
			browser.Dir = "node"
			if out, err := browser.CombinedOutput(); err != nil {
				t.Errorf("the page: %v\n%s", err, out)
			}
		})
	}
}

// answersAsAPersonWrites gives the generated tool an answer that its caller doesn't type.
func answersAsAPersonWrites(t *testing.T, tool string) {
	t.Helper()
	generated, err := os.ReadFile(tool)
	if err != nil {
		t.Fatal(err)
	}
	const echoes, answers = `return arguments.Input`, `return "It rains in " + arguments.Input + "."`
	if !strings.Contains(string(generated), echoes) {
		t.Fatalf("the generated tool doesn't have %s:\n%s", echoes, generated)
	}
	if err := os.WriteFile(tool, []byte(strings.Replace(string(generated), echoes, answers, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// inspect runs mcp inspector until the test ends, and returns the URL that it prints. Then the
// command must end at Ctrl-C, with all that it has started.
func (i *installation) inspect(t *testing.T, app, server string) string {
	t.Helper()
	run := exec.Command(i.mcp, "inspector", server, "--no-open", "--dir", app)
	run.Dir = "node" // npx takes the package from there, if it has the version that mcp names
	run.Env = append(i.environment(t, nodeOfInspector(t)+string(os.PathListSeparator)+os.Getenv("PATH")),
		"APP_ADDR=127.0.0.1:0", "npm_config_offline=true", "MCP_STORAGE_DIR="+i.home)
	var stdout, stderr lockedBuffer
	run.Stdout, run.Stderr = &stdout, &stderr
	run.WaitDelay = 10 * time.Second // a process that is left has them open
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	t.Cleanup(func() {
		_ = run.Process.Signal(syscall.SIGINT) // it fails if the process has ended, which is an error below
		if err := <-ended; err != nil {
			t.Errorf("mcp inspector ended with %v", err)
		}
		endsEverythingOf(t, i.home)
		if t.Failed() {
			t.Logf("mcp inspector logged:\n%s", stderr.String())
		}
	})
	for deadline := time.Now().Add(5 * time.Minute); !strings.Contains(stdout.String(), "Ctrl-C ends it."); time.Sleep(50 * time.Millisecond) {
		select {
		case err := <-ended:
			ended <- err
			t.Fatal("mcp inspector has ended")
		default:
		}
		if time.Now().After(deadline) {
			t.Fatal("mcp inspector prints no URL within five minutes")
		}
	}
	return regexp.MustCompile(`http://\S+`).FindString(stdout.String())
}

// nodeOfInspector returns a folder with a node that calls itself new enough for the Inspector,
// whose parts that the test uses run on Node.js 20.
func nodeOfInspector(t *testing.T) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	script := "#!/bin/sh\nif [ \"$1\" = --version ]; then echo v22.19.0; else exec '" + node + "' \"$@\"; fi\n"
	if err := os.WriteFile(filepath.Join(folder, "node"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return folder
}

// endsEverythingOf waits until no process has a folder in its command line. Only Linux shows
// that in files.
func endsEverythingOf(t *testing.T, folder string) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		if len(lines) == 0 && runtime.GOOS == "linux" {
			t.Fatal("/proc lists no process")
		}
		var left []string
		for _, line := range lines {
			if command, err := os.ReadFile(line); err == nil && strings.Contains(string(command), folder) {
				left = append(left, strings.ReplaceAll(string(command), "\x00", " "))
			}
		}
		switch {
		case len(left) == 0:
			return
		case time.Now().After(deadline):
			t.Errorf("these processes are left: %q", left)
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}
