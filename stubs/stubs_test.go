package stubs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/crud"
	"github.com/bowline-mcp/bowline/internal/cli/project"
	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
	"github.com/bowline-mcp/bowline/stubs"
)

// A reader takes a name that hides a package for the package.
func TestNoStubDeclaresTheNameOfAPackageThatItImports(t *testing.T) {
	t.Parallel()
	files := generated(t)
	if len(files) < 40 {
		t.Errorf("only %d files are generated", len(files))
	}
	for name, content := range files {
		for _, hidden := range hides(t, name, content) {
			t.Errorf("%s", hidden)
		}
	}
}

func TestANameThatHidesAPackageIsFound(t *testing.T) {
	t.Parallel()
	const head = "package p\nimport (\n\"a.example/text\"\nown \"a.example/b\"\n\"a.example/pgx/v5\"\n)\n"
	for code, want := range map[string]string{
		"func (own T) f() {}":                          "own",
		"func f(text *text.Text) {}":                   "text",
		"type I interface{ F(text *text.Text) }":       "text",
		"func f() (text int) { return }":               "text",
		"var f = func(pgx int) {}":                     "pgx",
		"func f() { text := 1; _ = text }":             "text",
		"func f() { var own int; _ = own }":            "own",
		"func f() { for _, text := range []int{} {} }": "text",
		"func f() { const pgx = 1 }":                   "pgx",
		"func f() { type text int }":                   "text",
		"type T struct{ text int }":                    "",
		"func f(b, v5 int) { text.F = 1 }":             "",
	} {
		found := hides(t, "x.go", []byte(head+code))
		if want == "" && len(found) > 0 || want != "" && (len(found) != 1 || !strings.HasSuffix(found[0], " "+want)) {
			t.Errorf("%s: found %q, want %q", code, found, want)
		}
	}
}

// generated returns all Go files that the command generates: those of new apps, of one type of
// each kind, and of a record.
func generated(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	builtin, err := stubs.App()
	if err != nil {
		t.Fatal(err)
	}
	for _, auth := range []bool{false, true} {
		app, err := project.Project{Name: "shop", Module: "example.com/shop", Auth: auth, Deploy: true}.Files(builtin)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range app {
			if path.Ext(file.Path) == ".go" {
				files["with --auth="+strconv.FormatBool(auth)+", "+file.Path] = file.Content
			}
		}
	}
	record, err := crud.ParseRecord("BlogPost")
	if err != nil {
		t.Fatal(err)
	}
	if record.Fields, err = crud.ParseFields([]string{"title:string", "due:time,optional", "status:enum=draft,published", "tags:strings", "author:owner"}); err != nil {
		t.Fatal(err)
	}
	app := &scaffold.App{Root: t.TempDir(), Module: "example.com/shop"}
	err = fs.WalkDir(stubs.Files(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(path.Base(name), "migration") { // which is SQL
			return err
		}
		var named scaffold.Named = scaffold.Name{Type: "WeatherTool", Base: "Weather"}
		if path.Dir(name) == "crud" {
			named = record
		}
		files[name], err = app.Render(stubs.Files(), name, named)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// hides lists the names in a file that hide one of its imports, with their positions.
func hides(t *testing.T, name string, content []byte) (found []string) {
	t.Helper()
	positions := token.NewFileSet()
	file, err := parser.ParseFile(positions, name, content, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	imported := map[string]bool{}
	for _, spec := range file.Imports {
		importPath, _ := strconv.Unquote(spec.Path.Value)
		as := path.Base(regexp.MustCompile(`/v[0-9]+$`).ReplaceAllString(importPath, ""))
		if spec.Name != nil {
			as = spec.Name.Name
		}
		imported[as] = true
	}
	for _, name := range declared(file) {
		if imported[name.Name] {
			found = append(found, positions.Position(name.Pos()).String()+": it hides the package "+name.Name)
		}
	}
	return found
}

// declared returns the names that a file declares, without fields, methods and imports.
func declared(file *ast.File) (names []*ast.Ident) {
	fields := func(list *ast.FieldList) {
		if list == nil {
			return
		}
		for _, field := range list.List {
			names = append(names, field.Names...)
		}
	}
	defined := func(assignment token.Token, left ...ast.Expr) {
		for _, expression := range left {
			if name, ok := expression.(*ast.Ident); ok && assignment == token.DEFINE {
				names = append(names, name)
			}
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncDecl:
			fields(node.Recv)
			if node.Recv == nil {
				names = append(names, node.Name)
			}
		case *ast.FuncType:
			fields(node.TypeParams)
			fields(node.Params)
			fields(node.Results)
		case *ast.TypeSpec:
			names = append(names, node.Name)
			fields(node.TypeParams)
		case *ast.ValueSpec:
			names = append(names, node.Names...)
		case *ast.AssignStmt:
			defined(node.Tok, node.Lhs...)
		case *ast.RangeStmt:
			defined(node.Tok, node.Key, node.Value)
		}
		return true
	})
	return names
}
