// Package console writes a log for people: as lines of text like [slog.TextHandler], but
// with a stack in lines of its own.
package console

import (
	"context"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
)

// StackKey is the key of an attribute that holds a stack.
const StackKey = "stack"

// IsTerminal reports whether a file is a terminal, where a person reads the log.
func IsTerminal(file *os.File) bool {
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull) // a device, too
	return err != nil || !os.SameFile(info, null)
}

// A handler writes records to a terminal.
type handler struct {
	text slog.Handler
	out  io.Writer
	lock *sync.Mutex // keeps a stack below its record
}

// New returns a handler that writes to a terminal.
func New(out io.Writer, options *slog.HandlerOptions) slog.Handler {
	return &handler{slog.NewTextHandler(out, options), out, &sync.Mutex{}}
}

// Enabled reports whether records of the level are written.
func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.text.Enabled(ctx, level)
}

// Handle writes a record as one line, and its stack below.
func (h *handler) Handle(ctx context.Context, record slog.Record) error {
	stack := ""
	line := slog.NewRecord(record.Time, record.Level, record.Message, record.PC)
	record.Attrs(func(attr slog.Attr) bool {
		if attr.Key == StackKey && attr.Value.Kind() == slog.KindString {
			stack = attr.Value.String()
		} else {
			line.AddAttrs(attr)
		}
		return true
	})
	h.lock.Lock()
	defer h.lock.Unlock()
	if err := h.text.Handle(ctx, line); err != nil || stack == "" {
		return err
	}
	_, err := io.WriteString(h.out, indented(stack))
	return err
}

// indented returns a stack as indented lines. Control characters other than tabs, which a
// path may have, are left out.
func indented(stack string) string {
	var b strings.Builder
	for line := range strings.Lines(stack) {
		b.WriteString("    ")
		for _, r := range strings.TrimRight(line, "\n") {
			if r == '\t' || r >= ' ' && r != 0x7f && (r < 0x80 || r > 0x9f) {
				b.WriteRune(r)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// WithAttrs returns a handler whose records have the attributes, too.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &handler{h.text.WithAttrs(attrs), h.out, h.lock}
}

// WithGroup returns a handler whose records have their attributes in a group.
func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{h.text.WithGroup(name), h.out, h.lock}
}
