package applog

import (
	"bytes"
	"cmp"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/internal/spec"
)

// A Call is a request that has a line in the log.
type Call struct {
	Name    string // the tool or prompt, or the URI of the resource
	Client  string // its name and version, or ""
	Ended   time.Time
	Took    time.Duration
	Outcome string
	Reason  string // perhaps of several lines, "" if there is none

	Reported bool // whether a program logs the call, if mcp dev can read its log

	request string // the id in the log of the program, "" if the line need not have it
	more    string // further attributes
	frames  string // the lines of a panic
}

// show writes the line of a call, and below it the rest of a reason with several lines.
func (l *Log) show(c *Call) {
	var b bytes.Buffer
	_, _ = fmt.Fprintf(&b, "%s  %-24s  %-20s  %6d ms  ", c.Ended.Local().Format(time.TimeOnly), shown(c.Name), shown(cmp.Or(c.Client, "unknown")), c.Took.Milliseconds())
	b.WriteString(c.Outcome)
	if c.request != "" {
		b.WriteString(" (request " + shown(c.request) + ")")
	}
	first, others, _ := strings.Cut(strings.Trim(c.Reason, "\r\n"), "\n")
	if first != "" {
		b.WriteString(": " + shownLines(first)[0])
	}
	b.WriteString(c.more + "\n")
	if others != "" {
		b.WriteString(indented(others))
	}
	b.WriteString(c.frames)
	_, _ = l.out.Write(b.Bytes())
}

// indent begins the lines that belong to the one above.
const indent = "          "

// callOf returns the call in a line of a program. It names the server only if the app has several.
// The caller holds the lock.
func (l *Log) callOf(r *record) *Call {
	c := &Call{Ended: r.time, Outcome: shown(r.text("outcome")), Reason: r.text("reason"), Client: r.text("client")}
	method, of := r.text("method"), r.text("of")
	switch c.Name = r.text("tool"); {
	case c.Name != "":
	case spec.Mirrored(method) != "" && of != "":
		c.Name = of
	default:
		c.Name = strings.TrimSpace(method + " " + of)
	}
	if principal := r.text("principal"); !isNobody(principal) {
		c.Client = strings.TrimSpace(c.Client + " for " + principal)
	}
	c.Took = r.duration("took")
	if request := r.text("request"); r.level >= slog.LevelWarn || l.mentioned[request] {
		c.request = request
		delete(l.mentioned, request)
	}
	// The reason of a panic or a timeout repeats the outcome.
	for _, repeated := range []string{"the handler " + c.Outcome + ": ", c.Outcome + " "} {
		c.Reason = strings.TrimPrefix(c.Reason, repeated)
	}
	except := []string{"outcome", "reason", "client", "tool", "method", "of", "principal", "took", "version", "request", stack}
	server := r.text("server")
	if l.server == "" {
		l.server = server
	}
	if l.several = l.several || server != l.server; !l.several {
		except = append(except, "server")
	}
	c.more = r.rest(except...)
	c.frames = l.sources.shorten(r.text(stack))
	return c
}

// isNobody reports whether a principal is that of a client that has not logged in.
func isNobody(principal string) bool {
	return principal == "" || principal == "anonymous" || principal == "local"
}

// isCall reports whether a line is that of a call.
func (r *record) isCall() bool { return r.message == "call" && r.text("outcome") != "" }

// isRead reports whether a line is that of a successful request for a resource or a prompt. Programs
// log those at level debug, so mcp dev logs them.
func (r *record) isRead() bool {
	return r.level < slog.LevelInfo && r.text("of") != "" && spec.Mirrored(r.text("method")) != ""
}
