package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/terminaltest"
)

// The scripts have a terminal without a size, on which a question is plain lines. This one
// draws a form.
func TestAQuestionIsAnsweredInAFormOfTheTerminal(t *testing.T) {
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	terminal, user := terminaltest.Open(t)
	terminaltest.Resize(t, terminal, 80, 24)
	mcp := exec.CommandContext(t.Context(), "mcp", "new", "--framework", module)
	var out bytes.Buffer
	mcp.Dir, mcp.Stdin, mcp.Stdout, mcp.Stderr = t.TempDir(), terminal, &out, terminal
	// The library of forms has a race of its own when a form ends; see internal/questions.
	mcp.Env = append(os.Environ(), "GORACE=exitcode=0", "CI=", "TERM=xterm", "GOPROXY=off", "GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"))
	if err := mcp.Start(); err != nil {
		t.Fatal(err)
	}
	watchdog := time.AfterFunc(time.Minute, func() {
		_ = mcp.Process.Kill()
		_ = user.Close() // ends the reading
	})
	defer watchdog.Stop()
	var screen bytes.Buffer
	part := make([]byte, 4096)
	for answered := false; !answered; {
		n, err := user.Read(part)
		if err != nil {
			t.Fatalf("%v: the screen shows %q", err, screen.String())
		}
		screen.Write(part[:n])
		if answered = strings.Contains(screen.String(), "What is the name of the app?"); answered {
			if _, err := io.WriteString(user, "shop\r"); err != nil {
				t.Fatal(err)
			}
		}
	}
	go func() { _, _ = io.Copy(io.Discard, user) }() // so that the screen never fills
	if err := mcp.Wait(); err != nil || !strings.HasPrefix(out.String(), "created shop\n") {
		t.Errorf("%v: %s\n%q", err, out.String(), screen.String())
	}
	if !strings.Contains(screen.String(), "\x1b[") {
		t.Errorf("the question is plain lines: %q", screen.String())
	}
	if _, err := os.Stat(filepath.Join(mcp.Dir, "shop", "main.go")); err != nil {
		t.Error(err)
	}
}
