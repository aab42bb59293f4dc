package scaffold

import (
	"errors"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// packages knows the names of packages by their import paths.
type packages struct {
	app   *App
	names map[string]string // by import path
}

func newPackages(app *App) *packages { return &packages{app, map[string]string{}} }

// imported returns the path of an import and the name that the file has for it.
func (p *packages) imported(spec *ast.ImportSpec) (importPath, name string) {
	importPath, _ = strconv.Unquote(spec.Path.Value)
	if spec.Name != nil {
		return importPath, spec.Name.Name
	}
	return importPath, p.name(importPath)
}

// name returns the name of a package. It reads a package of the app, and guesses the name of
// another one from the path.
func (p *packages) name(importPath string) string {
	name := p.names[importPath]
	if folder, own := strings.CutPrefix(importPath, p.app.Module+"/"); own && name == "" {
		name = p.app.packageIn(folder)
	}
	if name == "" {
		name = path.Base(importPath)
		if version, ok := strings.CutPrefix(name, "v"); ok && strings.Trim(version, "0123456789") == "" && path.Dir(importPath) != "." {
			name = path.Base(path.Dir(importPath))
		}
	}
	p.names[importPath] = name
	return name
}

// packageIn returns the name of the package in a folder of the app. It is empty if the folder
// has no Go file.
func (a *App) packageIn(folder string) string {
	names, err := a.goFiles(folder)
	if err != nil {
		return ""
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if file := parse(filepath.Join(a.Root, filepath.FromSlash(folder), name), nil, parser.PackageClauseOnly); file != nil {
			return file.Name.Name
		}
	}
	return ""
}

// parse parses a Go file as far as that is possible, and returns nil if it has no package. It reads the
// named file if content is nil.
func parse(name string, content []byte, mode parser.Mode) *ast.File {
	var text any
	if content != nil {
		text = content
	}
	file, _ := parser.ParseFile(token.NewFileSet(), name, text, mode)
	if file == nil || file.Name == nil {
		return nil
	}
	return file
}

// goFiles returns the names of the Go files in a folder of the app, with its tests, and
// without the files that the go command ignores on this system. The folder may be missing.
func (a *App) goFiles(folder string) (names []string, err error) {
	parent := filepath.Join(a.Root, filepath.FromSlash(folder))
	entries, err := os.ReadDir(parent)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, a.readFailure(folder, folder, err)
	}
	for _, entry := range entries {
		if name := entry.Name(); !entry.IsDir() && strings.HasSuffix(name, ".go") && compiles(parent, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// compiles reports whether the name and the build constraints of a Go file let the go command
// compile it on this system. It also reports true if the file doesn't parse: the parser says why.
func compiles(folder, name string) bool {
	matches, err := build.Default.MatchFile(folder, name)
	return matches || err != nil
}
