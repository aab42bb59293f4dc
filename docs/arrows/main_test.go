package main

import (
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// drawn returns the finished layout of a graph.
func drawn(g graph) *layout {
	l := newLayout(g.reduced())
	l.setRows()
	l.route()
	l.arrange()
	return l
}

// samples returns the module's own graph, and others.
func samples(t *testing.T) map[string]graph {
	t.Helper()
	root, err := findModule()
	if err != nil {
		t.Fatal(err)
	}
	own, err := readImports(root)
	if err != nil || len(own) < 50 {
		t.Fatalf("%v, with %d packages", err, len(own))
	}
	small := graph{".": {"framework/mcp", "routes"}, "routes": {"framework/mcp"}, "framework/mcp": {"internal/engine/protocol"}, "internal/engine/protocol": nil}
	large := graph{
		".": {"config", "framework/mcp", "routes"}, "config": {"framework/env", "framework/mcp"}, "routes": {"app/mcp/servers", "framework/auth/oauth"},
		"app/mcp/servers": {"app/mcp/tools", "framework/servers"}, "app/mcp/tools": {"framework/tools"},
		"framework/mcptest": {"framework/mcp"}, "framework/mcp": {"framework/servers", "internal/engine/legacy", "internal/json/codec"},
		"framework/servers": {"framework/tools", "framework/exchange"}, "framework/tools": {"framework/exchange", "framework/schema"},
		"framework/schema": {"internal/json/jsonschema", "internal/json/codec"}, "framework/exchange": {"internal/json/codec"}, "framework/env": nil,
		"framework/auth/oauth": {"framework/auth", "framework/store"}, "framework/auth": {"framework/exchange", "internal/engine/throttle"},
		"framework/store": nil, "internal/engine/legacy": {"internal/engine/transport"}, "internal/engine/transport": {"internal/engine/protocol"},
		"internal/engine/protocol": {"internal/engine/call", "internal/engine/changes", "internal/naming"}, "internal/engine/call": {"internal/spec"},
		"internal/engine/changes": {"internal/spec"}, "internal/spec": {"internal/json/jsonrpc"}, "internal/json/jsonrpc": {"internal/json/codec"},
		"internal/json/jsonschema": {"internal/json/codec"}, "internal/json/codec": nil, "internal/engine/throttle": nil, "internal/naming": nil,
		"cmd/mcp": {"internal/cli"}, "internal/cli": {"internal/naming", "stubs"}, "stubs": nil,
	}
	return map[string]graph{"own": own, "small": small, "large": large}
}

func TestPicturesAreValid(t *testing.T) {
	t.Parallel()
	for name, g := range samples(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := drawn(g)
			if len(l.arrows) < 3 || len(l.nodes) < len(g) || len(l.rows) < 3 {
				t.Errorf("the picture has %d arrows and %d nodes in %d rows", len(l.arrows), len(l.nodes), len(l.rows))
			}
			arrowsPointDown(t, l)
			nothingOverlaps(t, l)
			groupsAreInOrder(t, l)
			showsEveryPackage(t, g, l.svg())
			if name == "own" && l.svg() != current(t) {
				t.Error("docs/arrows.svg doesn't show the imports of today; run: make arrows (or: go run ./docs/arrows)")
			}
		})
	}
}

// current returns the picture in the module.
func current(t *testing.T) string {
	t.Helper()
	root, err := findModule()
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := os.ReadFile(picture(root))
	if err != nil {
		t.Fatal(err)
	}
	return string(drawn)
}

func arrowsPointDown(t *testing.T, l *layout) {
	t.Helper()
	for _, a := range l.arrows {
		for i, n := range a[1:] {
			if n.row != a[i].row+1 {
				t.Errorf("the arrow from %s to %s goes from row %d to row %d", a[0].name, a[len(a)-1].name, a[i].row, n.row)
			}
		}
	}
}

func nothingOverlaps(t *testing.T, l *layout) {
	t.Helper()
	for _, row := range l.rows {
		for i, n := range row {
			if left, right := l.bounds(n.column); n.x-n.width/2 < left || n.x+n.width/2 > right+1 {
				t.Errorf("%q at %d is outside of its column, from %d to %d", n.label, n.x, left, right)
			}
			if i > 0 && n.x-n.width/2 < row[i-1].x+row[i-1].width/2+gap-1 {
				t.Errorf("%q at %d is too near to %q at %d", row[i-1].label, row[i-1].x, n.label, n.x)
			}
		}
	}
}

func groupsAreInOrder(t *testing.T, l *layout) {
	t.Helper()
	for _, low := range l.nodes {
		for _, high := range l.nodes {
			if low.name != "" && high.name != "" && low.group.column() == high.group.column() && low.group > high.group && low.row <= high.row {
				t.Errorf("%s is in row %d, and %s of a group above in row %d", low.name, low.row, high.name, high.row)
			}
		}
	}
}

func showsEveryPackage(t *testing.T, g graph, picture string) {
	t.Helper()
	for folder := range g {
		if strings.Count(picture, "<title>"+folder+"</title>") != 1 {
			t.Errorf("the picture doesn't have %s once", folder)
		}
	}
	decoder := xml.NewDecoder(strings.NewReader(picture))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheSameImportsGiveTheSamePicture(t *testing.T) {
	t.Parallel()
	g := samples(t)["small"]
	first := draw(g)
	if again := draw(g); again != first {
		t.Errorf("first\n%s\nthen\n%s", first, again)
	}
}

func TestRedundantImportsAreOmitted(t *testing.T) {
	t.Parallel()
	g := graph{"a": {"b", "c", "d"}, "b": {"c"}, "c": {"d"}, "d": nil, "e": {"d"}}
	want := graph{"a": {"b"}, "b": {"c"}, "c": {"d"}, "d": nil, "e": {"d"}}
	if got := g.reduced(); !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestImportsAreThoseOfTheModuleWithoutTests(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for file, text := range map[string]string{
		"go.mod":                "module example.com/m\n\ngo 1.26\n",
		"main.go":               "package main\nimport (\n\"fmt\"\n\"example.com/m/framework/a\"\n\"example.com/other\"\n)\n",
		"second.go":             "package main\nimport \"example.com/m/framework/a\"\n",
		"framework/doc.go":      "package framework\n",
		"framework/a/a.go":      "package a\n",
		"framework/a/a_test.go": "package a\nimport \"example.com/m/internal/b\"\n",
		"internal/b/b.go":       "package b\n",
		"examples/c/c.go":       "package c\n",
		"peers/p/p.go":          "package p\n",
		"nested/go.mod":         "module example.com/m/nested\n",
		"nested/n.go":           "package n\n",
	} {
		name := filepath.Join(root, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := readImports(root)
	want := graph{".": {"framework/a"}, "framework/a": nil, "internal/b": nil}
	if err != nil || !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestPackagesBelongToGroups(t *testing.T) {
	t.Parallel()
	g := graph{
		".": {"framework/mcp", "routes"}, "routes": {"framework/mcp"}, "framework/mcptest": {"framework/mcp"},
		"framework/mcp": {"framework/tools", "internal/engine/protocol"}, "framework/tools": {"internal/json/codec", "internal/kept", "internal/naming"},
		"internal/kept": {"framework/content"}, "framework/content": nil,
		"internal/engine/protocol": {"internal/json/codec", "internal/engine/seal"}, "internal/json/codec": nil, "internal/engine/seal": nil,
		"cmd/mcp": {"internal/cli"}, "internal/cli": {"internal/cli/project", "stubs"},
		"internal/cli/project": {"internal/naming"}, "internal/naming": nil, "stubs": nil,
	}
	for name, want := range map[string]group{
		".": theApp, "routes": theApp, "framework/mcptest": theEntryPoints, "framework/mcp": theEntryPoints, "framework/tools": theVocabulary,
		"internal/engine/protocol": theEngine, "internal/engine/seal": theEngine, "internal/json/codec": theFoundations, "internal/naming": theFoundations,
		"internal/kept": theVocabulary,
		"cmd/mcp":       theCommand, "internal/cli": theCommand, "internal/cli/project": theCommand, "stubs": theCommand,
	} {
		if got := g.groupOf(name); got != want {
			t.Errorf("%s belongs to the group %d, want %d", name, got, want)
		}
	}
}
