// Package takeout takes single calls, conditions and statements out of the code, so that a test can be seen failing without them.
//
// A takeout is a line that names a function, what goes, and the test that has to fail. What goes is found in the syntax tree, so that an
// edit elsewhere in the function doesn't touch the line:
//
//	internal/engine/seal.Ring.Open: false len(sealed) < overhead -> internal/engine/seal.TestTooShortIsRefused
//
// A verb says how it goes:
//
//	skip STATEMENT    the statement doesn't run
//	false CONDITION   the condition never holds
//	true CONDITION    the condition always holds
//	zero EXPRESSION   the zero value of its type stands in for it; "zero Timeout:" names a field of a literal
//	pass CALL         the call's first argument stands in for it
//	return            the function returns zero values
//
// Code is written without receivers and packages, and calls without arguments: the call k.Logger().Debug("x", k) is Debug(...). Where
// that isn't unique in the function, arguments are written out: Debug("x", k).
package takeout

import (
	"fmt"
	"regexp"
	"strings"
)

// A Takeout is a line of a list.
type Takeout struct {
	ID string // the row and the number of the line in it, such as "M12-3"

	Row     string // the row of docs/parity.md that it belongs to
	Package string // the folder of the package, from the root of the repository
	Func    string // a function, or a type and its method, such as "Ring.Open"
	Verb    string
	Code    string // what goes, as the package describes it; "" for return
	Test    string // the package and the name of a test, as in docs/parity.md
}

// String returns the line.
func (t Takeout) String() string {
	what := strings.TrimSuffix(t.Verb+" "+t.Code, " ")
	return t.Package + "." + t.Func + ": " + what + " -> " + t.Test
}

// Parse reads a list: the name of a row on a line of its own, then the takeouts of that row. Blank lines and lines that begin with #
// don't count.
func Parse(list string) (found []Takeout, err error) {
	line := regexp.MustCompile(`^(\S*/)?(\w+)\.(\w+(?:\.\w+)?): (skip|false|true|zero|pass|return)(?: (.+))? -> (\S+)$`)
	row, number := "", 0
	for n, text := range strings.Split(list, "\n") {
		match := line.FindStringSubmatch(text)
		switch {
		case text == "" || strings.HasPrefix(text, "#"):
		case regexp.MustCompile(`^\w+$`).MatchString(text):
			row, number = text, 0
		case match == nil || row == "" || (match[4] == "return") != (match[5] == ""):
			return nil, fmt.Errorf("line %d is neither a row nor FUNCTION: VERB CODE -> TEST below a row: %s", n+1, text)
		default:
			number++
			found = append(found, Takeout{
				ID: fmt.Sprintf("%s-%d", row, number), Row: row, Package: match[1] + match[2], Func: match[3], Verb: match[4], Code: match[5], Test: match[6],
			})
		}
	}
	return found, nil
}
