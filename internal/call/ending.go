package call

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// An Ending is how a call ended.
type Ending struct {
	Outcome Outcome
	Err     error // why it failed, nil if it didn't
	Took    time.Duration
}

// An Outcome is how a call was answered, in a word for the log.
type Outcome string

// The outcomes of calls, and then those that only streams have.
const (
	OutcomeOK        Outcome = "ok"
	OutcomeToolError Outcome = "tool error" // a result with isError set
	OutcomeError     Outcome = "error"
	OutcomeTimeout   Outcome = "timed out"
	OutcomeCancelled Outcome = "cancelled"
	OutcomeAsked     Outcome = "asked" // the client answers, and then calls again

	OutcomeDisconnected Outcome = "disconnected"
	OutcomeTooSlow      Outcome = "too slow"
)

// Key returns the name or the URI, or template, of what the call is for; "" if it is
// for nothing that there is.
func (c *Call) Key() string {
	if c.operation == nil {
		return ""
	}
	return c.operation.Key
}

// ending returns how the call has ended. Its handler has returned, and its context has
// not been ended for that.
func (c *Call) ending() Ending {
	c.lock.Lock()
	outcome := c.outcome
	c.lock.Unlock()
	ending := Ending{Outcome: outcome, Took: time.Since(c.start)}
	switch outcome {
	case OutcomeTimeout:
		ending.Err = &TimeoutError{c.timeout}
	case OutcomeToolError, OutcomeError:
		if errors.Is(c.ctx.Err(), context.Canceled) {
			ending.Outcome = OutcomeCancelled // what a handler says then is about that
			return ending
		}
		ending.Err = c.problem
	default:
	}
	return ending
}

// logOfLists is the level of the lines of calls that ran no tool and went well.
const logOfLists = slog.LevelDebug

// log writes the line of the call. Lists and the like are only worth a line when
// debugging.
func (c *Call) log() {
	c.lock.Lock()
	outcome := c.outcome
	c.lock.Unlock()
	tool := ""
	if c.operation != nil {
		tool = c.operation.Tool
	}
	level := logOfLists
	if tool != "" || outcome != OutcomeOK {
		level = slog.LevelInfo
	}
	ctx := c.Context()
	if !c.server.Logger.Enabled(ctx, level) {
		return
	}
	took := time.Duration(0) // if no handler ran
	if !c.start.IsZero() {
		took = time.Since(c.start)
	}
	// Five attributes fit in a log record without an allocation.
	what := slog.String("tool", tool)
	if tool == "" {
		what = slog.String("method", brief(c.method))
	}
	c.server.Logger.LogAttrs(ctx, level, "call", slog.Uint64("request", c.number), what,
		slog.String("outcome", string(outcome)), slog.Duration("took", took), slog.String("version", c.peer.Version.String()))
}

// brief returns the beginning of what a client says, for the log.
func brief[Text ~string | ~[]byte](text Text) string {
	if len(text) <= limits.MaxLogged {
		return string(text)
	}
	return strings.ToValidUTF8(string(text[:limits.MaxLogged]), "") + "…"
}
