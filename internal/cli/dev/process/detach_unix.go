//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// detach keeps Ctrl-C of the terminal from the child. Only mcp dev hears it,
// and tells all programs to stop.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
