package scaffold

import (
	"go/parser"
	"go/token"
	"path"
	"strconv"
	"strings"
)

// Vendors reports whether the folder vendor of the app has the packages of the framework that
// files import.
func (a *App) Vendors(files []File) bool {
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file.Path, file.Content, parser.ImportsOnly)
		if err != nil {
			continue // made by a stub of the app's own
		}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err == nil && strings.HasPrefix(imported, framework+"/") && !a.Has(path.Join("vendor", imported)) {
				return false
			}
		}
	}
	return true
}
