package scaffold

import (
	"fmt"
	"go/ast"
	"go/parser"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// CheckNames returns an error if new Go files don't fit into their folders: another file there
// declares the same name, or belongs to another package. The app would not compile. Files that
// the new ones replace don't matter.
func (a *App) CheckNames(files []File) error {
	folders := map[string][]declarations{}
	for _, file := range files {
		folder := path.Dir(file.Path)
		others, read := folders[folder]
		if !read {
			var err error
			if others, err = a.declarations(folder, files); err != nil {
				return err
			}
		}
		mine := declare(file.Path, file.Path, file.Content)
		for _, other := range others {
			if err := mine.clash(other); err != nil {
				return err
			}
		}
		folders[folder] = append(others, mine)
	}
	return nil
}

// declarations are what a Go file declares for its package.
type declarations struct {
	path        string // relative to the app's root, with slashes
	packageName string
	names       []string // without methods
}

// declarations returns the declarations of the files in a folder that are not written.
func (a *App) declarations(folder string, written []File) (all []declarations, err error) {
	names, err := a.goFiles(folder)
	for _, name := range names {
		relative := path.Join(folder, name)
		if !slices.ContainsFunc(written, func(file File) bool { return file.Path == relative }) {
			all = append(all, declare(relative, filepath.Join(a.Root, filepath.FromSlash(relative)), nil))
		}
	}
	return all, err
}

// declare reads what a Go file declares, as far as it parses. It reads the named file if content
// is nil.
func declare(relative, name string, content []byte) declarations {
	found := declarations{path: relative}
	file := parse(name, content, parser.SkipObjectResolution)
	if file == nil {
		return found
	}
	found.packageName = file.Name.Name
	for _, declared := range file.Decls {
		found.names = append(found.names, declaredNames(declared)...)
	}
	return found
}

// declaredNames returns the names that a declaration declares for its package.
func declaredNames(declared ast.Decl) (names []string) {
	switch declared := declared.(type) {
	case *ast.FuncDecl:
		if declared.Recv == nil {
			names = append(names, declared.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range declared.Specs {
			names = append(names, specNames(spec)...)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "_" || name == "init" })
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

// clash returns an error if two files can't be in the same folder.
func (d declarations) clash(other declarations) error {
	mine, theirs := strings.TrimSuffix(d.packageName, "_test"), strings.TrimSuffix(other.packageName, "_test")
	if mine != theirs && mine != "" && theirs != "" {
		return fmt.Errorf("%s belongs to package %s, but %s would belong to package %s; choose another name, or correct the package in that folder",
			other.path, other.packageName, d.path, d.packageName)
	}
	if d.packageName != other.packageName {
		return nil
	}
	for _, name := range d.names {
		if slices.Contains(other.names, name) {
			return fmt.Errorf("%s already declares %s; choose another name", other.path, name)
		}
	}
	return nil
}
