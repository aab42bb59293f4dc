package machinetest

import (
	"os"
	"syscall"
	"testing"
)

// WriteProgram writes a script that can be started. No other test of the package starts a process meanwhile: that would have the file open
// for a moment, and until it closes it, Linux refuses to start the script ("text file busy").
func WriteProgram(t testing.TB, path, script string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
}
