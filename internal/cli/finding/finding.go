// Package finding describes what a command of mcp has found: what works or doesn't, and what to do
// about it.
package finding

import (
	"fmt"
	"strings"
)

// A Level tells how much a finding matters.
type Level int

const (
	// LevelOK is something that works.
	LevelOK Level = iota
	// LevelHint is something that works, but may surprise.
	LevelHint
	// LevelBroken is something that keeps a command or the app from working.
	LevelBroken
)

// Mark returns the mark of a level, perhaps with its color.
func (l Level) Mark(color bool) string {
	mark, code := "✓", 32
	switch l {
	case LevelOK:
	case LevelHint:
		mark, code = "!", 33
	case LevelBroken:
		mark, code = "✗", 31
	}
	if color {
		return fmt.Sprintf("\x1b[%dm%s\x1b[0m", code, mark)
	}
	return mark
}

// A Finding is the result of one examination.
type Finding struct {
	Level   Level
	Subject string // such as Go
	What    string
	Fix     string // what to do about it; "" if nothing has to be done
}

// OK returns the finding of something that works.
func OK(subject, what string) Finding { return Finding{LevelOK, subject, what, ""} }

// Hint returns the finding of something that may surprise.
func Hint(subject, what, fix string) Finding { return Finding{LevelHint, subject, what, fix} }

// Broken returns the finding of something that doesn't work.
func Broken(subject, what, fix string) Finding { return Finding{LevelBroken, subject, what, fix} }

// Line returns the finding as one line. Color tells whether the mark has a color.
func (f Finding) Line(color bool) string {
	text := f.What
	if f.Fix != "" {
		text = join(text, f.Fix)
	}
	return fmt.Sprintf("%s %-9s %s\n", f.Level.Mark(color), f.Subject, strings.ReplaceAll(text, "\n", ": "))
}

// A Problem is an error that says what is wrong, and what to do about it.
type Problem struct {
	What error
	Fix  string
}

// NewProblem returns a Problem. What is wrong is a text as by fmt.Errorf.
func NewProblem(fix, format string, args ...any) *Problem {
	return &Problem{fmt.Errorf(format, args...), fix}
}

// Error returns both as one line.
func (p *Problem) Error() string { return join(p.What.Error(), p.Fix) }

// Unwrap returns what is wrong.
func (p *Problem) Unwrap() error { return p.What }

func join(what, fix string) string {
	if strings.HasSuffix(what, "?") || strings.HasSuffix(what, ".") {
		return what + " " + fix
	}
	return what + "; " + fix
}
