package scaffold

import (
	"errors"
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Sources are the Go files of one folder of an app, without its tests, to be edited. An
// edit that is refused with a *RefusedError leaves them in between: drop them then.
type Sources struct {
	module string
	folder string
	files  []*source
}

// Sources reads the Go files of a folder, which may be missing. All of them have to parse:
// a method of a type may be in any of them.
func (a *App) Sources(folder string) (*Sources, error) {
	s := &Sources{module: a.Module, folder: folder}
	entries, err := os.ReadDir(filepath.Join(a.Root, filepath.FromSlash(folder)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || name[0] == '.' || name[0] == '_' {
			continue
		}
		content, err := os.ReadFile(filepath.Join(a.Root, filepath.FromSlash(folder), name))
		if err != nil {
			return nil, err
		}
		parsed, err := newSource(path.Join(folder, name), content)
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
	parsed, err := newSource(path.Join(s.folder, name), content)
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
			if method, ok := declared.(*ast.FuncDecl); ok && method.Name.Name == name && method.Recv != nil && receiverType(method) == typeName {
				return file, method
			}
		}
	}
	return nil, nil
}

// receiverType returns the name of the type that a method belongs to. It is empty for a
// function.
func receiverType(method *ast.FuncDecl) string {
	if method.Recv == nil || len(method.Recv.List) != 1 {
		return ""
	}
	receiver := method.Recv.List[0].Type
	if pointer, ok := receiver.(*ast.StarExpr); ok {
		receiver = pointer.X
	}
	if named, ok := receiver.(*ast.Ident); ok {
		return named.Name
	}
	return ""
}

// structType returns the declaration of a struct type, with its file, or nil.
func (s *Sources) structType(name string) (*source, *ast.GenDecl, *ast.StructType) {
	for _, file := range s.files {
		for _, declared := range file.file.Decls {
			types, ok := declared.(*ast.GenDecl)
			if !ok || types.Tok != token.TYPE {
				continue
			}
			for _, spec := range types.Specs {
				if named, ok := spec.(*ast.TypeSpec); ok && named.Name.Name == name {
					structure, _ := named.Type.(*ast.StructType)
					return file, types, structure
				}
			}
		}
	}
	return nil, nil, nil
}

// Declares reports whether the package declares a name.
func (s *Sources) Declares(name string) bool {
	return slices.ContainsFunc(s.files, func(file *source) bool {
		return slices.ContainsFunc(file.file.Decls, func(declared ast.Decl) bool {
			switch declared := declared.(type) {
			case *ast.FuncDecl:
				return declared.Recv == nil && declared.Name.Name == name
			case *ast.GenDecl:
				return slices.ContainsFunc(declared.Specs, func(spec ast.Spec) bool { return slices.Contains(specNames(spec), name) })
			}
			return false
		})
	})
}

func specNames(spec ast.Spec) (names []string) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		names = append(names, spec.Name.Name)
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			names = append(names, name.Name)
		}
	}
	return names
}

// imported returns the path of an import and the name that the file has for it. It guesses
// the name of a package of another module from the path.
func imported(spec *ast.ImportSpec) (importPath, name string) {
	importPath, _ = strconv.Unquote(spec.Path.Value)
	if spec.Name != nil {
		return importPath, spec.Name.Name
	}
	name = path.Base(importPath)
	if version, ok := strings.CutPrefix(name, "v"); ok && strings.Trim(version, "0123456789") == "" && path.Dir(importPath) != "." {
		name = path.Base(path.Dir(importPath))
	}
	return importPath, name
}

// use returns the name of a package in a file, which it makes import the package if
// needed.
func (s *Sources) use(file *source, importPath string) (string, error) {
	name := path.Base(importPath)
	taken := s.Declares(name)
	for _, spec := range file.file.Imports {
		switch known, as := imported(spec); {
		case known == importPath && as != "_":
			return as, nil
		case as == name:
			taken = true
		}
	}
	if taken {
		return "", &RefusedError{Path: file.path, Alias: "app" + name, Reason: "has another meaning for the name " + name}
	}
	s.addImport(file, importPath)
	return name, file.apply()
}

// addImport adds an import beside those of the app, or as a group of its own.
func (s *Sources) addImport(file *source, importPath string) {
	var last, own *ast.ImportSpec // the last import, and the last one of the app
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
			if known, _ := imported(last); strings.HasPrefix(known, s.module+"/") {
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

// insertLine inserts a line below an import in parentheses.
func (s *source) insertLine(after *ast.ImportSpec, end token.Pos, gap, line string) {
	offset := s.afterComments(after.End())
	if s.line(end) == s.line(after.End()) { // import ("fmt")
		s.insert(s.offset(end), gap+"\t"+line+"\n")
		return
	}
	s.insert(offset, gap+s.indent(after.Pos())+line)
}
