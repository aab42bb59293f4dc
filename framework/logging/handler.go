// Package logging writes a log that never makes a call wait.
//
// A slog handler usually writes each line before it returns. If the log is a pipe and its
// reader hangs, the program hangs at its next line. The [Handler] of this package buffers
// lines and writes them a moment later. When the buffer is full, it drops lines; when it
// can write again, it logs how many.
//
// It also adds to each line of a request which request it belongs to: a line that is logged with
// the context of a request (slog.InfoContext) has the attributes request, an id such as 8f3a12c7;
// principal, the id of the caller or "anonymous"; and client, the name and the version that the
// client gives. A group of the logger doesn't hold them.
//
// It is the default of mcp.Config.Logger, on stderr. A program that writes its log elsewhere uses
// it so:
//
//	logger := slog.New(logging.NewHandler(file, func(w io.Writer) slog.Handler {
//		return slog.NewJSONHandler(w, nil)
//	}))
package logging

import (
	"io"
	"log/slog"
	"time"

	"github.com/bowline-mcp/bowline/internal/nonblocking"
	"github.com/bowline-mcp/bowline/internal/requestlog"
)

// A Handler is a slog.Handler whose lines are written by another goroutine. It keeps up to
// 1 MiB of lines that are not written yet, and writes them within 10 ms unless the writer
// blocks. Lines that were not written are lost if the process ends without [Handler.Flush].
// An mcp.App flushes the handler of its logger when it stops, and so do mcp.ServeStdio and
// mcp.ServeTransport.
type Handler struct {
	handler
	writer *nonblocking.Writer
}

type handler = requestlog.Handler

// NewHandler returns a handler that writes to w. The function format returns the handler
// that formats the lines, such as a slog.JSONHandler. It must write each line to its writer
// by one call of Write.
func NewHandler(w io.Writer, format func(io.Writer) slog.Handler) *Handler {
	h := &Handler{}
	h.writer = nonblocking.New(w, func(lines int) { slog.New(h).Warn("the log dropped lines, since nobody read it", "lines", lines) })
	h.handler = requestlog.New(format(h.writer))
	return h
}

// WithAttrs returns the handler with attributes. It has the same buffer.
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &Handler{requestlog.New(h.handler.WithAttrs(attrs)), h.writer}
}

// WithGroup returns the handler with a group. It has the same buffer.
func (h *Handler) WithGroup(name string) slog.Handler {
	return &Handler{requestlog.New(h.handler.WithGroup(name)), h.writer}
}

// Flush waits until all lines are written, but no longer than the limit. It reports whether
// all were written.
func (h *Handler) Flush(limit time.Duration) bool { return h.writer.Flush(limit) }
