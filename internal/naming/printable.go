package naming

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Quoted returns a list of names in quotes: "a", "b".
func Quoted(names []string) string {
	if len(names) == 0 {
		return `""`
	}
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = strconv.Quote(name)
	}
	return strings.Join(quoted, ", ")
}

// Printable returns a name for a text that people read, quoted if it has characters that
// a terminal might interpret or hide.
func Printable(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) || r == utf8.RuneError }) {
		return strconv.Quote(name)
	}
	return name
}

// PrintableLines returns a text for people to read, with each of its lines as [Printable].
func PrintableLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = Printable(strings.TrimSuffix(line, "\r"))
	}
	return strings.Join(lines, "\n")
}

// WithoutControls returns a text of several lines with its control characters escaped, except
// ends of lines and tabs. It doesn't change the rest, so the text may be code or a table.
func WithoutControls(text string) string {
	var made strings.Builder
	for _, r := range text {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			made.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		} else {
			made.WriteRune(r)
		}
	}
	return made.String()
}

// Cut returns a text of at most limit characters, and an ellipsis if it was longer.
func Cut(text string, limit int) string {
	for at := range text {
		if limit == 0 {
			return text[:at] + "…"
		}
		limit--
	}
	return text
}
