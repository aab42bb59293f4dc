package protocol

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strconv"
	"time"
)

// log writes the line of a call. Lists and the like are only worth a line when
// debugging.
func (c *Core) log(call *Call) {
	level := slog.LevelDebug
	if call.name != "" || call.outcome != "ok" {
		level = slog.LevelInfo
	}
	if !c.logger.Enabled(context.Background(), level) {
		return
	}
	call.answer.Lock()
	outcome := call.outcome
	call.answer.Unlock()
	attrs := make([]slog.Attr, 0, 6)
	attrs = append(attrs, slog.String("request", requestID(call)), slog.String("method", string(call.Message().Method)))
	if call.name != "" {
		attrs = append(attrs, slog.String("tool", call.name))
	}
	attrs = append(attrs, slog.String("outcome", outcome), slog.Duration("took", time.Since(call.start)),
		slog.String("version", call.peer.Version.String()))
	c.logger.LogAttrs(context.Background(), level, "call", attrs...)
}

// requestID tells the calls of a process apart in its log.
func requestID(call *Call) string {
	return strconv.FormatUint(call.number, 36)
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
