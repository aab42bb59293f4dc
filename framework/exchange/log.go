package exchange

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
	"github.com/bowline-mcp/bowline/internal/requestlog"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// The levels of MCP that package slog doesn't name. It names debug, info, warning and
// error.
const (
	LevelNotice    = slog.Level(2)
	LevelCritical  = slog.Level(12)
	LevelAlert     = slog.Level(16)
	LevelEmergency = slog.Level(20)
)

// Log returns a logger that sends its messages to the client, before the answer
// (specification: notifications/message). The client chooses the lowest level that it
// gets. A client of 2026-07-28 chooses it in each request, and otherwise gets no
// messages. An older client chooses it for its session, and gets info and above until
// then.
//
// A message is an object with the text, as "msg", and the attributes. An attribute whose
// name is already in use gets a number: "msg2". Never log anything that the client must
// not know. The specification deprecates this feature. The program's own log is
// Config.Logger.
func (r *Request) Log() *slog.Logger {
	sink := &logSink{call: r.call()}
	inner := slog.NewJSONHandler(sink, &slog.HandlerOptions{Level: slog.LevelDebug - 1000}) // the call decides
	return slog.New(&logHandler{sink, inner})
}

// Logger returns the program's logger, Config.Logger, with the server's name as an attribute. Its
// lines belong to the request: each has the id, the principal and the client of the request, as
// the line of the call has them.
func (r *Request) Logger() *slog.Logger { return r.call().Logger() }

// LoggerFrom returns the logger of the request whose context it is (see [Request.Logger]), for code
// that has no Request, such as a function of tools.Func. Outside of a request, it returns
// slog.Default.
func LoggerFrom(ctx context.Context) *slog.Logger {
	if call, ok := ctx.Value(requestlog.Key{}).(interface{ Logger() *slog.Logger }); ok {
		return call.Logger()
	}
	return slog.Default()
}

// A logHandler lets package slog encode the attributes, and sends the result.
type logHandler struct {
	sink  *logSink
	inner slog.Handler
}

// A logSink sends one message at a time.
type logSink struct {
	call  request.Call
	lock  sync.Mutex
	level spec.Severity
}

// Write sends one message without its first member, the level, which the notification
// carries.
func (s *logSink) Write(line []byte) (int, error) {
	_, rest, _ := bytes.Cut(bytes.TrimSpace(line), []byte(","))
	return len(line), s.call.Log(s.level, uniqueNames(append([]byte("{"), rest...)).Append(nil))
}

// uniqueNames parses an object and numbers repeated names.
func uniqueNames(object []byte) spec.Object {
	var unique spec.Object
	for name, value := range rawjson.Members(object) {
		if value[0] == '{' {
			value = uniqueNames(value).Append(nil)
		}
		free := name
		for n := 2; unique.Get(free) != nil; n++ {
			free = fmt.Sprint(name, n)
		}
		unique.Set(free, value)
	}
	return unique
}

// Enabled reports whether the client wants messages of the level.
func (h *logHandler) Enabled(_ context.Context, level slog.Level) bool {
	return h.sink.call.Facts().Logs(severity(level))
}

// Handle sends a message.
func (h *logHandler) Handle(ctx context.Context, record slog.Record) error {
	h.sink.lock.Lock()
	defer h.sink.lock.Unlock()
	h.sink.level = severity(record.Level)
	record.Time = time.Time{} // so that it isn't sent
	return h.inner.Handle(ctx, record)
}

// WithAttrs returns a handler whose messages all have the attributes.
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &logHandler{h.sink, h.inner.WithAttrs(attrs)}
}

// WithGroup returns a handler that puts later attributes into a group.
func (h *logHandler) WithGroup(name string) slog.Handler {
	return &logHandler{h.sink, h.inner.WithGroup(name)}
}

// severity returns the MCP severity for a level, or the next lower one.
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
