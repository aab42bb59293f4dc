//go:build unix

package process

import (
	"os"
	"syscall"
	"testing"
)

// A terminal sends Ctrl-C to its foreground group. A program that got it too would end its calls before mcp
// dev asks it to.
func TestAProgramIsInAGroupOfItsOwn(t *testing.T) {
	t.Parallel()
	command := Command(t.Context(), t.TempDir(), os.Args[0])
	command.Env = append(command.Environ(), "PROCESS_TEST_PROGRAM=reads")
	p, err := Start(command)
	if err != nil {
		t.Fatal(err)
	}
	if group, err := syscall.Getpgid(p.command.Process.Pid); err != nil || group != p.command.Process.Pid {
		t.Errorf("the group of program %d is %d, %v", p.command.Process.Pid, group, err)
	}
	_ = p.Stdin.Close()
	if <-p.Exited; p.Ending() != "exit status 0" {
		t.Errorf("the program has ended: %s", p.Ending())
	}
}
