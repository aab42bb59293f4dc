package interop_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestPages drives Chromium through the pages on which users log in, decide, and see their account, at a
// desk and on a phone, in light and in dark. With "go test -artifacts", its screenshots stay.
func TestPages(t *testing.T) {
	requireNode(t, "playwright-core", "axe-core")
	chromium := requireChromium(t)
	app, many := start(t, "."), startOwn(t)
	app.addUser(t)
	many.addUser(t)
	const owner = "grace@example.com"
	app.run(t, userPassword, "user:create", owner, "--password-stdin")
	with, err := json.Marshal(map[string]string{
		"chromium": chromium, "app": "http://" + app.addr + "/mcp/private", "many": "http://" + many.addr + "/own", "owner": owner,
		"screenshots": t.ArtifactDir(),
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
	const want = 26 * 4 // the pages that the walks pass, each looked at four times
	shots, err := filepath.Glob(filepath.Join(t.ArtifactDir(), "*.png"))
	if err != nil || len(shots) != want {
		t.Errorf("there are %d screenshots, want %d: %v", len(shots), want, err)
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
