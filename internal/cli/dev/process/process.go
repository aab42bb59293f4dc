// Package process runs the program of an app as a child process, which ends with its parent.
package process

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/launcher"
)

// A Process is a program of the app that runs as a child. It ends when its stdin ends, so it
// never outlives this process, even if that is killed.
type Process struct {
	// Stdin is the standard input of the program.
	Stdin io.WriteCloser
	// Exited is closed when the program has ended.
	Exited <-chan struct{}

	cmd *exec.Cmd
	err error // why it ended; read it only after Exited is closed
}

// Start starts the program at path in the folder root, with additional variables.
func Start(root, path string, args, env []string, stdout, stderr io.Writer) (*Process, error) {
	cmd := launcher.Command(root, path, args...)
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = time.Second // a process that the program started may hold its output open
	detach(cmd)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start the program: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the program %s: %w", filepath.Base(path), err)
	}
	exited := make(chan struct{})
	p := &Process{cmd: cmd, Stdin: stdin, Exited: exited}
	go func() {
		p.err = cmd.Wait()
		if errors.Is(p.err, exec.ErrWaitDelay) {
			p.err = nil
		}
		close(exited)
	}()
	return p, nil
}

// Ending describes how the process has ended.
func (p *Process) Ending() string {
	if p.err != nil {
		return p.err.Error()
	}
	return "exit status 0"
}

// Stop ends the process's stdin and asks it to stop, then waits for it. After the limit it is
// killed.
func (p *Process) Stop(limit time.Duration) {
	_ = p.Stdin.Close()
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // not on Windows, where the end of stdin suffices
	p.Wait(limit)
}

// Wait waits until the process has ended. After the limit it is killed.
func (p *Process) Wait(limit time.Duration) {
	select {
	case <-p.Exited:
	case <-time.After(limit):
		_ = p.cmd.Process.Kill()
		<-p.Exited
	}
}

// HasExited reports whether the process has ended.
func (p *Process) HasExited() bool {
	select {
	case <-p.Exited:
		return true
	default:
		return false
	}
}
