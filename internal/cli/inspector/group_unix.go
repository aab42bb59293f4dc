//go:build unix

package inspector

import (
	"os/exec"
	"syscall"
)

// group starts the command in a process group of its own. npx leaves a wrapper process, and
// the Inspector starts the server, so all of them are ended together.
func group(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// terminate asks the processes of the group to end.
func terminate(command *exec.Cmd) { signal(command, syscall.SIGTERM) }

// kill ends the processes of the group that are left.
func kill(command *exec.Cmd) { signal(command, syscall.SIGKILL) }

func signal(command *exec.Cmd, s syscall.Signal) {
	_ = syscall.Kill(-command.Process.Pid, s) // it fails if no process is left
}
