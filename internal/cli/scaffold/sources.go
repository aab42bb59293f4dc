package scaffold

import (
	"go/ast"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Sources are the Go files of one folder of an app, without its tests and the files that the go
// command ignores on this system, to be edited. An edit that is refused with a *RefusedError
// leaves them incomplete: drop them then.
type Sources struct {
	module   string
	folder   string
	packages *packages
	files    []*source
}

// Sources reads the Go files of a folder, which may be missing. All of them have to parse:
// a method of a type may be in any of them.
func (a *App) Sources(folder string) (*Sources, error) { return a.sources(folder, false) }

// TestSources reads the tests of a folder as Sources reads its other files.
func (a *App) TestSources(folder string) (*Sources, error) { return a.sources(folder, true) }

func (a *App) sources(folder string, tests bool) (*Sources, error) {
	s := &Sources{module: a.Module, folder: folder, packages: newPackages(a)}
	names, err := a.goFiles(folder)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") != tests {
			continue
		}
		content, err := os.ReadFile(filepath.Join(a.Root, filepath.FromSlash(folder), name))
		if err != nil {
			return nil, a.readFailure(path.Join(folder, name), folder, err)
		}
		parsed, err := newSource(s.packages, path.Join(folder, name), content)
		if err != nil {
			return nil, err
		}
		parsed.before = content
		s.files = append(s.files, parsed)
	}
	return s, nil
}

// Add adds a file that doesn't exist yet.
func (s *Sources) Add(name string, content []byte) error {
	parsed, err := newSource(s.packages, path.Join(s.folder, name), content)
	if err == nil {
		s.files = append(s.files, parsed)
	}
	return err
}

// Files returns the files that have changed.
func (s *Sources) Files() []File {
	var files []File
	for _, file := range s.files {
		if content := file.content(); string(content) != string(file.before) {
			files = append(files, File{Path: file.path, Content: content, Before: file.before})
		}
	}
	return files
}

// method returns a method of a type, with its file, or nil.
func (s *Sources) method(typeName, name string) (*source, *ast.FuncDecl) {
	for _, file := range s.files {
		for _, declared := range file.file.Decls {
			if method, ok := declared.(*ast.FuncDecl); ok && method.Name.Name == name && method.Recv != nil && ReceiverType(method) == typeName {
				return file, method
			}
		}
	}
	return nil, nil
}

// ReceiverType returns the name of the type that a method belongs to. It is empty for a
// function.
func ReceiverType(method *ast.FuncDecl) string {
	if method.Recv == nil || len(method.Recv.List) != 1 {
		return ""
	}
	if named, ok := namedType(method.Recv.List[0].Type).(*ast.Ident); ok {
		return named.Name
	}
	return ""
}

// namedType returns a type without its pointer, parentheses and type arguments.
func namedType(of ast.Expr) ast.Expr {
	for {
		switch outer := of.(type) {
		case *ast.StarExpr:
			of = outer.X
		case *ast.ParenExpr:
			of = outer.X
		case *ast.IndexExpr:
			of = outer.X
		case *ast.IndexListExpr:
			of = outer.X
		default:
			return of
		}
	}
}

// typeSpec returns the declaration of a type, with its file, or nil.
func (s *Sources) typeSpec(name string) (*source, *ast.GenDecl, *ast.TypeSpec) {
	for _, file := range s.files {
		for _, declared := range file.file.Decls {
			types, ok := declared.(*ast.GenDecl)
			if !ok || types.Tok != token.TYPE {
				continue
			}
			for _, spec := range types.Specs {
				if named, ok := spec.(*ast.TypeSpec); ok && named.Name.Name == name {
					return file, types, named
				}
			}
		}
	}
	return nil, nil, nil
}

// Declares reports whether the package declares a name.
func (s *Sources) Declares(name string) bool {
	return slices.ContainsFunc(s.files, func(file *source) bool {
		return slices.ContainsFunc(file.file.Decls, func(declared ast.Decl) bool { return slices.Contains(declaredNames(declared), name) })
	})
}

// use returns the name of a package in a file, which it makes import the package if
// needed.
func (s *Sources) use(file *source, importPath string) (string, error) {
	name := s.packages.name(importPath)
	for _, spec := range file.file.Imports {
		if known, as := s.packages.imported(spec); known == importPath && as != "_" {
			return as, nil
		}
	}
	// A selection from the name is of an import whose package isn't called like its path.
	if s.Declares(name) || file.imports(name) || file.selects(name) {
		return "", &RefusedError{Path: file.path, Alias: "app" + name, Reason: "has another meaning for the name " + name}
	}
	s.addImport(file, importPath)
	return name, file.apply()
}

// imports reports whether an import of a file has a name.
func (s *source) imports(name string) bool {
	return slices.ContainsFunc(s.file.Imports, func(spec *ast.ImportSpec) bool {
		_, as := s.packages.imported(spec)
		return as == name
	})
}

// selects reports whether a file has a selector expression of a name, such as tools.Tool.
func (s *source) selects(name string) (found bool) {
	ast.Inspect(s.file, func(node ast.Node) bool {
		if selector, ok := node.(*ast.SelectorExpr); ok {
			from, ok := selector.X.(*ast.Ident)
			found = found || ok && from.Name == name
		}
		return !found
	})
	return found
}

// addImport adds an import beside those of the same origin, or as a group of its own.
func (s *Sources) addImport(file *source, importPath string) {
	var last, own *ast.ImportSpec // the last import, and the last one of the same origin
	var lastDecl, ownDecl *ast.GenDecl
	var single int
	for _, declared := range file.file.Decls {
		imports, ok := declared.(*ast.GenDecl)
		if !ok || imports.Tok != token.IMPORT {
			continue
		}
		if !imports.Lparen.IsValid() {
			single++
		}
		lastDecl = imports
		for _, spec := range imports.Specs {
			last, _ = spec.(*ast.ImportSpec)
			if known, _ := s.packages.imported(last); s.origin(known) == s.origin(importPath) {
				own, ownDecl = last, imports
			}
		}
	}
	line := strconv.Quote(importPath)
	switch {
	case own != nil && ownDecl.Lparen.IsValid():
		file.insertLine(own, ownDecl.Rparen, "\n", line)
	case lastDecl == nil:
		file.insert(file.afterComments(file.file.Name.End()), "\n\nimport "+line)
	case lastDecl.Lparen.IsValid() && last == nil:
		file.insert(file.offset(lastDecl.Rparen), "\n\t"+line+"\n")
	case lastDecl.Lparen.IsValid():
		file.insertLine(last, lastDecl.Rparen, "\n\n", line)
	case single == 1 && lastDecl.Doc == nil && last.Path.Value != `"C"`:
		gap := "\n\n"
		if own != nil {
			gap = "\n"
		}
		first := last.Pos()
		file.insert(file.offset(first), "(\n\t")
		file.insert(file.afterComments(last.End()), gap+"\t"+line+"\n)")
	default:
		file.insert(file.afterComments(lastDecl.End()), "\nimport "+line)
	}
}

// An origin is where a package comes from. Imports of one origin are a group.
type origin int

const (
	fromApp origin = iota
	fromStandardLibrary
	fromModule
)

func (s *Sources) origin(importPath string) origin {
	first, _, _ := strings.Cut(importPath, "/")
	switch {
	case strings.HasPrefix(importPath, s.module+"/"):
		return fromApp
	case !strings.Contains(first, "."):
		return fromStandardLibrary
	}
	return fromModule
}

// insertLine inserts a line below an import in parentheses.
func (s *source) insertLine(after *ast.ImportSpec, end token.Pos, gap, line string) {
	offset := s.afterComments(after.End())
	if s.line(end) == s.line(after.End()) { // import ("fmt")
		s.insert(s.offset(end), gap+"\t"+line+"\n")
		return
	}
	s.insert(offset, gap+s.indent(after.Pos())+line)
}
