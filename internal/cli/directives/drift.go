package directives

import (
	"fmt"
	"regexp"
	"strings"
)

// A block begins with a comment that names the type of a feature.
var blockStart = regexp.MustCompile(`(?m)^// (\w+) (?:calls|are the parameters of) `)

// blocks returns the parts of a generated file, by the names of their types.
func blocks(content []byte) map[string]string {
	found := map[string]string{}
	starts := blockStart.FindAllSubmatchIndex(content, -1)
	for i, start := range starts {
		end := len(content)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		text, _, _ := strings.Cut(string(content[start[0]:end]), "\nvar comments = ")
		found[string(content[start[2]:start[3]])] = text
	}
	return found
}

// Drift says what differs between the generated file and the directives, a line for each. It is
// empty if nothing does.
func (g *Generated) Drift() (lines []string) {
	if !g.IsChanged() {
		return nil
	}
	if g.File.Before == nil {
		return []string{g.File.Path + " is missing"}
	}
	before, after := blocks(normalized(g.File.Before)), blocks(g.File.Content)
	for _, f := range g.features {
		if f.listed {
			continue
		}
		what := ""
		text, known := before[f.typeName]
		switch {
		case !known:
			what = "is new"
		case text != after[f.typeName] || before[f.argumentsName()] != after[f.argumentsName()]:
			what = "has changed"
		default:
			continue
		}
		lines = append(lines, fmt.Sprintf("%s:%d:%d: the %s of %s %s", f.At.Filename, f.At.Line, f.At.Column, f.Kind, f.ident(), what))
	}
	for _, match := range blockStart.FindAllSubmatch(g.File.Before, -1) {
		name := string(match[1])
		if _, known := after[name]; !known && !strings.HasSuffix(name, "Arguments") {
			lines = append(lines, fmt.Sprintf("%s has a %s, whose directive is gone", g.File.Path, name))
		}
	}
	if len(lines) == 0 {
		lines = append(lines, g.File.Path+" has other lists or comments than the directives")
	}
	return lines
}
