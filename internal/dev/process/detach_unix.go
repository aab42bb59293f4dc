//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// detach keeps Ctrl-C of the terminal from the child. It is told to stop when its calls have
// ended.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
