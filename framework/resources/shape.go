package resources

import (
	"fmt"
	"slices"
	"strings"
)

// Shape returns the template with its variables numbered: two templates of one shape
// match the same URIs. The names of those that a URI says itself, as in {?page}, stay.
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
			slices.Sort(names) // they come in any order
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
