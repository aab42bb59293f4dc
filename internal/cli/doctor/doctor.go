// Package doctor checks what the mcp command and an app need on this machine: programs,
// settings, the address, the registration of types, and the entries in the files of AI
// clients. Each finding says what to do.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/finding"
	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

// patience is the time for a program, such as node, to print its version.
const patience = 10 * time.Second

// A Doctor checks one app.
type Doctor struct {
	// App is the app. If it is nil, only the machine is checked.
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

// Findings checks everything, and yields each finding as soon as it is known.
func (d *Doctor) Findings(ctx context.Context) iter.Seq[finding.Finding] {
	examinations := []func(context.Context) []finding.Finding{d.golang, d.node, d.path, d.entries}
	if d.App != nil {
		examinations = append(examinations, d.versions, d.settings, d.directives, d.program)
	}
	return func(yield func(finding.Finding) bool) {
		for _, examine := range examinations {
			for _, found := range examine(ctx) {
				if !yield(found) {
					return
				}
			}
		}
	}
}

// broken returns the finding of an error.
func broken(subject string, err error) finding.Finding {
	if problem, ok := errors.AsType[*finding.Problem](err); ok {
		return finding.Broken(subject, problem.What.Error(), problem.Fix)
	}
	return finding.Broken(subject, err.Error(), "correct that, and run mcp doctor again")
}

// firstLine returns the first line of what a program printed, or the error.
func firstLine(printed []byte, err error) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(printed)), "\n")
	if err != nil {
		return cmp.Or(line, err.Error())
	}
	return line
}
