package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// build builds a program of this folder, and returns a function that removes it.
func build(ctx context.Context, name string) (program string, clean func() error, err error) {
	folder, err := os.MkdirTemp("", "soak")
	if err != nil {
		return "", nil, err
	}
	clean = func() error { return os.RemoveAll(folder) }
	program = filepath.Join(folder, name)
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", program, "github.com/bowline-mcp/bowline/docs/soak/"+name).CombinedOutput(); err != nil {
		return "", nil, errors.Join(fmt.Errorf("building docs/soak/%s: %w\n%s", name, err, out), clean())
	}
	return program, clean, nil
}

// A victim is a process that serves.
type victim struct {
	address string
	process *exec.Cmd
	out     *bufio.Reader
	log     io.ReadCloser // that nobody reads
}

// start starts a victim, which prints its address.
func start(ctx context.Context, program string, args ...string) (*victim, error) {
	v := &victim{process: exec.CommandContext(ctx, program, args...)} //nolint:gosec // built by this program
	out, err := v.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if v.log, err = v.process.StderrPipe(); err != nil {
		return nil, err
	}
	if err := v.process.Start(); err != nil {
		return nil, err
	}
	v.out = bufio.NewReader(out)
	address, err := v.out.ReadString('\n')
	v.address = strings.TrimSpace(address)
	return v, err
}

// attackedBy starts this program again, at a nice level, to attack the victim until the context ends. The answers are complete when it has
// ended.
func (v *victim) attackedBy(ctx context.Context, level string, args ...string) (attacker *exec.Cmd, answers *bytes.Buffer, err error) {
	answers = &bytes.Buffer{}
	attacker = exec.CommandContext(ctx, "nice", append([]string{"-n", level, os.Args[0], "-attack", v.address}, args...)...) //nolint:gosec // this program
	attacker.Stdout, attacker.Stderr, attacker.WaitDelay = answers, os.Stderr, time.Second
	attacker.Cancel = func() error { return attacker.Process.Signal(os.Interrupt) }
	return attacker, answers, attacker.Start()
}

// kill ends the process if it still runs.
func (v *victim) kill() {
	_ = v.process.Process.Kill()
	_ = v.process.Wait()
}

// terminate sends SIGTERM and returns how long the process took to end, and the ids of the calls that ran. Nobody reads its
// log.
func (v *victim) terminate() (took time.Duration, ran []string, err error) {
	begun := time.Now()
	if err := v.process.Process.Signal(syscall.SIGTERM); err != nil {
		return 0, nil, err
	}
	late := time.AfterFunc(2*maxStop, func() { _ = v.process.Process.Kill() })
	defer late.Stop()
	text, err := io.ReadAll(v.out)
	took = time.Since(begun)
	return took, strings.Fields(string(text)), errors.Join(err, v.process.Wait())
}

// watchMemory returns a channel that gets the greatest resident memory in bytes once the context has ended.
func (v *victim) watchMemory(ctx context.Context) <-chan int { return watch(ctx, v.memory) }

// watchDescriptors returns a channel that gets the greatest number of open files once the context has ended.
func (v *victim) watchDescriptors(ctx context.Context) <-chan int {
	return watch(ctx, func() int {
		open, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", v.process.Process.Pid))
		return len(open)
	})
}

// watch returns a channel that gets the greatest value once the context has ended.
func watch(ctx context.Context, value func() int) <-chan int {
	peak := make(chan int, 1)
	go func() {
		most := 0
		for ctx.Err() == nil {
			most = max(most, value())
			time.Sleep(100 * time.Millisecond)
		}
		peak <- most
	}()
	return peak
}

// memory returns the resident memory in bytes.
func (v *victim) memory() int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", v.process.Process.Pid))
	if fields := strings.Fields(string(text)); len(fields) > 1 {
		pages, _ := strconv.Atoi(fields[1])
		return pages * os.Getpagesize()
	}
	return 0
}
