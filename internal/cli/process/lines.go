package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// MaxLine is how many bytes of a line of a program are kept. The output after a longer line isn't
// read, so that the program can't write any more.
const MaxLine = 64 << 20

// StartLines is [Start] for a program whose stdout has lines. It calls line with each of them that
// isn't blank, which line may keep, or tooLong once if one has more than MaxLine bytes. While they
// run, the program can't write. The channel passed is closed after the last line, even if that takes
// longer than the program runs.
func StartLines(command *exec.Cmd, line func([]byte), tooLong func()) (p *Process, passed <-chan struct{}, err error) {
	stdout, written, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("start the program: %w", err)
	}
	command.Stdout = written
	p, err = Start(command)
	_ = written.Close()
	if err != nil {
		_ = stdout.Close()
		return nil, nil, err
	}
	lines, over := make(chan []byte), make(chan struct{})
	go func() {
		defer close(lines)
		read(jsonrpc.NewLines(stdout, MaxLine), tooLong, func(next []byte) {
			select {
			case lines <- next:
			case <-over:
			}
		})
		_ = stdout.Close()
	}()
	go func() {
		pass(lines, p.Exited, line)
		close(over)
		_ = stdout.Close()
	}()
	return p, over, nil
}

// read calls a function with each line, until one is too long.
func read(lines *jsonrpc.Lines, tooLong func(), line func([]byte)) {
	for {
		next, err := lines.Next()
		switch {
		case errors.Is(err, jsonrpc.ErrTooLong):
			tooLong()
			return
		case err != nil: // a part of a line doesn't count
			return
		}
		line(bytes.TrimSuffix(next, []byte("\n")))
	}
}

// pass calls a function with each line. After the end of the program it waits for heldLimit in
// all. The time of the function doesn't count, since the lines of the program are still there.
func pass(lines <-chan []byte, exited <-chan struct{}, line func([]byte)) {
	var held <-chan time.Time // set when the program has ended
	for left := heldLimit; ; {
		begin := time.Now()
		select {
		case next, more := <-lines:
			if !more {
				return
			}
			if held != nil {
				left -= time.Since(begin)
			}
			line(next)
		case <-exited:
			exited = nil
		case <-held:
			return
		}
		if exited == nil {
			held = time.After(left)
		}
	}
}
