package launcher

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
)

// become runs the program at path as a child process with the standard streams of this
// process, because Windows can't replace a process. It returns the child's exit code.
// Ctrl-C reaches the child too, so this process ignores it.
func become(path string, argv []string) (int, error) {
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	child := &exec.Cmd{Path: path, Args: argv, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	err := child.Run()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// checkOwner does nothing: on Windows each user has their own temporary directory.
func checkOwner(string) error { return nil }
