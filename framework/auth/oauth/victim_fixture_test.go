package oauth_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/internal/test/databasetest"
)

// The environment of a test binary that is run again as a program that is killed.
const (
	victimAt    = "BOWLINE_TEST_VICTIM_AT"    // the address that the program serves at
	victimStore = "BOWLINE_TEST_VICTIM_STORE" // the address of its store
	victimKeys  = "BOWLINE_TEST_VICTIM_KEYS"  // the file of its keys
)

// TestAsAnotherProcess is the program.
func TestAsAnotherProcess(t *testing.T) {
	address := os.Getenv(victimAt)
	if address == "" {
		return
	}
	serveAt(t, address, oauth.Config{Authenticator: anybody{}, Store: os.Getenv(victimStore), Drivers: databasetest.Drivers(), Keys: os.Getenv(victimKeys)})
	fmt.Println("serving")
	_, _ = io.ReadAll(os.Stdin) // until it is killed
}

// A victim is the program in a process that is killed and started again, at one address and with
// one store.
type victim struct {
	url     string
	env     []string
	command *exec.Cmd
}

func newVictim(t *testing.T) *victim {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") // a free port
	if err != nil {
		t.Fatal(err)
	}
	at := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	v := &victim{url: "http://" + at, env: []string{victimAt + "=" + at, victimStore + "=" + lastingStore(t), victimKeys + "=" + filepath.Join(t.TempDir(), "oauth.keys")}}
	t.Cleanup(func() {
		_ = v.command.Process.Kill()
		_ = v.command.Wait()
	})
	v.start(t)
	return v
}

func (v *victim) start(t *testing.T) {
	t.Helper()
	v.command = exec.Command(os.Args[0], "-test.run=^TestAsAnotherProcess$", "-test.timeout=5m") //nolint:gosec,noctx // it is killed
	v.command.Env, v.command.Stderr = append(os.Environ(), v.env...), t.Output()
	if _, err := v.command.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := v.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := v.command.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "serving\n" {
		t.Fatalf("the program says %q, %v", line, err)
	}
}

// rise kills the program and starts it again.
func (v *victim) rise(t *testing.T) {
	t.Helper()
	_ = v.command.Process.Kill()
	_ = v.command.Wait()
	v.start(t)
}
