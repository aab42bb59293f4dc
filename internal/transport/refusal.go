package transport

import (
	"log/slog"
	"net/http"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/call"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// refuse answers a request that has no valid message with an error, and logs it.
func refuse(logger *slog.Logger, w http.ResponseWriter, r *http.Request, refused *exchange.Error) {
	LeaveBody(w, r)
	logRefusal(logger, r, refused.Status, refused.Message)
	call.Refuse(nil, refused, spec.VersionUnknown, &httpReply{w: w, acceptsJSON: true})
}

// Refuse answers a request that has no message with a status and a text, and logs it.
func Refuse(logger *slog.Logger, w http.ResponseWriter, r *http.Request, status int, text string) {
	LeaveBody(w, r)
	logRefusal(logger, r, status, text)
	http.Error(w, text, status)
}

// logRefusal logs that a request was refused. Two statuses are at debug level: 405, since
// clients try to open streams that a server may not have, and 429, since such clients send
// many requests. The line has the path of the URL, but not the query, which may contain
// secrets.
func logRefusal(logger *slog.Logger, r *http.Request, status int, reason string) {
	level := slog.LevelWarn
	if status == http.StatusMethodNotAllowed || status == http.StatusTooManyRequests {
		level = slog.LevelDebug
	}
	call.LogRefusal(r.Context(), logger, level, reason,
		slog.Int("status", status), slog.String("http", call.Brief(r.Method)), slog.String("path", call.Brief(r.URL.Path)))
}
