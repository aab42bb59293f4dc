package installation

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/test/machinetest"
)

// program writes a shell script that stands for the program of an app.
func program(t *testing.T, script string) (root, path string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script; run on Linux: go test ./internal/cli/installation")
	}
	root = t.TempDir()
	path = filepath.Join(root, "app")
	machinetest.WriteProgram(t, path, "#!/bin/sh\n"+script+"\n")
	return root, path
}

// The time that clients wait is too long for a script.
func TestAServerThatIsNeverReadyIsNotInstalled(t *testing.T) {
	t.Parallel()
	root, path := program(t, "exec sleep 600")
	begin := time.Now()
	err := tryStart(root, path, "demo", 200*time.Millisecond)
	if err == nil || err.Error() != "mcp start demo is not ready after 200ms, and clients wait no longer; run it to see why" {
		t.Errorf("the error is %v", err)
	}
	if waited := time.Since(begin); waited > 5*time.Minute {
		t.Errorf("it waited %s for the server", waited)
	}
}

func TestAServerThatLeavesAProcessBehindIsReady(t *testing.T) {
	t.Parallel()
	root, path := program(t, "sleep 600 &\necho $! >process")
	ready := make(chan error, 1)
	go func() { ready <- tryStart(root, path, "demo", 5*time.Minute) }()
	select {
	case err := <-ready:
		if err != nil {
			t.Errorf("the error is %v", err)
		}
	case <-time.After(5 * time.Minute):
		t.Error("it waits for the process that has the messages of the server open")
	}
	text, err := os.ReadFile(filepath.Join(root, "process"))
	if err != nil {
		t.Fatal(err)
	}
	id, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	left, err := os.FindProcess(id)
	if err != nil {
		t.Fatal(err)
	}
	if err := left.Kill(); err != nil {
		t.Error(err)
	}
}
