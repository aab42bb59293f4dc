//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// group starts the command in a process group of its own, to which the terminal doesn't send Ctrl-C.
func group(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// terminateGroup asks the processes of the group to end.
func terminateGroup(command *exec.Cmd) { signalGroup(command, syscall.SIGTERM) }

// killGroup ends the processes of the group that are left.
func killGroup(command *exec.Cmd) { signalGroup(command, syscall.SIGKILL) }

func signalGroup(command *exec.Cmd, signal syscall.Signal) {
	_ = syscall.Kill(-command.Process.Pid, signal) // it fails if no process is left
}
