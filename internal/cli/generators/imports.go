package generators

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// imports are the imports of code that a person pastes into a file.
type imports struct {
	alias string // the name for the package whose own name the file uses, such as apptools; empty if there is none
	paths map[string]string
}

// name returns the name of a package in the code, and adds its import.
func (i *imports) name(importPath string) string {
	name := path.Base(importPath)
	line := fmt.Sprintf("%q", importPath)
	if i.alias == "app"+name {
		name, line = i.alias, i.alias+" "+line
	}
	if i.paths == nil {
		i.paths = map[string]string{}
	}
	i.paths[importPath] = line
	return name
}

// lines returns the imports, each on an indented line.
func (i *imports) lines() string {
	var out strings.Builder
	for _, importPath := range slices.Sorted(maps.Keys(i.paths)) {
		out.WriteString("\t" + i.paths[importPath] + "\n")
	}
	return out.String()
}
