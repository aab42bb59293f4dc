package directives

import (
	"fmt"
	"go/token"
	"strconv"
	"strings"

	"github.com/bowline-mcp/bowline/internal/naming"
)

// A kind is what a directive registers.
type kind string

const (
	kindTool     kind = "tool"
	kindResource kind = "resource"
	kindTemplate kind = "template"
	kindPrompt   kind = "prompt"
)

func kinds() []string {
	return []string{string(kindTool), string(kindResource), string(kindTemplate), string(kindPrompt)}
}

// hasURI reports whether a URI follows the kind.
func (k kind) hasURI() bool { return k == kindResource || k == kindTemplate }

// A directive is a comment that begins with //mcp:, read but not yet checked against what is below it.
type directive struct {
	kind    kind
	uri     string
	options options
	at      token.Position
}

// text returns the beginning of the directive, for messages.
func (c *directive) text() string { return "//mcp:" + string(c.kind) }

// isDirective reports whether the text of a comment is a directive, or is probably meant to be one.
func isDirective(text string) bool {
	body, isLine := strings.CutPrefix(text, "//")
	if !isLine {
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

// readDirective reads a directive. It returns nil after a mistake in the kind or the URI.
func readDirective(text string, at token.Position, mistakes *Mistakes) *directive {
	body := strings.TrimPrefix(text, "//")
	if trimmed := strings.TrimLeft(body, " \t"); trimmed != body {
		word, _, _ := strings.Cut(trimmed, " ")
		mistakes.add(at, "remove the blank: //"+strings.ToLower(word), "a directive has no blank after //")
		return nil
	}
	rest := strings.TrimRight(body[len("mcp:"):], " \t\r")
	word, rest, _ := strings.Cut(strings.ReplaceAll(rest, "\t", " "), " ")
	c := &directive{kind: kind(word), at: at}
	if known := kinds(); body[:4] != "mcp:" || !contains(known, word) {
		fix := "write one of //mcp:" + strings.Join(known, ", //mcp:")
		if nearest := naming.Nearest(word, known); nearest != "" {
			fix = "did you mean //mcp:" + nearest + "?"
		}
		mistakes.add(at, fix, "there is no directive //%s", naming.Printable(body[:4]+word))
		return nil
	}
	if c.kind.hasURI() {
		first, after, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
		if naming.HasScheme(first) {
			c.uri, rest = first, after
		} else if name, _, isOption := strings.Cut(first, "="); first != "" && !isOption && !isKnown(name) {
			mistakes.add(at, "write one, as in "+c.text()+" "+c.kind.sampleURI(), "the URI %q has no scheme", first)
			return nil
		}
	}
	if err := c.options.read(rest); err != nil {
		mistakes.add(at, err.fix, "%s", err.what)
	}
	c.options.check(c, mistakes)
	return c
}

func (k kind) sampleURI() string {
	if k == kindTemplate {
		return "users://{id}"
	}
	return "docs://handbook"
}

func contains(list []string, text string) bool {
	for _, known := range list {
		if known == text {
			return true
		}
	}
	return false
}

// An option is a part of a directive such as title="Search notes" or readonly.
type option struct {
	name, value string
	isGiven     bool // whether it has a value
	isQuoted    bool // whether that is in double quotes
}

// options are those of a directive, in order.
type options []option

// A syntaxError says why options can't be read.
type syntaxError struct{ what, fix string }

// read reads options: words, some with a value behind an equals sign. A value in double quotes is
// written as in Go, one in back quotes has what is between them.
func (o *options) read(text string) *syntaxError {
	for text = strings.TrimLeft(text, " "); text != ""; text = strings.TrimLeft(text, " ") {
		end := strings.IndexAny(text, " =")
		if end < 0 || text[end] == ' ' {
			word, rest, _ := strings.Cut(text, " ")
			*o, text = append(*o, option{name: word}), rest
			continue
		}
		read := option{name: text[:end], isGiven: true}
		text = text[end+1:]
		switch {
		case strings.HasPrefix(text, `"`) || strings.HasPrefix(text, "`"):
			quoted, err := strconv.QuotedPrefix(text)
			if err != nil {
				return &syntaxError{fmt.Sprintf("the value of %s doesn't end", read.name), "close its quotes; write a quote inside double quotes as \\\""}
			}
			read.isQuoted = text[0] == '"'
			read.value, _ = strconv.Unquote(quoted)
			if text = text[len(quoted):]; text != "" && text[0] != ' ' {
				return &syntaxError{fmt.Sprintf("%q follows the value of %s", strings.Fields(text)[0], read.name), "put a blank between two options"}
			}
		default:
			read.value, text, _ = strings.Cut(text, " ")
		}
		*o = append(*o, read)
	}
	return nil
}

// get returns the first option of a name.
func (o options) get(name string) (option, bool) {
	for _, known := range o {
		if known.name == name {
			return known, true
		}
	}
	return option{}, false
}

// text returns the value of an option, "" without it.
func (o options) text(name string) string {
	found, _ := o.get(name)
	return found.value
}

// below returns the options whose names begin with a prefix and a dot, by the rest of their names,
// in order.
func (o options) below(prefix string) (found options) {
	for _, known := range o {
		if rest, ok := strings.CutPrefix(known.name, prefix+"."); ok {
			known.name = rest
			found = append(found, known)
		}
	}
	return found
}
