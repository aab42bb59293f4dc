package call

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/requestlog"
)

// An Ending is how a call ended.
type Ending struct {
	Outcome exchange.Outcome
	Err     error // why the outcome isn't ok, nil if nothing more is known
	Took    time.Duration
}

// logOfLists is the log level of successful calls that ran no tool.
const logOfLists = slog.LevelDebug

// ending returns how the call ended, and whether it hasn't been asked before.
func (c *Call) ending() (ending Ending, first bool) {
	c.lock.Lock()
	defer c.lock.Unlock()
	first, c.reported = !c.reported, true
	return Ending{c.outcome, c.problem, time.Since(c.start)}, first
}

// dispatch dispatches the event of a call.
func (e *Ending) dispatch(c *Call) {
	if c.server.Listening != nil && c.server.Listening() {
		c.server.Over(c, *e)
	}
}

// log writes the line of a call.
func (e *Ending) log(c *Call) {
	tool := ""
	if c.operation != nil {
		tool = c.operation.Tool
	}
	level := slog.LevelInfo
	switch {
	case e.Outcome != exchange.OutcomeOK:
		level = e.Outcome.Level()
	case tool == "":
		level = logOfLists
	}
	if !c.server.Logger.Enabled(&c.ctx, level) {
		return
	}
	attrs := make([]slog.Attr, 0, 6)
	if tool != "" {
		attrs = append(attrs, slog.String("tool", tool))
	} else {
		attrs = append(attrs, slog.String("method", Brief(c.facts.Method)))
		if key := c.Key(); key != "" {
			attrs = append(attrs, slog.String("of", key))
		}
	}
	attrs = append(attrs, slog.String("outcome", string(e.Outcome)))
	attrs = append(attrs, slog.Duration("took", e.Took), slog.String("version", c.facts.Version.String()))
	if e.Err != nil {
		attrs = append(attrs, reasons(e.Err)...)
	}
	// A record without the place of the caller costs 5 % less of a call than Logger.LogAttrs.
	line := slog.NewRecord(time.Now(), level, "call", 0)
	line.AddAttrs(attrs...)
	_ = c.server.Logger.Handler().Handle(&c.ctx, line)
}

// logLate logs that a handler failed after its call had been reported.
func (e *Ending) logLate(c *Call) {
	attrs := append([]slog.Attr{slog.String("outcome", string(e.Outcome))}, reasons(e.Err)...)
	c.server.Logger.LogAttrs(&c.ctx, e.Outcome.Level(), "a handler failed after its call had ended", attrs...)
}

// LogAttrs returns the attributes that identify the call.
func (c *Call) LogAttrs() [requestlog.MaxAttrs]slog.Attr {
	return subjectAttrs(c.logID, exchange.PrincipalFrom(c.ctx.Context).ID, c.server.clients.name(c.facts.Info))
}

// Identify returns a context whose log lines name a request that isn't a call, with its
// client's description of itself.
func Identify(ctx context.Context, client []byte) context.Context {
	return requestlog.With(ctx, &subject{requestlog.NewID(), exchange.PrincipalFrom(ctx).ID, clientName(client)})
}

// A subject is a request that isn't a call, such as one that opens a stream.
type subject struct {
	id                requestlog.ID
	principal, client string
}

// LogAttrs returns the attributes that identify the request.
func (s *subject) LogAttrs() [requestlog.MaxAttrs]slog.Attr {
	return subjectAttrs(s.id, s.principal, s.client)
}

func subjectAttrs(id requestlog.ID, principal, client string) [requestlog.MaxAttrs]slog.Attr {
	if principal == "" {
		principal = "anonymous"
	}
	return [...]slog.Attr{slog.String("request", id.String()), slog.String("principal", principal), slog.String("client", client)}
}

// clientNames remembers the name of the first client, the only one on stdio. It saves 5 % of a
// call there.
type clientNames struct{ first atomic.Pointer[namedClient] }

type namedClient struct {
	description []byte
	name        string
}

// name returns the name and the version of a client; see clientName.
func (n *clientNames) name(description []byte) string {
	first := n.first.Load()
	if first != nil && bytes.Equal(first.description, description) {
		return first.name
	}
	name := clientName(description)
	if first == nil && 0 < len(description) && len(description) <= limits.MaxClientInfo {
		n.first.Store(&namedClient{bytes.Clone(description), name})
	}
	return name
}

// clientName returns the name and the version that a client gives in its description of itself.
func clientName(description []byte) string {
	if !jsonrpc.IsObject(description) {
		return "unknown"
	}
	var name, version []byte
	for c := rawjson.Enter(description, 0, rawjson.MaxNesting); c.Next(); {
		switch string(c.Name) {
		case `"name"`:
			name, _ = jsonrpc.Text(c.Value())
		case `"version"`:
			version, _ = jsonrpc.Text(c.Value())
		}
	}
	if len(name) == 0 {
		return "unknown"
	}
	text := make([]byte, 0, 2*limits.MaxLogged+1)
	text = append(text, name[:min(len(name), limits.MaxLogged)]...)
	if len(version) > 0 {
		text = append(append(text, '/'), version[:min(len(version), limits.MaxLogged)]...)
	}
	return printable(string(text))
}

// reasons returns an error, and the stack of a panic.
func reasons(err error) []slog.Attr {
	attrs := []slog.Attr{slog.Any("reason", loggedError{err})}
	if panicked, ok := errors.AsType[*PanicError](err); ok {
		attrs = append(attrs, slog.String("stack", panicked.stack))
	}
	return attrs
}

// A loggedError is an error of the program with a text for the log. Handlers of the log can
// unwrap it.
type loggedError struct{ err error }

// Error returns the beginning of the text.
func (e loggedError) Error() string {
	text := e.err.Error()
	return printable(text[:min(len(text), limits.MaxCause)])
}

// Unwrap returns the error.
func (e loggedError) Unwrap() error { return e.err }

// isPrintable reports whether a text is printable ASCII, as nearly all are.
func isPrintable(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] >= utf8.RuneSelf-1 {
			return false
		}
	}
	return true
}

// printable returns a text without control characters, but with its lines.
func printable(text string) string {
	if isPrintable(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}

// Brief returns the beginning of a text that a client sent, for the log, without control
// characters.
func Brief[Text ~string | ~[]byte](text Text) string {
	brief, rest := string(text[:min(len(text), limits.MaxLogged)]), ""
	if len(brief) < len(text) {
		rest = "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(brief, "")) + rest
}
