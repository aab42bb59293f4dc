package authcheck

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/internal/cli/finding"
)

// A problem is a finding whose level isn't decided yet.
type problem struct{ What, Fix string }

// A Step is one part of a check, with what it found.
type Step struct {
	Title    string
	Findings []finding.Finding
}

// Count returns how many findings have the level: [finding.LevelBroken] for faults, which make clients
// fail or break a rule, and [finding.LevelHint] for recommendations.
func (s *Step) Count(level finding.Level) int {
	n := 0
	for _, one := range s.Findings {
		if one.Level == level {
			n++
		}
	}
	return n
}

func (s *Step) ok(format string, args ...any) {
	s.Findings = append(s.Findings, finding.OK(s.Title, fmt.Sprintf(format, args...)))
}

func (s *Step) note(p *problem) {
	s.Findings = append(s.Findings, finding.Hint(s.Title, p.What, p.Fix))
}

func (s *Step) fault(p *problem) {
	s.Findings = append(s.Findings, finding.Broken(s.Title, p.What, p.Fix))
}

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
	words := map[finding.Level]string{finding.LevelOK: "ok", finding.LevelHint: "note", finding.LevelBroken: "FAULT"}
	for _, one := range s.Findings {
		lines := wrap(one.What, width-margin)
		if one.Fix != "" {
			lines = append(lines, wrap("Fix: "+one.Fix, width-margin)...)
		}
		for i, line := range lines {
			start := indent
			if i == 0 {
				start = fmt.Sprintf("  %-*s", margin-2, words[one.Level])
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
