// Package process runs programs as child processes: to their end, with [Command] and [Run], or until
// they are stopped, with [Start].
package process

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// A Process is a program that runs as a child. Ctrl-C of the terminal doesn't reach it, since only
// this process tells it to stop. A server ends when its stdin ends, so it never outlives this
// process, even if that is killed.
type Process struct {
	// Stdin is the standard input of the program.
	Stdin io.WriteCloser
	// Exited is closed when the program has ended.
	Exited <-chan struct{}

	command *exec.Cmd
	err     error // why it ended; read it only after Exited is closed
}

// Start starts a command of [Command].
func Start(command *exec.Cmd) (*Process, error) {
	group(command)
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start the program: %w", err)
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start the program %s: %w", filepath.Base(command.Path), err)
	}
	exited := make(chan struct{})
	p := &Process{command: command, Stdin: stdin, Exited: exited}
	go func() {
		p.err = command.Wait()
		if errors.Is(p.err, exec.ErrWaitDelay) {
			p.err = nil
		}
		close(exited)
	}()
	return p, nil
}

// Ending describes how the process has ended, such as "exit status 3" and "signal: killed".
func (p *Process) Ending() string {
	if p.err != nil {
		return p.err.Error()
	}
	return "exit status 0"
}

// ExitCode returns the exit code of a process that has ended, or -1 if a signal has ended it.
func (p *Process) ExitCode() int {
	if exit, ok := errors.AsType[*exec.ExitError](p.err); ok {
		return exit.ExitCode()
	}
	return 0
}

// Drain ends the process's stdin, with which servers end, then waits for it. After the limit it is
// stopped.
func (p *Process) Drain(limit, stopLimit time.Duration) {
	go func() { _ = p.Stdin.Close() }() // on Windows, it waits for a write that nobody reads
	select {
	case <-p.Exited:
	case <-time.After(limit):
		p.Stop(stopLimit)
	}
}

// Stop ends the process's stdin and asks it to stop, then waits for it. After the limit it is
// killed, with the processes that it has started.
func (p *Process) Stop(limit time.Duration) {
	_ = p.Stdin.Close()
	_ = p.command.Process.Signal(syscall.SIGTERM) // not on Windows, where the end of stdin suffices
	p.Wait(limit)
}

// StopGroup asks the process, and the processes that it has started, to stop, then waits for it. When
// it has ended, or after the limit, the processes that are left are killed.
func (p *Process) StopGroup(limit time.Duration) {
	terminateGroup(p.command)
	select {
	case <-p.Exited:
	case <-time.After(limit):
	}
	killGroup(p.command)
}

// Wait waits until the process has ended. After the limit it is killed, with the processes that it
// has started.
func (p *Process) Wait(limit time.Duration) {
	select {
	case <-p.Exited:
	case <-time.After(limit):
		killGroup(p.command)
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
