//go:build unix

package client

import (
	"os"
	"os/exec"
	"syscall"
)

// detach starts the program in a process group of its own, which a terminal doesn't signal.
func detach(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// terminate asks a program to end.
func terminate(process *os.Process) error { return process.Signal(syscall.SIGTERM) }
