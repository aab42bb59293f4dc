package inspector

import (
	"os/exec"
	"strconv"
	"syscall"
)

// group keeps Ctrl-C of the console from the command, which this process ends.
func group(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// terminate ends the processes that the command has started, and the command. npx leaves a
// wrapper process, and the Inspector starts the server.
func terminate(command *exec.Cmd) {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(command.Process.Pid)).Run() // it fails if no process is left
}

// kill does what terminate does, since Windows has only one way.
func kill(command *exec.Cmd) { terminate(command) }
