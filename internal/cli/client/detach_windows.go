package client

import (
	"os"
	"os/exec"
	"syscall"
)

// detach starts the program in a process group of its own, which a console doesn't signal.
func detach(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// terminate ends a program, since Windows has no signal for it.
func terminate(process *os.Process) error { return process.Kill() }
