// Package directive reads a comment such as //mcp:tool: its kind, its URI and its options.
package directive

import (
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/bowline-mcp/bowline/internal/naming"
)

// A Directive is a comment that begins with //mcp:, read but not yet checked against what is below it.
type Directive struct {
	Kind    Kind
	URI     string // "" for tools and prompts
	Options Options
	At      token.Position
}

// Text returns the beginning of the directive, for messages.
func (c *Directive) Text() string { return "//mcp:" + string(c.Kind) }

// Is reports whether the text of a comment is a directive, or is probably meant to be one.
func Is(text string) bool {
	body, isLine := strings.CutPrefix(text, "//")
	if word, _, _ := strings.Cut(body, " "); !isLine || word == "mcp:crud" { // in which mcp make:crud lists the fields of a record
		return false
	}
	if len(body) > 4 && strings.EqualFold(body[:4], "mcp:") {
		return true
	}
	word, _, _ := strings.Cut(strings.TrimLeft(body, " \t"), " ")
	if len(word) <= 4 || !strings.EqualFold(word[:4], "mcp:") {
		return false
	}
	for _, kind := range kinds() { // "// mcp: text" is prose
		if strings.EqualFold(word[4:], kind) {
			return true
		}
	}
	return false
}

// Read reads a directive. It returns nil after a mistake in the kind or the URI.
func Read(text string, at token.Position, mistakes *Mistakes) *Directive {
	body := strings.TrimPrefix(text, "//")
	if trimmed := strings.TrimLeft(body, " \t"); trimmed != body {
		word, _, _ := strings.Cut(trimmed, " ")
		mistakes.Add(at, "remove the blank: //"+strings.ToLower(word), "a directive has no blank after //")
		return nil
	}
	rest := strings.TrimRight(body[len("mcp:"):], " \t\r")
	word, rest, _ := strings.Cut(strings.ReplaceAll(rest, "\t", " "), " ")
	c := &Directive{Kind: Kind(word), At: at}
	if known := kinds(); body[:4] != "mcp:" || !slices.Contains(known, word) {
		fix := "write one of //mcp:" + strings.Join(known, ", //mcp:")
		if nearest := naming.Nearest(word, known); nearest != "" {
			fix = "did you mean //mcp:" + nearest + "?"
		}
		mistakes.Add(at, fix, "there is no directive //%s", naming.Printable(body[:4]+word))
		return nil
	}
	if c.Kind.HasURI() {
		first, after, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
		if naming.HasScheme(first) {
			c.URI, rest = first, after
		} else if name, _, isOption := strings.Cut(first, "="); first != "" && !isOption && !isKnown(name) {
			mistakes.Add(at, "write one, as in "+c.Text()+" "+c.Kind.SampleURI(), "the URI %q has no scheme", first)
			return nil
		}
	}
	if err := c.Options.read(rest); err != nil {
		mistakes.Add(at, err.fix, "%s", err.what)
	}
	c.Options.check(c, mistakes)
	return c
}

// An Option is a part of a directive such as title="Search notes" or readonly.
type Option struct {
	Name, Value string
	isGiven     bool // whether it has a value
	isQuoted    bool // whether that is in double quotes
}

// Options are those of a directive, in order.
type Options []Option

// A syntaxError says why options can't be read.
type syntaxError struct{ what, fix string }

// read reads options: words, some with a value behind an equals sign. A value in double quotes is
// written as in Go, one in back quotes has what is between them.
func (o *Options) read(text string) *syntaxError {
	for text = strings.TrimLeft(text, " "); text != ""; text = strings.TrimLeft(text, " ") {
		end := strings.IndexAny(text, " =")
		if end < 0 || text[end] == ' ' {
			word, rest, _ := strings.Cut(text, " ")
			*o, text = append(*o, Option{Name: word}), rest
			continue
		}
		read := Option{Name: text[:end], isGiven: true}
		text = text[end+1:]
		switch {
		case strings.HasPrefix(text, `"`) || strings.HasPrefix(text, "`"):
			quoted, err := strconv.QuotedPrefix(text)
			if err != nil {
				return &syntaxError{fmt.Sprintf("the value of %s doesn't end", read.Name), "close its quotes; write a quote inside double quotes as \\\""}
			}
			read.isQuoted = text[0] == '"'
			read.Value, _ = strconv.Unquote(quoted)
			if text = text[len(quoted):]; text != "" && text[0] != ' ' {
				return &syntaxError{fmt.Sprintf("%q follows the value of %s", strings.Fields(text)[0], read.Name), "put a blank between two options"}
			}
		default:
			read.Value, text, _ = strings.Cut(text, " ")
		}
		*o = append(*o, read)
	}
	return nil
}

// Get returns the first option of a name.
func (o Options) Get(name string) (Option, bool) {
	for _, known := range o {
		if known.Name == name {
			return known, true
		}
	}
	return Option{}, false
}

// Value returns the value of an option, "" without it.
func (o Options) Value(name string) string {
	found, _ := o.Get(name)
	return found.Value
}

// Below returns the options whose names begin with a prefix and a dot, by the rest of their names,
// in order.
func (o Options) Below(prefix string) (found Options) {
	for _, known := range o {
		if rest, ok := strings.CutPrefix(known.Name, prefix+"."); ok {
			known.Name = rest
			found = append(found, known)
		}
	}
	return found
}
