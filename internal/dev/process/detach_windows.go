package process

import (
	"os/exec"
	"syscall"
)

// detach keeps Ctrl-C of the console from the child. It is told to stop when its calls have
// ended.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
