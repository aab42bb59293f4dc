package catalog

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/internal/naming"
)

// A page is a text for people: lines of Markdown, broken at a width. It has no control characters of
// the server's texts, which a terminal would obey, and shows characters that it would hide.
type page struct {
	bytes.Buffer

	width int
	bold  bool // whether headings are bold
}

// heading writes a heading of a level, after an empty line.
func (p *page) heading(level int, text string) {
	if p.Len() > 0 {
		p.WriteString("\n")
	}
	line := strings.Repeat("#", level) + " " + text
	if p.bold {
		line = "\x1b[1m" + line + "\x1b[0m"
	}
	p.WriteString(line + "\n")
}

// paragraph writes a text of the server after an empty line. Its lines keep their indents, and
// blocks of code aren't broken.
func (p *page) paragraph(text string) {
	if text = naming.PrintableLines(strings.ReplaceAll(text, "\t", "    ")); text == "" {
		return
	}
	p.WriteString("\n")
	isCode := false
	for line := range strings.SplitSeq(text, "\n") {
		words := strings.TrimLeft(line, " ")
		if strings.HasPrefix(words, "```") {
			isCode = !isCode
		}
		if isCode {
			p.WriteString(line + "\n")
			continue
		}
		indent := line[:len(line)-len(words)]
		p.wrap(indent, indent+hang(words), words)
	}
}

// hang returns the indent of the further lines of an item of a list.
func hang(line string) string {
	if strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") {
		return "  "
	}
	return ""
}

// list writes an item of a list.
func (p *page) list(text string) { p.wrap("- ", "  ", text) }

// field writes a line with a name, unless its value is empty.
func (p *page) field(name, value string) {
	if value != "" {
		p.wrap("", "  ", name+": "+value)
	}
}

// code writes a block of code after an empty line.
func (p *page) code(title, text string) {
	_, _ = fmt.Fprintf(p, "\n%s:\n\n```json\n%s\n```\n", title, naming.WithoutControls(text))
}

// wrap writes a line with an indent, broken at spaces into lines of the width of the page, of which
// all but the first have another indent. A word that is wider has a line of its own.
func (p *page) wrap(first, further, text string) {
	line, width, hasWord := first, utf8.RuneCountInString(first), false
	for word := range strings.SplitSeq(text, " ") {
		length := utf8.RuneCountInString(word)
		if hasWord && width+1+length > p.width {
			p.WriteString(strings.TrimRight(line, " ") + "\n")
			line, width, hasWord = further, utf8.RuneCountInString(further), false
		}
		if hasWord {
			line, width = line+" ", width+1
		}
		line, width, hasWord = line+word, width+length, true
	}
	p.WriteString(strings.TrimRight(line, " ") + "\n")
}

// shown returns a short text of the server, such as a name.
func shown(text string) string { return naming.Printable(naming.Cut(text, 200)) }
