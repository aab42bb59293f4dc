package exchange

import (
	"bytes"
	"context"
	"log/slog"
	"sync"

	"github.com/bowline-mcp/bowline/internal/request"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// The levels of MCP that package slog has no name for. Its own are debug, info,
// warning and error.
const (
	LevelNotice    = slog.Level(2)
	LevelCritical  = slog.Level(12)
	LevelAlert     = slog.Level(16)
	LevelEmergency = slog.Level(20)
)

// Log returns a logger whose messages go to the client, before the answer
// (specification: notifications/message). The client says from which level on: a
// client of 2026-07-28 with each request, and gets none if it doesn't; an older one
// for its session, and gets warnings and worse if it doesn't.
//
// A message is an object of the text, as "msg", and the attributes. Never log what
// the client may not know. The specification calls this feature deprecated: the log
// of the program is Config.Logger.
func (r *Request) Log() *slog.Logger {
	sink := &logSink{call: r.call()}
	inner := slog.NewJSONHandler(sink, &slog.HandlerOptions{
		Level: slog.LevelDebug - 1000, // the call decides
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey) {
				return slog.Attr{}
			}
			return a
		},
	})
	return slog.New(&logHandler{sink, inner})
}

// A logHandler lets package slog write the attributes, and sends what it has written.
type logHandler struct {
	sink  *logSink
	inner slog.Handler
}

// logSink takes one message at a time.
type logSink struct {
	call  request.Call
	lock  sync.Mutex
	level spec.Severity
}

// Write sends one message, without the line's end.
func (s *logSink) Write(line []byte) (int, error) {
	return len(line), s.call.Log(s.level, bytes.TrimSpace(line))
}

// Enabled reports whether the client wants messages of the level.
func (h *logHandler) Enabled(_ context.Context, level slog.Level) bool {
	return h.sink.call.Logs(severity(level))
}

// Handle sends a message.
func (h *logHandler) Handle(ctx context.Context, record slog.Record) error {
	h.sink.lock.Lock()
	defer h.sink.lock.Unlock()
	h.sink.level = severity(record.Level)
	return h.inner.Handle(ctx, record)
}

// WithAttrs returns a handler whose messages all have the attributes.
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &logHandler{h.sink, h.inner.WithAttrs(attrs)}
}

// WithGroup returns a handler that puts what follows into a group.
func (h *logHandler) WithGroup(name string) slog.Handler {
	return &logHandler{h.sink, h.inner.WithGroup(name)}
}

// severity returns the severity of MCP for a level, or the next one below it.
func severity(level slog.Level) spec.Severity {
	switch {
	case level >= LevelEmergency:
		return spec.SeverityEmergency
	case level >= LevelAlert:
		return spec.SeverityAlert
	case level >= LevelCritical:
		return spec.SeverityCritical
	case level >= slog.LevelError:
		return spec.SeverityError
	case level >= slog.LevelWarn:
		return spec.SeverityWarning
	case level >= LevelNotice:
		return spec.SeverityNotice
	case level >= slog.LevelInfo:
		return spec.SeverityInfo
	}
	return spec.SeverityDebug
}
