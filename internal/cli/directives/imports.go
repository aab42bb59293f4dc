package directives

import (
	"fmt"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
)

// imports are the imports of the generated file.
type imports struct {
	own    string            // the import path of the generated package itself
	taken  map[string]bool   // names that no import may have
	names  map[string]string // by import path
	plain  map[string]bool   // the paths whose import needs no name
	nameOf func(importPath string) string
}

// newImports returns no imports. The taken names are those that the generated code declares. The
// function nameOf returns the name of a package, "" if it isn't known.
func newImports(own string, taken []string, nameOf func(string) string) *imports {
	i := &imports{own: own, taken: map[string]bool{}, names: map[string]string{}, plain: map[string]bool{}, nameOf: nameOf}
	for _, name := range taken {
		i.taken[name] = true
	}
	return i
}

// framework adds a package of the framework, and returns its name.
func (i *imports) framework(name string) string { return i.name(framework+"/"+name, name) }

// name adds a package, and returns the name by which the generated file calls it. Known is the
// name of the package if its path doesn't end with it.
func (i *imports) name(importPath, known string) string {
	if name, ok := i.names[importPath]; ok {
		return name
	}
	declared := known
	if declared == "" {
		declared = i.nameOf(importPath)
	}
	name := declared
	for number := 2; !i.isFree(name, importPath); number++ {
		switch number {
		case 2:
			name = "app" + declared
		case 3:
			name = strings.Map(identifier, path.Base(path.Dir(importPath))) + declared
		default:
			name = fmt.Sprintf("app%s%d", declared, number-2)
		}
	}
	i.names[importPath] = name
	i.plain[importPath] = name == path.Base(importPath)
	return name
}

// identifier drops what can't be part of a name in Go.
func identifier(c rune) rune {
	if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' {
		return c
	}
	return -1
}

// isFree reports whether an import may have a name. Those of the framework and of the standard
// library that generated code uses are kept for them.
func (i *imports) isFree(name, importPath string) bool {
	if reserved, ok := reservedNames()[name]; ok && reserved != importPath {
		return false
	}
	if !token.IsIdentifier(name) || predeclared(name) || i.taken[name] {
		return false
	}
	return !slices.Contains(slices.Collect(maps.Values(i.names)), name)
}

// reservedNames are the names that generated code uses, with the import paths of packages.
func reservedNames() map[string]string {
	names := map[string]string{"context": "context", "time": "time"}
	for _, name := range []string{"annotations", "completion", "content", "prompts", "resources", "schema", "servers", "tools"} {
		names[name] = framework + "/" + name
	}
	for _, name := range []string{"arguments", "comments", "err", "f", "in", "new", "nil", "request", "result", "t", "true", "false", "variables", "ctx"} {
		names[name] = ""
	}
	return names
}

// write returns the import declaration: the standard library, other modules, and the app.
func (i *imports) write(module string) string {
	groups := [3][]string{}
	for _, importPath := range slices.Sorted(maps.Keys(i.names)) {
		line := fmt.Sprintf("%q", importPath)
		if !i.plain[importPath] {
			line = i.names[importPath] + " " + line
		}
		first, _, _ := strings.Cut(importPath, "/")
		group := 1
		switch {
		case strings.HasPrefix(importPath, framework+"/"):
		case importPath == module || strings.HasPrefix(importPath, module+"/"):
			group = 2
		case !strings.Contains(first, "."):
			group = 0
		}
		groups[group] = append(groups[group], "\t"+line+"\n")
	}
	var parts []string
	for _, group := range groups {
		if len(group) > 0 {
			parts = append(parts, strings.Join(group, ""))
		}
	}
	return "import (\n" + strings.Join(parts, "\n") + ")\n"
}

const framework = "github.com/bowline-mcp/bowline/framework"
