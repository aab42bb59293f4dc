// Package doctor examines what the mcp command and an app need on this machine: programs,
// settings, the address, the registration of types, and the entries in the files of AI
// clients. Each finding says what to do.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

// patience is the time for a program, such as node, to print its version.
const patience = 10 * time.Second

// A Level tells how much a finding matters.
type Level int

const (
	// OK is something that works.
	OK Level = iota
	// Hint is something that works, but may surprise.
	Hint
	// Broken is something that keeps a command or the app from working.
	Broken
)

// A Finding is the result of one examination.
type Finding struct {
	Level   Level
	Subject string // such as Go
	What    string
	Fix     string // what to do about it; "" if nothing has to be done
}

// A Doctor examines one app.
type Doctor struct {
	// App is the app. If it is nil, only the machine is examined.
	App *scaffold.App
	// Version is the version of the mcp command.
	Version string
	// Log gets the messages of a build.
	Log io.Writer
}

// root returns the folder of the app, or "" if there is none.
func (d *Doctor) root() string {
	if d.App == nil {
		return ""
	}
	return d.App.Root
}

// Findings examines everything, and yields each finding as soon as it is known.
func (d *Doctor) Findings(ctx context.Context) iter.Seq[Finding] {
	examinations := []func(context.Context) []Finding{d.golang, d.node, d.path, d.entries}
	if d.App != nil {
		examinations = append(examinations, d.versions, d.settings, d.program)
	}
	return func(yield func(Finding) bool) {
		for _, examine := range examinations {
			for _, finding := range examine(ctx) {
				if !yield(finding) {
					return
				}
			}
		}
	}
}

// Line returns the finding as one line. Color tells whether the mark has a color.
func (f Finding) Line(color bool) string {
	mark, code := "✓", 32
	switch f.Level {
	case OK:
	case Hint:
		mark, code = "!", 33
	case Broken:
		mark, code = "✗", 31
	}
	if color {
		mark = fmt.Sprintf("\x1b[%dm%s\x1b[0m", code, mark)
	}
	text := f.What
	switch {
	case f.Fix == "":
	case strings.HasSuffix(text, "?"):
		text += " " + f.Fix
	default:
		text += "; " + f.Fix
	}
	return fmt.Sprintf("%s %-9s %s\n", mark, f.Subject, strings.ReplaceAll(text, "\n", ": "))
}

// broken returns the finding of an error, whose last part says what to do.
func broken(subject string, err error) Finding {
	if failed, ok := errors.AsType[*launcher.ListError](err); ok {
		return Finding{Broken, subject, failed.What, failed.Fix}
	}
	text := err.Error()
	if i := strings.LastIndex(text, "; "); i >= 0 {
		return Finding{Broken, subject, text[:i], text[i+len("; "):]}
	}
	return Finding{Broken, subject, text, "mend it, and run mcp doctor again"}
}

// firstLine returns the first line of what a program printed, or the error.
func firstLine(printed []byte, err error) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(printed)), "\n")
	if err != nil {
		return cmp.Or(line, err.Error())
	}
	return line
}
