package takeout

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/docs/source"
)

// Variable names the environment variable that says which takeout happens in a program that was built with an overlay: its ID.
const Variable = "BOWLINE_TAKEOUT"

// switches is added to each package that has takeouts.
const switches = `
import "os"

var takeout = os.Getenv("` + Variable + `")

func takenOut(id string) bool { return takeout == id }

func takenOutZero[T any](id string, value T) T {
	if takenOut(id) {
		var zero T
		return zero
	}
	return value
}

func takenOutFor[T any](id string, value, argument T) T {
	if takenOut(id) {
		return argument
	}
	return value
}
`

// A wrapping is text before and after a part of a file.
type wrapping struct {
	from, to      int
	before, after string
}

// A Module reads the packages of a module, each once.
type Module struct {
	root     string
	packages map[string]*target
}

// A target is a package whose takeouts are collected.
type target struct {
	name      string
	files     map[string]*ast.File // by the path from the root
	positions *token.FileSet
	wrappings map[string][]wrapping
}

// NewModule returns the module in a folder.
func NewModule(root string) *Module { return &Module{root, map[string]*target{}} }

// Add finds what a takeout takes out. It returns an error unless that is there, once.
func (m *Module) Add(t Takeout) error {
	in, err := m.target(t.Package)
	if err != nil {
		return err
	}
	var (
		found []place
		file  string
	)
	for _, name := range slices.Sorted(maps.Keys(in.files)) {
		for _, declaration := range in.files[name].Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok && function.Body != nil && source.Name(function) == t.Func {
				if file != "" {
					return fmt.Errorf("%s.%s is there twice, for two systems: name a function that is there once", t.Package, t.Func)
				}
				file, found = name, places(function, t)
			}
		}
	}
	if file == "" {
		return fmt.Errorf("the package %s has no function %s", t.Package, t.Func)
	}
	if len(found) != 1 {
		return fmt.Errorf("%s has %q %d times, want once", file, t.Code, len(found))
	}
	before, after, err := found[0].edit(t)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	offset := func(at token.Pos) int { return in.positions.Position(at).Offset }
	if t.Verb == "pass" {
		text, err := os.ReadFile(filepath.Join(m.root, filepath.FromSlash(file)))
		if err != nil {
			return err
		}
		argument := found[0].node.(*ast.CallExpr).Args[0]
		after = ", " + string(text[offset(argument.Pos()):offset(argument.End())]) + after
	}
	in.wrappings[file] = append(in.wrappings[file], wrapping{offset(found[0].from), offset(found[0].to), before, after})
	return nil
}

func (m *Module) target(folder string) (*target, error) {
	if known := m.packages[folder]; known != nil {
		return known, nil
	}
	names, err := filepath.Glob(filepath.Join(m.root, filepath.FromSlash(folder), "*.go"))
	if err != nil {
		return nil, err
	}
	found := &target{files: map[string]*ast.File{}, positions: token.NewFileSet(), wrappings: map[string][]wrapping{}}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(found.positions, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		found.name = parsed.Name.Name
		found.files[folder+"/"+filepath.Base(name)] = parsed
	}
	if len(found.files) == 0 {
		return nil, fmt.Errorf("there is no package in the folder %s", folder)
	}
	m.packages[folder] = found
	return found, nil
}

// WriteOverlay writes into a folder the files of all packages with their takeouts, and returns the path of the list for go build's flag
// -overlay.
func (m *Module) WriteOverlay(folder string) (path string, err error) {
	root, err := filepath.Abs(m.root)
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	write := func(name, text string) {
		file := filepath.Join(folder, fmt.Sprintf("%d.go", len(replace)))
		replace[filepath.Join(root, filepath.FromSlash(name))] = file
		err = errors.Join(err, os.WriteFile(file, []byte(text), 0o600))
	}
	for path, in := range m.packages {
		write(path+"/takeout_switches.go", "package "+in.name+"\n"+switches)
		for name, wrappings := range in.wrappings {
			original, readErr := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
			if readErr != nil {
				return "", readErr
			}
			write(name, wrapped(string(original), wrappings))
		}
	}
	list, encodeErr := json.Marshal(map[string]any{"Replace": replace})
	path = filepath.Join(folder, "overlay.json")
	return path, errors.Join(err, encodeErr, os.WriteFile(path, list, 0o600))
}

// wrapped returns a text with its wrappings, of which any two are apart or one within the other.
func wrapped(text string, all []wrapping) string {
	// The outer ones first, so that their text is outside.
	slices.SortStableFunc(all, func(a, b wrapping) int { return (b.to - b.from) - (a.to - a.from) })
	before, after := map[int]string{}, map[int]string{}
	for _, w := range all {
		before[w.from] += w.before
		after[w.to] = w.after + after[w.to]
	}
	var b strings.Builder
	for i := range len(text) + 1 {
		b.WriteString(after[i])
		b.WriteString(before[i])
		if i < len(text) {
			b.WriteByte(text[i])
		}
	}
	return b.String()
}
