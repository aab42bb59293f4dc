// Package scaffold writes the Go files of a Bowline app. It finds the app that a folder
// belongs to, converts arguments to Go names, and renders stubs into formatted files. It
// never overwrites a file unless forced.
package scaffold

import (
	"errors"
	"fmt"
	"go/build"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/bowline-mcp/bowline/internal/naming"
)

// ErrNoApp is the error if neither the folder nor one of its parents is an app.
var ErrNoApp = errors.New("no app found")

// An App is a Go module with a main package in its root folder.
type App struct {
	// Root is the absolute path of the folder with go.mod.
	Root string
	// Module is the module path that go.mod declares.
	Module string
}

// FindApp returns the app that folder belongs to: the folder itself or its nearest parent
// with both a go.mod and a main package. A nested module without a program, such as a
// module of test tools, belongs to the app around it. The error wraps ErrNoApp if there
// is no app.
func FindApp(folder string) (*App, error) {
	start, err := filepath.Abs(folder)
	if err != nil {
		return nil, fmt.Errorf("find the app: %w", err)
	}
	switch info, err := os.Stat(start); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no folder %s; name the folder of your app with --dir", naming.Printable(start))
	case err != nil:
		return nil, fmt.Errorf("find the app: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("%s is not a folder; name the folder of your app with --dir", naming.Printable(start))
	}
	for root := start; ; root = filepath.Dir(root) {
		mod := filepath.Join(root, "go.mod")
		if _, err := os.Stat(mod); err == nil && holdsProgram(root) {
			module, err := ModulePath(mod)
			if err != nil {
				return nil, err
			}
			return &App{Root: root, Module: module}, nil
		}
		if root == filepath.Dir(root) {
			return nil, fmt.Errorf("%w in %s or above it: an app is a folder with a go.mod and a main package; change to the folder "+
				"of your app, or name it with --dir; mcp new NAME creates one", ErrNoApp, start)
		}
	}
}

// Has reports whether the app has a file. The path is relative to the app's root and has slashes.
func (a *App) Has(path string) bool {
	_, err := os.Stat(filepath.Join(a.Root, filepath.FromSlash(path)))
	return err == nil
}

// ReadFile returns the content of a file of the app. The path is relative to the app's root and has
// slashes. The error wraps fs.ErrNotExist if there is none.
func (a *App) ReadFile(name string) ([]byte, error) {
	content, err := os.ReadFile(filepath.Join(a.Root, filepath.FromSlash(name)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = a.readFailure(name, path.Dir(name), err)
	}
	return content, err
}

// holdsProgram reports whether the Go files of folder are a main package. It ignores
// files that build constraints exclude, but not files that don't parse, because the
// compiler reports them better.
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

// ModulePath returns the path in the module directive of the go.mod file at name. It
// doesn't support the form with parentheses, which no tool writes.
func ModulePath(name string) (string, error) {
	content, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrPermission) {
		return "", fmt.Errorf("read the module path: %w; make it readable", err)
	}
	if err != nil {
		return "", fmt.Errorf("read the module path: %w", err)
	}
	for number, line := range strings.Split(string(content), "\n") {
		line, _, _ = strings.Cut(line, "//")
		path, found := strings.CutPrefix(strings.TrimSpace(line), "module")
		if !found || path == strings.TrimLeft(path, " \t\"`") {
			continue
		}
		path = strings.TrimSpace(path)
		if strings.HasPrefix(path, `"`) || strings.HasPrefix(path, "`") {
			if path, err = strconv.Unquote(path); err != nil {
				return "", fmt.Errorf("%s:%d: the module path is not quoted correctly", name, number+1)
			}
		}
		if path == "" || strings.ContainsAny(path, " \t\"`()\\") {
			return "", fmt.Errorf("%s:%d: expected module PATH", name, number+1)
		}
		return path, nil
	}
	return "", fmt.Errorf("%s has no module line: add one, for example: module example.com/demo", name)
}
