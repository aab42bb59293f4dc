package transport

import (
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// RefuseError answers a request that has no valid message with an error, and logs it.
func RefuseError(logger *slog.Logger, w http.ResponseWriter, r *http.Request, refusal *exchange.Error) {
	LeaveBody(w, r)
	logRefusal(logger, r, refusal.Status, refusal.Message, causeOf(refusal)...)
	call.Refuse(nil, refusal, spec.VersionUnknown, &httpReply{w: w, request: r, limits: &Limits{WriteTime: limits.ShortAnswer},
		acceptsJSON: true, endsConnection: r.ContentLength != 0, noWriteTimeout: hasNoWriteTimeout(r)})
	Drain(w, r)
}

// Refuse answers a request that has no message with a status and a text, and logs it.
func Refuse(logger *slog.Logger, w http.ResponseWriter, r *http.Request, status int, text string) {
	logRefusal(logger, r, status, text)
	WriteText(w, r, status, text)
}

// WriteText answers a request that needs no body with a status and a text.
func WriteText(w http.ResponseWriter, r *http.Request, status int, text string) {
	WriteBody(w, r, status, "text/plain; charset=utf-8", []byte(text+"\n"))
}

// WriteBody answers a request that needs no body with a status and a body of a type.
func WriteBody(w http.ResponseWriter, r *http.Request, status int, kind string, body []byte) {
	LeaveBody(w, r)
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(len(body))) // Drain flushes, so net/http would send chunks
	w.WriteHeader(status)
	_, _ = w.Write(body)
	finish(w, r)
	Drain(w, r)
}

// WriteStatus answers a request with a status and no body.
func WriteStatus(w http.ResponseWriter, r *http.Request, status int) {
	if hasNoWriteTimeout(r) && status != http.StatusNoContent {
		w.Header().Set("Content-Length", "0") // finish flushes, so net/http would send chunks
	}
	w.WriteHeader(status)
	finish(w, r)
}

// finish sends a short answer within a time if the HTTP server doesn't limit it. Otherwise a
// client that sends requests and never reads would keep its connection for good.
func finish(w http.ResponseWriter, r *http.Request) {
	if conn, ok := writerAs[interface{ SetWriteDeadline(time.Time) error }](w); ok && hasNoWriteTimeout(r) {
		_ = conn.SetWriteDeadline(time.Now().Add(limits.ShortAnswer))
		_ = http.NewResponseController(w).Flush()
		_ = conn.SetWriteDeadline(time.Time{}) // net/http would keep it for the next requests
	}
}

// hasNoWriteTimeout reports whether the HTTP server doesn't limit the time of an answer.
func hasNoWriteTimeout(r *http.Request) bool {
	server, ok := r.Context().Value(http.ServerContextKey).(*http.Server)
	return ok && server.WriteTimeout <= 0
}

// LeaveBody closes the connection after an answer that doesn't wait for the body of the
// request. Otherwise net/http reads the body, which may never come, to reuse the
// connection.
func LeaveBody(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength == 0 {
		return
	}
	w.Header().Set("Connection", "close")
	if conn, ok := writerAs[interface{ SetReadDeadline(time.Time) error }](w); ok {
		_ = conn.SetReadDeadline(time.Now().Add(limits.UnreadBodyTimeout))
	}
}

// Drain reads the rest of the body after the answer was written. Many clients read the
// answer only when they have sent the whole body; without Drain, they would lose it when
// the connection closes. The deadline of LeaveBody bounds the time.
func Drain(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength == 0 || r.ProtoMajor >= 2 { // over HTTP/2 a client reads while it sends
		return
	}
	if _, timed := writerAs[interface{ SetReadDeadline(time.Time) error }](w); !timed || http.NewResponseController(w).Flush() != nil {
		return
	}
	defer draining.Add(-1)
	if draining.Add(1) > limits.LeftBodies {
		return
	}
	for left := limits.LeftBodyBytes; left > 0; left -= limits.LeftBodyPart {
		if _, err := io.CopyN(io.Discard, r.Body, limits.LeftBodyPart); err != nil {
			return
		}
		time.Sleep(limits.LeftBodyPause)
	}
}

// draining is how many bodies are being drained. All servers of the process share the
// limit, since it bounds processor time.
var draining atomic.Int64 //nolint:gochecknoglobals // see above

// logRefusal logs that a request was refused. Some lines are at debug level: 405, since
// clients try to open streams that a server may not have; 404 for metadata, which clients look
// for at several paths; 429, since clients that get it send many requests; and 401 without a
// token, by which clients begin. The line has the path of the URL, but not the query, which may
// contain secrets.
func logRefusal(logger *slog.Logger, r *http.Request, status int, reason string, attrs ...slog.Attr) {
	level := slog.LevelWarn
	asks := status == http.StatusUnauthorized && r.Header["Authorization"] == nil ||
		status == http.StatusNotFound && strings.HasPrefix(r.URL.Path, "/.well-known/")
	if status == http.StatusMethodNotAllowed || status == http.StatusTooManyRequests || asks {
		level = slog.LevelDebug
	}
	call.LogRefusal(r.Context(), logger, level, reason,
		append([]slog.Attr{slog.Int("status", status), slog.String("http", call.Brief(r.Method)), slog.String("path", call.Brief(r.URL.Path))}, attrs...)...)
}

// causeOf returns the cause of an error, which only the log has. It isn't a text of the
// client, so it is whole, unless it is very long.
func causeOf(refusal *exchange.Error) []slog.Attr {
	if refusal.Err == nil || refusal.Err.Error() == refusal.Message {
		return nil
	}
	cause := refusal.Err.Error()
	return []slog.Attr{slog.String("cause", strings.ToValidUTF8(cause[:min(len(cause), limits.MaxCause)], ""))}
}
