// Package redirect sends what a program prints to stderr while stdout carries the protocol.
package redirect

import (
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/nonblocking"
)

// Stdout reserves stdout for the protocol if out is os.Stdout: until the returned
// function is called, os.Stdout is a pipe to stderr, so that a fmt.Println in a handler
// doesn't break the client's stream. The first output is logged. If nobody reads stderr,
// output is dropped, and logged when stderr is read again; a print never waits. Code that
// copied os.Stdout earlier, such as a logger, still writes to stdout.
func Stdout(out io.Writer, logger *slog.Logger) (restore func()) {
	stdout, ok := out.(*os.File)
	if !ok || stdout != os.Stdout { //nolint:forbidigo // this is what keeps it for the protocol
		return func() {}
	}
	read, write, err := os.Pipe()
	if err != nil {
		logger.Warn("os.Stdout can't be redirected to stderr, so output of the program breaks the client's stream; print to os.Stderr instead", "error", err)
		return func() {}
	}
	os.Stdout = write //nolint:forbidigo // this is what keeps it for the protocol
	printed := nonblocking.New(os.Stderr, func(lines int) {
		logger.Warn("dropped output of the program to stdout, since nobody read stderr", "lines", lines)
	})
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		defer func() { _ = read.Close() }()
		first := make([]byte, 4096)
		n, err := read.Read(first)
		if err != nil {
			return // nothing was printed
		}
		logger.Warn("the program printed to stdout, which is reserved for the protocol; this and all later output goes to stderr; print to os.Stderr instead")
		_, _ = printed.Write(first[:n])
		_, _ = io.Copy(printed, read)
	}()
	return func() {
		os.Stdout = stdout //nolint:forbidigo // this is what keeps it for the protocol
		_ = write.Close()
		select {
		case <-copied:
		case <-time.After(limits.DrainGrace): // another process has the pipe too
		}
		printed.Flush(limits.LogFlush)
	}
}
