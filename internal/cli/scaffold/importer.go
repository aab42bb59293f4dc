package scaffold

import "go/ast"

// An Importer knows the names of the packages that files of an app import.
type Importer struct{ packages *packages }

// Importer returns an importer for files of the app.
func (a *App) Importer() Importer { return Importer{newPackages(a)} }

// Imports returns the import paths of a file, by the names that the file has for them. The name of
// a package of another module is guessed from its path.
func (i Importer) Imports(file *ast.File) map[string]string {
	names := map[string]string{}
	for _, spec := range file.Imports {
		importPath, name := i.packages.imported(spec)
		names[name] = importPath
	}
	return names
}

// Name returns the name of the package with an import path. That of another module is guessed from
// the path.
func (i Importer) Name(importPath string) string { return i.packages.name(importPath) }
