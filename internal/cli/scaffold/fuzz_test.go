package scaffold_test

import (
	"errors"
	"go/ast"
	"go/format"
	"go/parser"
	"go/scanner"
	"go/token"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

// FuzzARegistrationAddsExactlyOneElement edits server files. In a file that is edited, the
// tokens and comments are the old ones, except for one element, an import, and a method
// that was missing.
func FuzzARegistrationAddsExactlyOneElement(f *testing.F) {
	addition := addition{
		mention: "NewTool", path: "example.com/demo/app/mcp/tools", count: elements, more: 1, replaces: "nil",
		tokens: tokensLike(`(, )?ELEMENT( ,)?`,
			`\[ \] .+ \{ ELEMENT( ,)? \}`,
			`// Tools returns the server's tools\. func \( \* ShopServer( \[ _( , _)* \])? \) Tools \( \) \[ \] \S+ \. Tool \{ `+
				`return \[ \] \S+ \. Tool \{ ELEMENT( ,)? \} \}`),
	}
	addition.fuzz(f, registering)
}

// FuzzARouteIsThreeStatements edits routes. In a file that is edited, the tokens and comments
// are the old ones, except for a variable, a route over HTTP and one on stdio at the end of AI,
// and an import.
func FuzzARouteIsThreeStatements(f *testing.F) {
	addition := addition{
		mention: "ShopServer", path: "example.com/demo/app/mcp/servers", count: statements, more: 3,
		tokens: tokensLike(`(shop(?:Server)?) := & \S+ \. ShopServer \{ \} (\S+) \. Web \( "shop" , shop(?:Server)? \) \S+ \. Local \( "shop" , shop(?:Server)? \)`),
	}
	addition.fuzz(f, addingRoutes)
}

// FuzzAStoreIsExactlyOneField edits server files. In a file that is edited, the tokens and
// comments are the old ones, except for a field with its comment, and an import.
func FuzzAStoreIsExactlyOneField(f *testing.F) {
	addition := addition{
		mention: "Posts", path: "example.com/demo/app/posts", count: fields, more: 1,
		tokens: tokensLike(`// Posts keeps the posts\. Posts \S+ \. Store`),
	}
	addition.fuzz(f, addingFields)
}

// FuzzAStoreIsExactlyOneValue edits routes. In a file that is edited, the tokens and comments
// are the old ones, except for a value in the literal of the server.
func FuzzAStoreIsExactlyOneValue(f *testing.F) {
	addition := addition{mention: "Posts", count: values, more: 1, tokens: tokensLike(`(, )?Posts : postStore( ,)?`)}
	addition.fuzz(f, settingValues)
}

// FuzzAStoreIsExactlyOneParameter edits routes. In a file that is edited, the tokens and comments
// are the old ones, except for a parameter of AI, and an import.
func FuzzAStoreIsExactlyOneParameter(f *testing.F) {
	addition := addition{
		mention: "Posts", path: "example.com/demo/app/posts", count: parameters, more: 1,
		tokens: tokensLike(`, postStore \S+ \. Store`),
	}
	addition.fuzz(f, addingParameters)
}

// FuzzAReceiverIsExactlyOneName edits server files. In a file that is edited, the tokens and
// comments are the old ones, except for the name of a receiver, and a method that was missing.
func FuzzAReceiverIsExactlyOneName(f *testing.F) {
	addition := addition{
		count: receivers, more: 1, replaces: "_",
		tokens: tokensLike(`\w+`,
			`// Tools returns the server's tools\. func \( \w+ \* ShopServer( \[ _( , _)* \])? \) Tools \( \) \[ \] \S+ \. Tool \{ `+
				`return \[ \] \S+ \. Tool \{ \} \}`),
	}
	addition.fuzz(f, namingReceivers)
}

// An addition is what an edit may add to a file.
type addition struct {
	mention  string                   // a word of a file that has it already
	path     string                   // of the package that it may import
	count    func(file *ast.File) int // what it adds one or more of
	more     int                      // how many
	tokens   *regexp.Regexp           // below the imports
	replaces string                   // the token that it may replace
}

// fuzz edits files, and checks what was added.
func (a addition) fuzz(f *testing.F, edits edits) {
	f.Helper()
	for _, test := range edits.edited {
		f.Add(test.before)
		f.Add(strings.ReplaceAll(test.before, "\n", "\r\n"))
	}
	for _, test := range edits.refused {
		f.Add(test.source)
	}
	f.Add("package broken\n\nfunc (")
	f.Fuzz(func(t *testing.T, source string) {
		after, err := edits.edit(t, source)
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
			if !strings.Contains(source, a.mention) {
				t.Fatalf("nothing changed:\n%s", source)
			}
			return
		}
		if before, now := a.count(parse(t, source)), a.count(parse(t, after)); now != before+a.more {
			t.Fatalf("there were %d and are %d:\n%s\n%s", before, now, source, after)
		}
		added, removed := difference(tokens(t, source), tokens(t, after))
		if !a.tokens.MatchString(added) || removed != "" && removed != a.replaces {
			t.Fatalf("it added %q and removed %q:\n%s\n%s", added, removed, source, after)
		}
		a.checkImports(t, source, after)
		if removed == "" {
			checkWhiteSpace(t, source, after)
		}
		again, err := edits.edit(t, after)
		if err != nil || again != after {
			t.Fatalf("a second time: %v\n%s\n%s", err, after, again)
		}
	})
}

// checkWhiteSpace checks that white space and line endings are the old ones. Only a file that
// was formatted is formatted again, so that the width of columns may change.
func checkWhiteSpace(t *testing.T, before, after string) {
	t.Helper()
	if lines := strings.Count(before, "\r\n"); lines > 0 {
		if strings.Count(after, "\r\n") != strings.Count(after, "\n") {
			t.Fatalf("the line endings changed:\n%q\n%q", before, after)
		}
		before, after = strings.ReplaceAll(before, "\r\n", "\n"), strings.ReplaceAll(after, "\r\n", "\n")
	}
	text := strings.TrimPrefix(before, "\ufeff")
	if formatted, err := format.Source([]byte(text)); err == nil && string(formatted) == text {
		text = strings.TrimPrefix(after, "\ufeff")
		if formatted, err := format.Source([]byte(text)); err != nil || string(formatted) != text {
			t.Fatalf("%v: it is not formatted any more:\n%s", err, after)
		}
		columns := regexp.MustCompile(`[ \t\n]+`)
		before, after = columns.ReplaceAllString(before, " "), columns.ReplaceAllString(after, " ")
	}
	// An import in parentheses that it didn't have and a struct that was on one line are two insertions each.
	if n := insertions(before, after); n < 1 || n > 4 {
		t.Fatalf("it is not the old file with something inserted, but with %d insertions:\n%q\n%q", n, before, after)
	}
}

// insertions returns how many insertions make a text the other one, or -1 if insertions don't.
func insertions(before, after string) int {
	for before != "" && after != "" && before[0] == after[0] {
		before, after = before[1:], after[1:]
	}
	for before != "" && after != "" && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	// The fewest for a beginning of before and each beginning of after, which ends inside or outside of an insertion.
	const never = math.MaxInt32
	inside, outside := make([]int, len(after)+1), make([]int, len(after)+1)
	for j := range len(after) {
		inside[j+1], outside[j+1] = 1, never
	}
	inside[0] = never
	for i := range len(before) {
		left := min(inside[0], outside[0])
		inside[0], outside[0] = never, never
		for j := range len(after) {
			above := min(inside[j+1], outside[j+1])
			outside[j+1] = never
			if before[i] == after[j] {
				outside[j+1] = left
			}
			inside[j+1] = min(inside[j], outside[j]+1)
			left = above
		}
	}
	if fewest := min(inside[len(after)], outside[len(after)]); fewest < never {
		return fewest
	}
	return -1
}

func parses(source string) bool {
	_, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	return err == nil
}

func parse(t *testing.T, source string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	return file
}

// elements counts the elements of the list that Tools returns.
func elements(file *ast.File) int {
	if method := toolsOf(file); method != nil {
		if list, ok := method.Body.List[0].(*ast.ReturnStmt).Results[0].(*ast.CompositeLit); ok {
			return len(list.Elts)
		}
	}
	return 0
}

// receivers counts the names of the receiver of Tools.
func receivers(file *ast.File) int {
	if method := toolsOf(file); method != nil {
		if names := method.Recv.List[0].Names; len(names) == 1 && names[0].Name != "_" {
			return 1
		}
	}
	return 0
}

// toolsOf returns the method Tools of ShopServer, or nil.
func toolsOf(file *ast.File) *ast.FuncDecl {
	for _, declared := range file.Decls {
		method, ok := declared.(*ast.FuncDecl)
		if !ok || method.Recv == nil || method.Name.Name != "Tools" {
			continue
		}
		if receivers := method.Recv.List; len(receivers) == 1 && isShop(receivers[0].Type) {
			return method
		}
	}
	return nil
}

func isShop(receiver ast.Expr) bool {
	switch receiver := receiver.(type) {
	case *ast.StarExpr:
		return isShop(receiver.X)
	case *ast.ParenExpr:
		return isShop(receiver.X)
	case *ast.IndexExpr:
		return isShop(receiver.X)
	case *ast.IndexListExpr:
		return isShop(receiver.X)
	case *ast.Ident:
		return receiver.Name == "ShopServer"
	}
	return false
}

// parameters counts the parameters of AI.
func parameters(file *ast.File) int {
	for _, declared := range file.Decls {
		if function, ok := declared.(*ast.FuncDecl); ok && function.Recv == nil && function.Name.Name == "AI" {
			return function.Type.Params.NumFields()
		}
	}
	return 0
}

// statements counts the statements of AI.
func statements(file *ast.File) int {
	for _, declared := range file.Decls {
		if function, ok := declared.(*ast.FuncDecl); ok && function.Recv == nil && function.Name.Name == "AI" {
			return len(function.Body.List)
		}
	}
	return 0
}

// fields counts the fields of ShopServer.
func fields(file *ast.File) (count int) {
	ast.Inspect(file, func(node ast.Node) bool {
		if spec, ok := node.(*ast.TypeSpec); ok && spec.Name.Name == "ShopServer" {
			if structure, ok := spec.Type.(*ast.StructType); ok {
				count = structure.Fields.NumFields()
			}
		}
		return count == 0
	})
	return count
}

// values counts the values that literals set with names.
func values(file *ast.File) (count int) {
	ast.Inspect(file, func(node ast.Node) bool {
		if _, ok := node.(*ast.KeyValueExpr); ok {
			count++
		}
		return true
	})
	return count
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

// tokensLike matches the tokens of one of the forms. ELEMENT is the element of a list.
func tokensLike(forms ...string) *regexp.Regexp {
	return regexp.MustCompile(`^(` + strings.ReplaceAll(strings.Join(forms, "|"), `ELEMENT`, `& \S+ \. NewTool \{ \}`) + `)$`)
}

// checkImports checks that the imports are the old ones, and those that the edit needs.
func (a addition) checkImports(t *testing.T, before, after string) {
	t.Helper()
	old, now := importsOf(t, before), importsOf(t, after)
	for path, count := range now {
		if own := path == strconv.Quote(a.path); count != old[path] && (count != old[path]+1 || !own) {
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
