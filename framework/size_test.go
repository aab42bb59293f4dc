package framework_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The largest sizes of what a reader has to hold in mind. The functions of a call's road are measured by docs/road.
const (
	maxMethods = 40   // the methods of a type, without the methods of the types that it embeds
	maxLines   = 3000 // the lines of a package, without tests
)

func TestTypesAndPackagesAreSmall(t *testing.T) {
	t.Parallel()
	sizes := sizes{map[string]int{}, map[string]int{}}
	for _, source := range sources(t) {
		if source.isTest() || groupOf(source.folder()).name == "tests" {
			continue
		}
		text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(source.file)))
		if err != nil {
			t.Fatal(err)
		}
		if err := sizes.add(source.folder(), text); err != nil {
			t.Fatal(err)
		}
	}
	if sizes.lines["framework/mcp"] < 1000 || sizes.methods["internal/engine/call.Call"] < 10 {
		t.Errorf("framework/mcp has %d lines and call.Call %d methods", sizes.lines["framework/mcp"], sizes.methods["internal/engine/call.Call"])
	}
	for _, name := range sizes.exceeding() {
		t.Errorf("%s has %d methods or %d lines; at most %d and %d: find what it is that has a name of its own, and move it out",
			name, sizes.methods[name], sizes.lines[name], maxMethods, maxLines)
	}
}

func TestLargeTypesAndPackagesAreFound(t *testing.T) {
	t.Parallel()
	sizes := sizes{map[string]int{}, map[string]int{}}
	small, large := strings.Repeat("func (s *small) f() {}\n", maxMethods), strings.Repeat("func (l large[K, V]) f() {}\n", maxMethods+1)
	wide := "type wide interface {\nsmaller\n" + strings.Repeat("f()\n", maxMethods) + "f()\n}\n"
	for folder, text := range map[string]string{"a": small + large + wide, "b": strings.Repeat("\n", maxLines), "c": strings.Repeat("\n", maxLines-1)} {
		if err := sizes.add(folder, []byte("package a\n"+text)); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := sizes.exceeding(), []string{"a.large", "a.wide", "b"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// sizes has the lines of packages, and the methods of types by their package and name.
type sizes struct{ lines, methods map[string]int }

// add counts a file.
func (s sizes) add(folder string, text []byte) error {
	parsed, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	s.lines[folder] += bytes.Count(text, []byte("\n"))
	ast.Inspect(parsed, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.FuncDecl:
			if n.Recv != nil {
				receiver, _, _ := strings.Cut(types.ExprString(n.Recv.List[0].Type), "[")
				s.methods[folder+"."+strings.TrimPrefix(receiver, "*")]++
			}
		case *ast.TypeSpec:
			if declared, ok := n.Type.(*ast.InterfaceType); ok {
				for _, method := range declared.Methods.List {
					s.methods[folder+"."+n.Name.Name] += len(method.Names) // none of an embedded interface
				}
			}
		}
		return true
	})
	return nil
}

// exceeding returns what exceeds a limit.
func (s sizes) exceeding() (names []string) {
	for name, n := range s.lines {
		if n > maxLines {
			names = append(names, name)
		}
	}
	for name, n := range s.methods {
		if n > maxMethods {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
