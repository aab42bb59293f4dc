package interop_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestPages drives Chromium through the pages on which users log in, decide, and see their account. With
// "go test -artifacts", its screenshots stay.
func TestPages(t *testing.T) {
	requireNode(t, "playwright-core", "axe-core")
	chromium := requireChromium(t)
	app, many := start(t, "."), startOwn(t)
	app.addUser(t)
	many.addUser(t)
	with, err := json.Marshal(map[string]string{
		"chromium": chromium, "app": "http://" + app.addr, "many": "http://" + many.addr, "screenshots": t.ArtifactDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "pages.mjs", string(with))
	cmd.Dir, cmd.Stderr = "node", t.Output()
	checks, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(checks)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var check struct{ Name, Error string }
		if err := json.Unmarshal(lines.Bytes(), &check); err != nil {
			t.Fatalf("%s: %v", lines.Bytes(), err)
		}
		t.Run(check.Name, func(t *testing.T) {
			if check.Error != "" {
				t.Error(check.Error)
			}
		})
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the checks ended with %v", err)
	}
	shots, err := filepath.Glob(filepath.Join(t.ArtifactDir(), "*.png"))
	if err != nil || len(shots) != 36 {
		t.Errorf("there are %d screenshots, want 36: %v", len(shots), err)
	}
}

// requireChromium returns the path of Debian's Chromium. Without it, it skips the test, or
// fails it in CI.
func requireChromium(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err == nil {
		return path
	}
	const message = "chromium is not on the PATH: run apt-get install chromium, then run this test again"
	if os.Getenv("BOWLINE_CI") == "1" {
		t.Fatal(message)
	}
	t.Skip(message)
	return ""
}
