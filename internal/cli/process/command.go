package process

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"time"
)

// heldLimit is how long the output is awaited after the end of a program. A process that the
// program started may hold it open.
const heldLimit = time.Second

// Command returns a command that runs a program in a folder. When the context ends, the program is
// interrupted as by Ctrl-C, and killed a second later.
func Command(ctx context.Context, folder, program string, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, program, args...)
	command.Dir = folder
	command.Cancel = func() error {
		if command.Process.Signal(os.Interrupt) == nil {
			return nil
		}
		return command.Process.Kill() // Windows can't interrupt a single process
	}
	command.WaitDelay = heldLimit
	return command
}

// Run runs a command to its end. A process that it has started may hold its output open, and is not
// awaited.
func Run(command *exec.Cmd) error {
	err := command.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	return err
}
