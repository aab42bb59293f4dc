//go:build unix

package main

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// ended FILE: waits until the processes whose IDs are in a file have ended.
func ended(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) != 1 {
		ts.Fatalf("usage: ended FILE")
	}
	ids := strings.Fields(ts.ReadFile(args[0]))
	if len(ids) == 0 {
		ts.Fatalf("%s names no process", args[0])
	}
	for _, id := range ids {
		number, err := strconv.Atoi(id)
		ts.Check(err)
		for deadline := time.Now().Add(5 * time.Minute); isRunning(number); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				ts.Fatalf("the process %s runs after five minutes", id)
			}
		}
	}
}

// isRunning reports whether a process is there. One that has ended stays until its parent has asked for its exit code, and the parent of
// a process whose own parent has ended may never ask.
func isRunning(id int) bool {
	if syscall.Kill(id, 0) != nil {
		return false
	}
	status, err := os.ReadFile("/proc/" + strconv.Itoa(id) + "/stat") // elsewhere than on Linux there is none
	_, state, _ := strings.Cut(string(status), ") ")
	return err != nil || !strings.HasPrefix(state, "Z")
}
