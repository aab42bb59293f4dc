package resources

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Template is a URI with variables, such as "file:///{+path}" or
// "users://{id}/posts{?page}" (RFC 6570, levels 1 to 3). It expands variables into a
// URI and finds them in one again. It can be used by several goroutines at once.
//
//	{id}     one segment, without slashes
//	{+path}  any text, slashes too
//	{/x}     {.x} {;x} {#x}  the same with what comes before it
//	{?q,r}   query variables, each optional, in any order; at the end only
//	{&q}     the same where the query has begun
type Template struct {
	text        string
	parts       []part
	variables   []string
	pattern     *regexp.Regexp // a group for each variable but the query's, then one for the query
	query       *expression    // nil if there is none
	literalSize int
}

// A part is a literal, or an expression if that isn't nil.
type part struct {
	literal    string // percent-encoded
	expression *expression
}

// An expression is what stands between braces.
type expression struct {
	operator
	variables []string
}

// An operator says how the variables of an expression are written (RFC 6570,
// appendix A).
type operator struct {
	symbol   string // "" for none
	first    string // what comes before the first variable
	separate string // what comes between two
	named    bool   // whether the variables' names are written
	ifEmpty  string // what follows the name of an empty value
	reserved bool   // whether reserved characters stay as they are
}

func operatorOf(symbol string) (operator, bool) {
	for _, operator := range [...]operator{
		{separate: ","},
		{symbol: "+", separate: ",", reserved: true},
		{symbol: "#", first: "#", separate: ",", reserved: true},
		{symbol: ".", first: ".", separate: "."},
		{symbol: "/", first: "/", separate: "/"},
		{symbol: ";", first: ";", separate: ";", named: true},
		{symbol: "?", first: "?", separate: "&", named: true, ifEmpty: "="},
		{symbol: "&", first: "&", separate: "&", named: true, ifEmpty: "="},
	} {
		if operator.symbol == symbol {
			return operator, true
		}
	}
	return operator{}, false
}

var (
	scheme   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)
	variable = regexp.MustCompile(`^(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*$`)
)

// ParseTemplate parses a template. It must begin with a scheme and have a variable.
// Modifiers, as in {list*} and {name:3}, are refused: what they make can't be taken
// apart again.
func ParseTemplate(text string) (*Template, error) {
	t := &Template{text: text}
	if err := t.parse(); err != nil {
		return nil, fmt.Errorf("the URI template %q: %w", text, err)
	}
	return t, nil
}

func (t *Template) parse() error {
	for rest := t.text; rest != ""; {
		literal, tail, found := strings.Cut(rest, "{")
		encoded, err := encodeLiteral(literal)
		if err != nil {
			return err
		}
		if literal != "" && t.query != nil {
			return fmt.Errorf("%q comes after {%s…}; query variables end a template", literal, t.query.symbol)
		}
		if literal != "" {
			t.parts = append(t.parts, part{literal: encoded})
			t.literalSize += len(encoded)
		}
		if !found {
			break
		}
		inner, after, closed := strings.Cut(tail, "}")
		if !closed {
			return errors.New("a { has no }; close it")
		}
		if err := t.parseExpression(inner); err != nil {
			return fmt.Errorf("{%s}: %w", inner, err)
		}
		rest = after
	}
	switch {
	case len(t.variables) == 0:
		return errors.New("it has no variable; a URI without braces is a resource of its own")
	case !scheme.MatchString(t.parts[0].literal):
		return errors.New("it must begin with a scheme, such as file:///{+path} or users://{id}")
	}
	return t.compile()
}

func (t *Template) parseExpression(inner string) error {
	if t.query != nil {
		return fmt.Errorf("it comes after {%s…}; query variables end a template, in one expression", t.query.symbol)
	}
	names := strings.TrimLeft(inner, "+#./;?&=,!@|")
	operator, ok := operatorOf(inner[:len(inner)-len(names)])
	if !ok {
		return errors.New("it has no operator of RFC 6570; use one of + # . / ; ? & or none")
	}
	e := &expression{operator, strings.Split(names, ",")}
	for _, name := range e.variables {
		base, _, _ := strings.Cut(name, ":")
		if base = strings.TrimRight(base, "*"); base != name {
			return fmt.Errorf("modifiers can't be matched; write the variable as %s", base)
		}
		if !variable.MatchString(name) {
			return fmt.Errorf("%q is not the name of a variable; use letters, digits, underscores and single dots", name)
		}
		if slices.Contains(t.variables, name) {
			return fmt.Errorf("the variable %s is there twice; give one another name", name)
		}
		t.variables = append(t.variables, name)
	}
	switch {
	case operator.symbol == "?" && t.hasQuery():
		return errors.New("a literal ? is there before, so the query has begun; use & for the operator")
	case operator.symbol == "?" || operator.symbol == "&":
		t.query = e
	}
	t.parts = append(t.parts, part{expression: e})
	return nil
}

// hasQuery reports whether a literal begins a query.
func (t *Template) hasQuery() bool {
	return slices.ContainsFunc(t.parts, func(p part) bool { return strings.Contains(p.literal, "?") })
}

// String returns the template as it was parsed.
func (t *Template) String() string { return t.text }

// Variables returns the names of the variables, in order.
func (t *Template) Variables() []string { return slices.Clone(t.variables) }

// Literals returns how many characters are outside of the variables. Of several
// templates that match a URI, the one with the most is meant.
func (t *Template) Literals() int { return t.literalSize }
