package dev

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

// A process is a program of the app that runs as a child. It ends when its stdin ends, so it
// never outlives this process, even if that is killed.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	exited chan struct{}
	err    error // why it ended; read it only after exited is closed
}

// startProcess starts the program at path in the folder root, with additional variables.
func startProcess(root, path string, args, env []string, stdout, stderr io.Writer) (*process, error) {
	cmd := launcher.Command(root, path, args...)
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = time.Second // a process that the program started may hold stdout open
	detach(cmd)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start the program: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the program %s: %w", filepath.Base(path), err)
	}
	p := &process{cmd: cmd, stdin: stdin, exited: make(chan struct{})}
	go func() {
		p.err = cmd.Wait()
		if errors.Is(p.err, exec.ErrWaitDelay) {
			p.err = nil
		}
		close(p.exited)
	}()
	return p, nil
}

// ending describes how the process has ended.
func (p *process) ending() string {
	if p.err != nil {
		return p.err.Error()
	}
	return "exit status 0"
}

// stop ends the process's stdin and asks it to stop, then waits for it. After the limit it is
// killed.
func (p *process) stop(limit time.Duration) {
	_ = p.stdin.Close()
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // not on Windows, where the end of stdin suffices
	p.wait(limit)
}

// wait waits until the process has ended. After the limit it is killed.
func (p *process) wait(limit time.Duration) {
	select {
	case <-p.exited:
	case <-time.After(limit):
		_ = p.cmd.Process.Kill()
		<-p.exited
	}
}
