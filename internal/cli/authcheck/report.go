package authcheck

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A Level tells how much a finding matters.
type Level int

const (
	// OK is something that clients need and that the server does.
	OK Level = iota
	// Note is a recommendation that the server doesn't follow, or a limit that its users
	// should know.
	Note
	// Fault is something that makes clients fail, or a rule that the server breaks.
	Fault
)

// String returns the level as the report prints it.
func (l Level) String() string { return [...]string{"ok", "note", "FAULT"}[l] }

// A Finding is one result of a step.
type Finding struct {
	Level Level
	What  string // what is right or wrong, and where: a URL, a header, a member
	Fix   string // what to do about it, or ""
}

// A problem is a finding whose level isn't decided yet.
type problem struct{ What, Fix string }

// A Step is one part of a check, with what it found.
type Step struct {
	Title    string
	Findings []Finding
}

// Count returns how many findings have the level.
func (s *Step) Count(level Level) int {
	n := 0
	for _, finding := range s.Findings {
		if finding.Level == level {
			n++
		}
	}
	return n
}

func (s *Step) ok(format string, args ...any) {
	s.Findings = append(s.Findings, Finding{OK, fmt.Sprintf(format, args...), ""})
}

func (s *Step) note(p *problem) { s.Findings = append(s.Findings, Finding{Note, p.What, p.Fix}) }

func (s *Step) fault(p *problem) { s.Findings = append(s.Findings, Finding{Fault, p.What, p.Fix}) }

// The width of the report, and of the column with the levels.
const (
	width  = 80
	margin = len("  FAULT  ")
)

// WriteTo writes the step as lines of at most 80 columns. Longer words, such as URLs, stay
// whole.
func (s *Step) WriteTo(out io.Writer) (int64, error) {
	var b strings.Builder
	b.WriteString(s.Title + "\n")
	indent := strings.Repeat(" ", margin)
	for _, finding := range s.Findings {
		lines := wrap(finding.What, width-margin)
		if finding.Fix != "" {
			lines = append(lines, wrap("Fix: "+finding.Fix, width-margin)...)
		}
		for i, line := range lines {
			start := indent
			if i == 0 {
				start = fmt.Sprintf("  %-*s", margin-2, finding.Level)
			}
			b.WriteString(start + line + "\n")
		}
	}
	n, err := io.WriteString(out, b.String())
	return int64(n), err
}

// wrap breaks a text into lines at its spaces.
func wrap(text string, columns int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= columns:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}

// enumeration returns names as in "GET, HEAD and DELETE".
func enumeration(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// verb returns the form of a verb that fits the number of names, as in "GET answers".
func verb(names []string, one, several string) string {
	if len(names) == 1 {
		return one
	}
	return several
}
