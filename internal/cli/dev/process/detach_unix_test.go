//go:build unix

package process

import (
	"io"
	"os"
	"syscall"
	"testing"
)

// A terminal sends Ctrl-C to its foreground group. A program that got it too would end its calls before mcp
// dev asks it to.
func TestAProgramIsInAGroupOfItsOwn(t *testing.T) {
	t.Parallel()
	p, err := Start(t.TempDir(), os.Args[0], nil, []string{"PROCESS_TEST_PROGRAM=reads"}, io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if group, err := syscall.Getpgid(p.cmd.Process.Pid); err != nil || group != p.cmd.Process.Pid {
		t.Errorf("the group of program %d is %d, %v", p.cmd.Process.Pid, group, err)
	}
	_ = p.Stdin.Close()
	if <-p.Exited; p.Ending() != "exit status 0" {
		t.Errorf("the program has ended: %s", p.Ending())
	}
}
