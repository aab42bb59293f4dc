package directive

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// A Mistake is what is wrong with a directive or with the code below it.
type Mistake struct {
	// Path is the path of the file, relative to the app's root, with slashes.
	Path string
	// Line and Column begin at 1.
	Line, Column int
	// What says what is wrong, and Fix what to do.
	What, Fix string
}

// String returns the mistake as one line.
func (m Mistake) String() string {
	return fmt.Sprintf("%s:%d:%d: %s; %s", m.Path, m.Line, m.Column, m.What, m.Fix)
}

// Mistakes are all mistakes of an app, in the order of its files.
type Mistakes []Mistake

// Error returns the mistakes, one a line, below a line that says what they are.
func (m Mistakes) Error() string {
	var lines strings.Builder
	lines.WriteString("the directives have mistakes, so that nothing is generated:")
	for _, mistake := range m {
		lines.WriteString("\n" + mistake.String())
	}
	return lines.String()
}

// Add adds a mistake at a position, whose file has the path as its name.
func (m *Mistakes) Add(at token.Position, fix, format string, args ...any) {
	*m = append(*m, Mistake{Path: at.Filename, Line: at.Line, Column: at.Column, What: fmt.Sprintf(format, args...), Fix: fix})
}

// Sorted returns the mistakes in order, each once, or nil if there are none.
func (m Mistakes) Sorted() error {
	if len(m) == 0 {
		return nil
	}
	slices.SortStableFunc(m, func(a, b Mistake) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return slices.Compact(m)
}
