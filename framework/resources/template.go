package resources

import (
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yosida95/uritemplate/v3"

	"github.com/bowline-mcp/bowline/internal/naming"
)

// A Template is a URI with variables, such as "file:///{+path}" or
// "users://{id}/posts{?page}" (RFC 6570, levels 1 to 3). It expands variables to a URI
// and extracts them from a URI. It is safe for concurrent use.
//
//	{id}     one segment, without slashes, even encoded ones
//	{+path}  any text, including slashes
//	{/x}     {.x} {;x} {#x}  the same after that character
//	{?q,r}   query variables, each optional, in any order; at the end only
//	{&q}     the same if a literal ? precedes it
type Template struct {
	parsed      *uritemplate.Template
	parts       []part
	variables   []string
	pattern     *regexp.Regexp // a group for each variable but the query's, then one for the query
	query       *expression    // nil for none
	literalSize int
}

// A part is a literal, or an expression if that isn't nil.
type part struct {
	literal    string // percent-encoded
	expression *expression
}

// ParseTemplate parses a template. The template must begin with a scheme and have a
// variable. Modifiers, as in {list*} and {name:3}, are refused, since their values can't
// be extracted from a URI.
func ParseTemplate(text string) (*Template, error) {
	if err := checkNames(text); err != nil {
		return nil, fmt.Errorf("the URI template %q: %w", text, err)
	}
	parsed, err := uritemplate.New(text)
	if err != nil {
		return nil, fmt.Errorf("the URI template %q: %w: percent-encode what may not be in a URI (a space is %%20), close each {, "+
			"use no operators but + # . / ; ? & and in names only letters, digits, underscores and single dots", text, err)
	}
	t := &Template{parsed: parsed}
	if err := t.read(); err != nil {
		return nil, fmt.Errorf("the URI template %q: %w", text, err)
	}
	return t, nil
}

// checkNames returns an error for an invalid name of a variable. The library's errors
// don't explain these.
func checkNames(text string) error {
	for e := range expressions(text) {
		for name := range strings.SplitSeq(e.names, ",") {
			if isVariable(name) || name != "" && strings.Contains("+#./;?&=,!@|", name[:1]) { // an operator
				continue
			}
			instead := strings.Map(func(c rune) rune {
				if c == '%' || !isNameCharacter(c) {
					return -1
				}
				return c
			}, name)
			if instead == "" {
				return fmt.Errorf("%s: a variable has no name; give it one, as in {id}", text[e.start:e.end])
			}
			return fmt.Errorf("%s: a variable's name has only letters, digits, underscores and single dots; write {%s}", text[e.start:e.end], e.symbol+instead)
		}
	}
	return nil
}

// isVariable reports whether a text is the name of a variable, with a modifier or without.
func isVariable(text string) bool {
	name, length, limited := strings.Cut(text, ":")
	if _, err := strconv.ParseUint(length, 10, 64); limited && err != nil {
		return false
	}
	if !limited {
		name = strings.TrimSuffix(name, "*")
	}
	for segment := range strings.SplitSeq(name, ".") {
		if segment == "" || strings.ContainsFunc(segment, func(c rune) bool { return !isNameCharacter(c) }) {
			return false
		}
	}
	return true
}

func isNameCharacter(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '%'
}

// A braced is an expression as it is written in a template.
type braced struct {
	start, end    int // where the braces begin and end
	symbol, names string
}

// expressions yields the expressions of a well-formed template.
func expressions(text string) iter.Seq[braced] {
	return func(yield func(braced) bool) {
		for end := 0; ; {
			before, after, opened := strings.Cut(text[end:], "{")
			names, _, closed := strings.Cut(after, "}")
			if !opened || !closed {
				return
			}
			start := end + len(before)
			e := braced{start: start, end: start + len(names) + len("{}"), names: names}
			if e.names != "" && strings.Contains("+#./;?&", e.names[:1]) {
				e.symbol, e.names = e.names[:1], e.names[1:]
			}
			if end = e.end; !yield(e) {
				return
			}
		}
	}
}

// read splits the template into its parts, which the library doesn't expose.
func (t *Template) read() error {
	text, end := t.String(), 0
	for e := range expressions(text) {
		if err := t.addLiteral(text[end:e.start]); err != nil {
			return err
		}
		if err := t.addExpression(e.symbol, e.names); err != nil {
			return fmt.Errorf("%s: %w", text[e.start:e.end], err)
		}
		end = e.end
	}
	if err := t.addLiteral(text[end:]); err != nil {
		return err
	}
	switch {
	case len(t.variables) == 0:
		return errors.New("it has no variable; use a URI without braces as a resource, not as a template")
	case !naming.HasScheme(t.parts[0].literal):
		return errors.New("it must begin with a scheme, such as file:///{+path} or users://{id}")
	}
	return t.compile()
}

func (t *Template) addLiteral(literal string) error {
	if literal == "" {
		return nil
	}
	if t.query != nil {
		return fmt.Errorf("%q follows {%s…}; put query variables at the end", literal, t.query.symbol)
	}
	if len(t.parts) == 0 {
		literal = naming.NormalizeURI(literal)
	} else {
		literal = naming.NormalizeURIPart(literal)
	}
	t.parts = append(t.parts, part{literal: literal})
	t.literalSize += len(literal)
	return nil
}

func (t *Template) addExpression(symbol, names string) error {
	if t.query != nil {
		return fmt.Errorf("it follows {%s…}; put all query variables into one expression at the end", t.query.symbol)
	}
	e := newExpression(symbol, strings.Split(names, ","))
	for _, name := range e.variables {
		if at := strings.IndexAny(name, "*:"); at >= 0 {
			return fmt.Errorf("modifiers can't be matched; write the variable as %s", name[:at])
		}
		if spelled := naming.NormalizeURIPart(name); spelled != name {
			return fmt.Errorf("the variable %s is compared with URIs in another spelling; write %s", name, spelled)
		}
		if slices.Contains(t.variables, name) {
			return fmt.Errorf("the variable %s occurs twice; rename one", name)
		}
		t.variables = append(t.variables, name)
	}
	switch {
	case symbol == "?" && slices.ContainsFunc(t.parts, func(p part) bool { return strings.Contains(p.literal, "?") }):
		return errors.New("a literal ? precedes {?…}, so the query has begun; use the operator &")
	case symbol == "?" || symbol == "&":
		t.query = e
	}
	t.parts = append(t.parts, part{expression: e})
	return nil
}

// String returns the template as it was parsed.
func (t *Template) String() string { return t.parsed.Raw() }

// Variables returns the names of the variables, in order.
func (t *Template) Variables() []string { return slices.Clone(t.variables) }

// Literals returns the number of characters outside the variables. If several templates
// match a URI, the one with the most literal characters wins.
func (t *Template) Literals() int { return t.literalSize }

// Expand returns the URI for the variables. As in RFC 6570, a variable without a value
// expands to nothing, and values without a variable are ignored. Values are plain text:
// percent signs in them are encoded. Expand returns an error for a value that is not
// valid UTF-8 or has a NUL, since no template matches such a value.
func (t *Template) Expand(variables map[string]string) (string, error) {
	values := make(uritemplate.Values, len(t.variables))
	for _, name := range t.variables {
		value, ok := variables[name]
		if !ok {
			continue
		}
		if !utf8.ValidString(value) || strings.Contains(value, "\x00") {
			return "", fmt.Errorf("the URI template %q: the value of %s must be valid UTF-8 without NUL", t, name)
		}
		values.Set(name, uritemplate.String(runePerByte(value)))
	}
	uri, err := t.parsed.Expand(values)
	if err != nil {
		return "", fmt.Errorf("the URI template %q: %w", t, err)
	}
	return naming.NormalizeURI(uri), nil
}

// runePerByte converts each byte to a rune. The library percent-encodes the code point of
// a rune, whereas RFC 6570 encodes its UTF-8: the library would turn U+2E2E into
// "%2E%2E", two dots.
func runePerByte(text string) string {
	runes := make([]rune, len(text))
	for i := range len(text) {
		runes[i] = rune(text[i])
	}
	return string(runes)
}

// Shape returns the template with its variables numbered: two templates with the same
// shape match the same URIs. Variables whose names are part of the URI, as in {?page},
// keep their names.
func (t *Template) Shape() string {
	var b strings.Builder
	count := 0
	for _, part := range t.parts {
		if part.expression == nil {
			b.WriteString(part.literal)
			continue
		}
		e := part.expression
		names := slices.Clone(e.variables)
		if e == t.query {
			slices.Sort(names) // the client may send them in any order
		}
		if !e.named {
			for i := range names {
				count++
				names[i] = fmt.Sprint(count)
			}
		}
		b.WriteString("{" + e.symbol + strings.Join(names, ",") + "}")
	}
	return b.String()
}
