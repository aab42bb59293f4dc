package launcher

import (
	"context"
	"io"
	"os/exec"
)

// Program returns the path of the program of the app in the folder root, and builds it
// first if necessary. Build messages go to log.
func Program(root string, log io.Writer) (string, error) {
	return ProgramContext(context.Background(), root, log)
}

// ProgramContext is [Program] with a context, whose end stops the build.
func ProgramContext(ctx context.Context, root string, log io.Writer) (string, error) {
	builder, err := NewBuilder(root, log)
	if err != nil {
		return "", err
	}
	program, fresh := builder.Program()
	if fresh {
		return program, nil
	}
	return builder.Build(ctx)
}

// Built returns the path of the program of the app in the folder root, and whether its
// sources are unchanged since it was built. It never builds.
func Built(root string) (program string, fresh bool) {
	builder, err := NewBuilder(root, io.Discard)
	if err != nil {
		return "", false
	}
	return builder.Program()
}

// Command returns the command that runs the program of the app in the folder root with
// arguments, like [Run], as a child of this process.
func Command(root, program string, args ...string) *exec.Cmd {
	command := exec.Command(program, args...)
	inFolder(command, root)
	return command
}

// inFolder makes a command run in the folder root.
func inFolder(command *exec.Cmd, root string) {
	command.Dir = root
	command.Env = append(command.Environ(), "PWD="+root)
}
