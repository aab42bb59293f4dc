package process

import (
	"os/exec"
	"strconv"
	"syscall"
)

// group keeps Ctrl-C of the console from the command.
func group(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// terminateGroup ends the command, and the processes that it has started.
func terminateGroup(command *exec.Cmd) {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(command.Process.Pid)).Run() // it fails if no process is left
}

// killGroup does what terminateGroup does, since Windows has only one way.
func killGroup(command *exec.Cmd) { terminateGroup(command) }
