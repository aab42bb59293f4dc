package main

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A graph maps the folder of each package of the module to the folders that it imports, in
// order.
type graph map[string][]string

// findModule returns the folder of the module that contains the working directory.
func findModule() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		above := filepath.Dir(folder)
		if above == folder {
			return "", errors.New("there is no go.mod here or above; run it in a clone of the repository")
		}
		folder = above
	}
}

// readImports returns the imports of the module's packages. Examples and the programs under docs
// and peers aren't part of the picture. Neither is the package framework, which has only documentation.
func readImports(root string) (graph, error) {
	module, err := modulePath(root)
	if err != nil {
		return nil, err
	}
	found := graph{}
	err = filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != root && skipped(file):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		imported, err := importsOf(file, module)
		folder := path.Dir(filepath.ToSlash(name))
		found[folder] = append(found[folder], imported...)
		return err
	})
	for folder, imported := range found {
		slices.Sort(imported)
		found[folder] = slices.Compact(imported)
	}
	delete(found, "framework")
	return found, err
}

// importsOf returns the folders of the module that a file imports.
func importsOf(file, module string) (folders []string, err error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		if folder, own := strings.CutPrefix(imported, module+"/"); own {
			folders = append(folders, folder)
		}
	}
	return folders, nil
}

// modulePath returns the path that go.mod declares.
func modulePath(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "module "); ok {
			return strings.TrimSpace(name), nil
		}
	}
	return "", fmt.Errorf("%s/go.mod declares no module", root)
}

// skipped reports whether a folder isn't part of the picture.
func skipped(folder string) bool {
	name := filepath.Base(folder)
	if strings.HasPrefix(name, ".") || slices.Contains([]string{"docs", "examples", "node_modules", "peers", "testdata"}, name) {
		return true
	}
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil // a nested module
}

// reaches reports whether a package imports another, directly or not.
func (g graph) reaches(from, to string) bool {
	return slices.ContainsFunc(g[from], func(next string) bool { return next == to || g.reaches(next, to) })
}

// reduced returns the graph without the imports that a chain of others implies.
func (g graph) reduced() graph {
	reduced := graph{}
	for from, imported := range g {
		reduced[from] = slices.DeleteFunc(slices.Clone(imported), func(to string) bool {
			return slices.ContainsFunc(imported, func(other string) bool { return g.reaches(other, to) })
		})
	}
	return reduced
}
