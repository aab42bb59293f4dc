package launcher

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
)

// become runs the program at path as a child with this process's standard streams, because Windows cannot replace a process,
// and returns its exit code. Ctrl-C reaches the child too, and it decides what to do.
func become(path string, argv []string) (int, error) {
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	child := &exec.Cmd{Path: path, Args: argv, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	err := child.Run()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// checkOwner has nothing to check: on Windows each user has a folder for temporary files of their own.
func checkOwner(string) error { return nil }
