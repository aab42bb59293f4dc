package process

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// MaxLine is how many bytes of a line of a program are kept. The output after a longer line isn't
// read, so that the program can't write any more.
const MaxLine = 64 << 20

// heldLimit is how long the output is awaited after the end of the program. A process that the
// program started may hold it open.
const heldLimit = time.Second

// Output says what to do with the lines of a program's stdout.
type Output struct {
	Line    func([]byte) // called with each line, which it may keep
	TooLong func()       // called once, for a line of more than MaxLine
}

// StartLines is [Start] for a program whose stdout has lines. A function of the output that takes
// its time keeps the program from writing. The channel passed is closed after the last line, even
// if that takes longer than the program runs.
func StartLines(root, path string, args, env []string, output Output, stderr io.Writer) (p *Process, passed <-chan struct{}, err error) {
	stdout, written, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("start the program: %w", err)
	}
	p, err = Start(root, path, args, env, written, stderr)
	_ = written.Close()
	if err != nil {
		_ = stdout.Close()
		return nil, nil, err
	}
	lines, over := make(chan []byte), make(chan struct{})
	go func() {
		defer close(lines)
		_, _ = io.Copy(&lineWriter{limit: MaxLine, tooLong: output.TooLong, line: func(line []byte) {
			select {
			case lines <- line:
			case <-over:
			}
		}}, stdout)
		_ = stdout.Close()
	}()
	go func() {
		pass(lines, p.Exited, output.Line)
		close(over)
		_ = stdout.Close()
	}()
	return p, over, nil
}

// pass calls a function with each line. After the end of the program it waits for heldLimit in
// all. The time of the function doesn't count, since the lines of the program are still there.
func pass(lines <-chan []byte, exited <-chan struct{}, line func([]byte)) {
	for running := true; running; {
		select {
		case got, more := <-lines:
			if !more {
				return
			}
			line(got)
		case <-exited:
			running = false
		}
	}
	for left := heldLimit; ; {
		begin := time.Now()
		select {
		case got, more := <-lines:
			if !more {
				return
			}
			left -= time.Since(begin)
			line(got)
		case <-time.After(left):
			return
		}
	}
}

var errLineTooLong = errors.New("the line is too long")

// A lineWriter calls a function with each line that is written to it.
type lineWriter struct {
	limit   int // of a line, in bytes
	line    func([]byte)
	tooLong func() // called once
	rest    []byte
}

// Write takes output. Only one goroutine may call it. After an error, the writer of the output
// can't write any more.
func (w *lineWriter) Write(output []byte) (int, error) {
	n := len(output)
	for {
		line, rest, ended := bytes.Cut(output, []byte("\n"))
		switch {
		case len(w.rest)+len(line) > w.limit:
			w.tooLong()
			return 0, errLineTooLong
		case !ended:
			w.rest = append(w.rest, output...)
			return n, nil
		}
		if w.rest = append(w.rest, line...); len(w.rest) > 0 {
			w.line(w.rest)
		}
		w.rest, output = nil, rest // a new slice, since the line may be kept
	}
}
