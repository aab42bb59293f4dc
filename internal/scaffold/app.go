// Package scaffold writes the Go files of a Bowline app: it finds the app around a folder, makes Go names of what a person
// typed, and renders stubs into formatted files without ever overwriting one unasked.
package scaffold

import (
	"errors"
	"fmt"
	"go/build"
	"os"
	"path/filepath"
)

// ErrNoApp means that neither the folder nor one above it holds an app.
var ErrNoApp = errors.New("no app found")

// An App is a Go module with a main package in its root folder.
type App struct {
	// Root is the absolute path of the folder that holds go.mod.
	Root string
	// Module is the module path that go.mod declares.
	Module string
}

// FindApp returns the app that folder belongs to: the nearest folder upwards that holds both a go.mod and a main package, so
// that a nested module without a program (a module of test tools, say) belongs to the app around it. It reports an error
// that wraps ErrNoApp when there is none.
func FindApp(folder string) (*App, error) {
	start, err := filepath.Abs(folder)
	if err != nil {
		return nil, fmt.Errorf("find the app: %w", err)
	}
	if info, err := os.Stat(start); err != nil {
		return nil, fmt.Errorf("find the app: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("find the app: %s is not a folder", start)
	}
	for root := start; ; root = filepath.Dir(root) {
		mod := filepath.Join(root, "go.mod")
		if _, err := os.Stat(mod); err == nil && holdsProgram(root) {
			module, err := modulePath(mod)
			if err != nil {
				return nil, err
			}
			return &App{Root: root, Module: module}, nil
		}
		if root == filepath.Dir(root) {
			return nil, fmt.Errorf("%w in %s or above it: an app is a folder with a go.mod and a main package; go to the folder "+
				"of your app, or name it with --dir; https://github.com/bowline-mcp/bowline#your-own-app says how to begin one", ErrNoApp, start)
		}
	}
}

// Has reports whether the app has the file, whose path is relative to its root, with slashes.
func (a *App) Has(path string) bool {
	_, err := os.Stat(filepath.Join(a.Root, filepath.FromSlash(path)))
	return err == nil
}

// holdsProgram reports whether the Go files of folder are a main package. Files that a build constraint leaves out do not
// count; files that do not parse do, because the compiler explains them better than we could.
func holdsProgram(folder string) bool {
	pkg, err := build.ImportDir(folder, 0)
	var several *build.MultiplePackageError
	if errors.As(err, &several) {
		for _, name := range several.Packages {
			if name == "main" {
				return true
			}
		}
	}
	return pkg != nil && pkg.Name == "main"
}
