package scaffold_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"regexp"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/scaffold"
)

// FuzzARegistrationAddsExactlyOneElement edits server files. In a file that is edited, the
// tokens and comments are the old ones, except for one element, an import, and a method
// that was missing.
func FuzzARegistrationAddsExactlyOneElement(f *testing.F) {
	for _, test := range edited {
		f.Add(test.before)
		f.Add(strings.ReplaceAll(test.before, "\n", "\r\n"))
	}
	for _, test := range refused {
		f.Add(test.source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		after, err := register(t, source)
		if refused := new(scaffold.RefusedError); errors.As(err, &refused) {
			return
		}
		if err != nil {
			if parses(source) {
				t.Fatalf("%v\n%s", err, source)
			}
			return
		}
		if after == source {
			if !strings.Contains(source, "NewTool") {
				t.Fatalf("nothing changed:\n%s", source)
			}
			return
		}
		if before, now := len(elements(t, source)), len(elements(t, after)); now != before+1 {
			t.Fatalf("the list had %d elements and has %d:\n%s\n%s", before, now, source, after)
		}
		added, removed := difference(tokens(t, source), tokens(t, after))
		if !addition.MatchString(added) || removed != "" && removed != "nil" {
			t.Fatalf("it added %q and removed %q:\n%s\n%s", added, removed, source, after)
		}
		checkImports(t, source, after)
		again, err := register(t, after)
		if err != nil || again != after {
			t.Fatalf("a second time: %v\n%s\n%s", err, after, again)
		}
	})
}

func parses(source string) bool {
	_, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	return err == nil
}

// elements returns the elements of the list that Tools returns.
func elements(t *testing.T, source string) []ast.Expr {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	for _, declared := range file.Decls {
		method, ok := declared.(*ast.FuncDecl)
		if !ok || method.Recv == nil || method.Name.Name != "Tools" {
			continue
		}
		if receiver := method.Recv.List[0].Type; !isShop(receiver) {
			continue
		}
		if list, ok := method.Body.List[0].(*ast.ReturnStmt).Results[0].(*ast.CompositeLit); ok {
			return list.Elts
		}
	}
	return nil
}

func isShop(receiver ast.Expr) bool {
	if pointer, ok := receiver.(*ast.StarExpr); ok {
		receiver = pointer.X
	}
	named, ok := receiver.(*ast.Ident)
	return ok && named.Name == "ShopServer"
}

// tokens returns the tokens of a file below its imports, with comments and without the
// semicolons at ends of lines.
func tokens(t *testing.T, source string) (all []string) {
	t.Helper()
	text := []byte(strings.ReplaceAll(source, "\r\n", "\n"))
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	text = text[files.PositionFor(head(parsed), false).Offset:]
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, scanner.ScanComments)
	for {
		_, kind, literal := s.Scan()
		switch {
		case kind == token.EOF:
			return all
		case kind == token.SEMICOLON && literal == "\n":
		case literal == "":
			all = append(all, kind.String())
		default:
			all = append(all, literal)
		}
	}
}

// head returns where the first declaration below the imports begins.
func head(file *ast.File) token.Pos {
	for _, declared := range file.Decls {
		if imports, ok := declared.(*ast.GenDecl); !ok || imports.Tok != token.IMPORT {
			return declared.Pos()
		}
	}
	return file.FileEnd
}

// difference returns what is between the first and the last tokens that are the same.
func difference(before, after []string) (added, removed string) {
	for len(before) > 0 && len(after) > 0 && before[0] == after[0] {
		before, after = before[1:], after[1:]
	}
	for len(before) > 0 && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	return strings.Join(after, " "), strings.Join(before, " ")
}

// addition matches the tokens that a registration may add: an element with a comma, a list
// in place of nil, or a method.
var addition = regexp.MustCompile(strings.ReplaceAll(`^(`+
	`(, )?ELEMENT( ,)?|`+
	`\[ \] .+ \{ ELEMENT( ,)? \}|`+
	`// Tools returns the server's tools\. func \( \* ShopServer \) Tools \( \) \[ \] \S+ \. Tool \{ `+
	`return \[ \] \S+ \. Tool \{ ELEMENT( ,)? \} \}`+
	`)$`, `ELEMENT`, `& \S+ \. NewTool \{ \}`))

// checkImports checks that the imports are the old ones, and those of the element and of
// the method.
func checkImports(t *testing.T, before, after string) {
	t.Helper()
	old, now := importsOf(t, before), importsOf(t, after)
	for path, count := range now {
		if own := path == `"example.com/demo/app/mcp/tools"`; count != old[path] && (count != old[path]+1 || !own) {
			t.Fatalf("the import %s is there %d times, before %d times:\n%s\n%s", path, count, old[path], before, after)
		}
	}
	for path := range old {
		if now[path] == 0 {
			t.Fatalf("the import %s is gone:\n%s\n%s", path, before, after)
		}
	}
}

// importsOf counts the imports of a file, with their names, and the comments above the
// first declaration.
func importsOf(t *testing.T, source string) map[string]int {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]int{}
	for _, spec := range file.Imports {
		name := spec.Path.Value
		if spec.Name != nil {
			name = spec.Name.Name + " " + name
		}
		all[name]++
	}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if comment.Pos() < head(file) {
				all[strings.TrimSpace(comment.Text)]++
			}
		}
	}
	return all
}
