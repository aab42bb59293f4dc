package directives

import (
	"maps"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

// cycles reports directives in packages that import the generated package, or that will, since
// they have or import the app's servers.
func (r *reader) cycles(all []*declaration) {
	if r.target.name == "main" {
		return // which nothing imports
	}
	for _, declared := range all {
		if by := importerOf(r, declared.file.pkg, map[string]bool{}); by != "" {
			r.mistakes.Add(declared.At, "move the code to a package that doesn't import it",
				"%s and the generated package would import each other, since %s uses the generated one", declared.file.pkg.folder, by)
		}
	}
}

// importerOf returns the folder of a package that imports the generated one: that of the given
// package, or of one that it imports. It is "" if there is none.
func importerOf(r *reader, pkg *goPackage, seen map[string]bool) string {
	if pkg == nil || seen[pkg.folder] || pkg.path == r.target.path {
		return ""
	}
	seen[pkg.folder] = true
	if pkg.folder == scaffold.ServerFolder {
		return pkg.folder
	}
	for _, file := range pkg.files {
		for _, importPath := range slices.Sorted(maps.Values(file.names)) {
			switch {
			case importPath == r.target.path:
				return pkg.folder
			case strings.HasPrefix(importPath, r.app.Module+"/"):
				if by := importerOf(r, r.packageAt(importPath), seen); by != "" {
					return by
				}
			}
		}
	}
	return ""
}
