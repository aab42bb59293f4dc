package process

import (
	"os/exec"
	"syscall"
)

// detach keeps Ctrl-C of the console from the child. Only mcp dev hears it,
// and tells all programs to stop.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
