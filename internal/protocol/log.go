package protocol

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"
)

// log writes the line of a call. Lists and the like are only worth a line when
// debugging.
func (c *Core) log(call *Call) {
	level := slog.LevelDebug
	if call.name != "" || call.outcome != OutcomeOK {
		level = slog.LevelInfo
	}
	if !c.logger.Enabled(context.Background(), level) {
		return
	}
	call.answer.Lock()
	outcome := call.outcome
	call.answer.Unlock()
	// Five attributes fit in a log record without an allocation.
	what := slog.String("tool", call.name)
	if call.name == "" {
		what = slog.String("method", brief(call.Message().Method))
	}
	c.logger.LogAttrs(context.Background(), level, "call", slog.Uint64("request", call.number), what,
		slog.String("outcome", string(outcome)), slog.Duration("took", call.took()), slog.String("version", call.peer.Version.String()))
}

// maxLogged is how many bytes of what a client says are in a line.
const maxLogged = 100

// brief returns the beginning of what a client says, for the log.
func brief(text []byte) string {
	if len(text) <= maxLogged {
		return string(text)
	}
	return strings.ToValidUTF8(string(text[:maxLogged]), "") + "…"
}

// took is how long the call has taken, 0 if no handler ran.
func (call *Call) took() time.Duration {
	if call.start.IsZero() {
		return 0
	}
	return time.Since(call.start)
}

// guard runs a listener, whose panic is nobody's answer.
func (c *Core) guard(method string, fn func()) {
	defer func() {
		if value := recover(); value != nil {
			c.logger.Error("a handler panicked", "method", method, "panic", fmt.Sprint(value), "stack", string(debug.Stack()))
		}
	}()
	fn()
}
