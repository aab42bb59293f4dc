package process

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"time"

	"github.com/bowline-mcp/bowline/internal/command"
)

// heldLimit is how long the output is awaited after the end of a program. A process that the
// program started may hold it open.
const heldLimit = time.Second

// Command returns a command that runs a program in a folder. When the context ends, the program is
// interrupted as by Ctrl-C, and killed a second later.
func Command(ctx context.Context, folder, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = folder
	cmd.Cancel = func() error {
		if cmd.Process.Signal(os.Interrupt) == nil {
			return nil
		}
		return cmd.Process.Kill() // Windows can't interrupt a single process
	}
	cmd.WaitDelay = heldLimit
	return cmd
}

// App returns a command like [Command] that runs the program of an app. The messages of the program
// name the mcp command instead of the program's file.
func App(ctx context.Context, folder, program string, args ...string) *exec.Cmd {
	app := Command(ctx, folder, program, args...)
	app.Args[0] = command.MCP
	return app
}

// Run runs a command to its end. A process that it has started may hold its output open, and is not
// awaited.
func Run(cmd *exec.Cmd) error {
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	return err
}
