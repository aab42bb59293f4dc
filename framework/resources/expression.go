package resources

import (
	"regexp"
	"slices"
	"strings"
)

// An expression is the part of a template between braces, and the form in which its
// variables are written (RFC 6570, appendix A).
type expression struct {
	symbol    string // the operator, "" for none
	first     string // what comes before the first variable
	separate  string // what comes between two
	named     bool   // whether the variables' names are written
	reserved  bool   // whether reserved characters stay as they are
	variables []string
}

func newExpression(symbol string, variables []string) *expression {
	e := &expression{symbol: symbol, first: symbol, separate: symbol, variables: variables}
	switch symbol {
	case "":
		e.separate = ","
	case "+":
		e.first, e.separate, e.reserved = "", ",", true
	case "#":
		e.separate, e.reserved = ",", true
	case "?":
		e.separate, e.named = "&", true
	case "&", ";":
		e.named = true
	}
	return e
}

// pattern appends the pattern of an expression whose variables are all required.
func (e *expression) pattern(b *strings.Builder, barred string) {
	class := "."
	if barred != "" {
		class = "[^" + barred + "]"
	}
	before := e.first
	for _, name := range e.variables {
		b.WriteString(regexp.QuoteMeta(before))
		before = e.separate
		if e.named {
			b.WriteString(regexp.QuoteMeta(name) + "(?:=(" + class + "*))?")
		} else {
			b.WriteString("(" + class + "+)")
		}
	}
}

// isSegment reports whether a value is one segment of a path, without slashes.
func (e *expression) isSegment() bool { return !e.reserved && e.symbol != "?" && e.symbol != "&" }

// match finds the variables in a query.
func (e *expression) match(query string, variables map[string]string) bool {
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if _, again := variables[name]; again || !slices.Contains(e.variables, name) {
			return false
		}
		decoded, ok := decode(value, false)
		if !ok {
			return false
		}
		variables[name] = decoded
	}
	return true
}
