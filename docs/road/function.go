package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// A position is a line and a column of a file. Both begin with 1.
type position struct{ line, column int }

// upTo reports whether p is before another position, or equal to it.
func (p position) upTo(other position) bool {
	return p.line < other.line || p.line == other.line && p.column <= other.column
}

// A block is a sequence of statements that has one counter.
type block struct{ start, end position }

// readProfile returns the blocks that ran according to a coverage profile, by the path of their
// file.
func readProfile(text string) (ran map[string][]block, err error) {
	ran = map[string][]block{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "mode: ") {
			continue
		}
		file, rest, _ := strings.Cut(line, ":")
		var b block
		var statements, count int
		_, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d\n", &b.start.line, &b.start.column, &b.end.line, &b.end.column, &statements, &count)
		if err != nil {
			return nil, fmt.Errorf("the profile has the line %q: %w", line, err)
		}
		if count > 0 {
			ran[file] = append(ran[file], b)
		}
	}
	return ran, nil
}

// A function is a function or method with at least one block that ran.
type function struct {
	file   string // from the root of the module
	name   string // "Name", or "Receiver.Name"
	line   int    // of its beginning
	length int    // in lines
	ran    int    // in lines
}

// attribute returns the functions of framework and internal to which the blocks belong, ordered
// by file and line.
func attribute(ran map[string][]block, module, folder string) (road, error) {
	var found road
	for path, blocks := range ran {
		file, own := strings.CutPrefix(path, module+"/")
		if !own || !strings.HasPrefix(file, "framework/") && !strings.HasPrefix(file, "internal/") {
			continue
		}
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, filepath.Join(folder, filepath.FromSlash(file)), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		found = append(found, functionsOf(files, parsed, file, blocks)...)
	}
	slices.SortFunc(found, func(a, b function) int {
		return cmp.Or(strings.Compare(a.file, b.file), a.line-b.line)
	})
	return found, nil
}

// functionsOf returns the functions of a file to which the blocks belong.
func functionsOf(files *token.FileSet, parsed *ast.File, file string, blocks []block) (found []function) {
	for _, declaration := range parsed.Decls {
		declared, ok := declaration.(*ast.FuncDecl)
		if !ok {
			continue
		}
		from, to := files.Position(declared.Pos()), files.Position(declared.End())
		lines := map[int]bool{}
		for _, b := range blocks {
			if !(position{from.Line, from.Column}).upTo(b.start) || !b.end.upTo(position{to.Line, to.Column}) {
				continue
			}
			for line := b.start.line; line <= b.end.line; line++ {
				lines[line] = true
			}
		}
		if len(lines) > 0 {
			found = append(found, function{file: file, name: nameOf(declared), line: from.Line, length: to.Line - from.Line + 1, ran: len(lines)})
		}
	}
	return found
}

// nameOf returns the name of a function, for a method with the type of its receiver.
func nameOf(declared *ast.FuncDecl) string {
	if declared.Recv == nil {
		return declared.Name.Name
	}
	name := ""
	ast.Inspect(declared.Recv.List[0].Type, func(n ast.Node) bool {
		if identifier, ok := n.(*ast.Ident); ok && name == "" {
			name = identifier.Name // without type parameters, which follow it
		}
		return name == ""
	})
	return name + "." + declared.Name.Name
}
