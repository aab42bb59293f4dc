package directives_test

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/bowline-mcp/bowline/internal/cli/directives"
)

// head begins app/notes/notes.go: what follows is on line 12.
const head = `package notes

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/tools"
)

`

// mistaken are declarations with a mistake, and what is reported about it below the file's name.
var mistaken = []struct{ what, source, want string }{
	{"a kind with a typing mistake", "//mcp:tol\nfunc F() {}", "12:1: there is no directive //mcp:tol; did you mean //mcp:tool?"},
	{"an unknown kind", "//mcp:widget\nfunc F() {}", "12:1: there is no directive //mcp:widget; write one of //mcp:tool, //mcp:resource, //mcp:template, //mcp:prompt"},
	{"capitals", "//MCP:tool\nfunc F() {}", "12:1: there is no directive //MCP:tool; did you mean //mcp:tool?"},
	{"a blank", "// F does.\n//\n// mcp:tool readonly\nfunc F() {}", "14:1: a directive has no blank after //; remove the blank: //mcp:tool"},
	{"an option with a typing mistake", "//mcp:tool titel=x\nfunc F() {}", "12:1: //mcp:tool has no option \"titel\"; did you mean title?"},
	{"an unknown option", "//mcp:tool colour=x\nfunc F() {}", "12:1: //mcp:tool has no option \"colour\"; its options are name, title, description, readonly, destructive, idempotent, openworld, icon, meta.NAME, schema.NAME, server"},
	{"an option of other kinds", "//mcp:tool mimeType=text/plain\nfunc F() {}", "12:1: //mcp:tool has no option mimeType, which is for //mcp:resource and //mcp:template; drop it"},
	{"an option twice", "//mcp:tool name=a name=b\nfunc F() {}", "12:1: the option name is there twice; keep one of them"},
	{"an option without its value", "//mcp:tool title\nfunc F() {}", "12:1: the option title has no valid value; write title=\"…\""},
	{"an open quote", "//mcp:tool title=\"x\nfunc F() {}", "12:1: the value of title doesn't end; close its quotes; write a quote inside double quotes as \\\""},
	{"no blank between options", "//mcp:tool title=\"x\"readonly\nfunc F() {}", "12:1: \"readonly\" follows the value of title; put a blank between two options"},
	{"a flag with another value", "//mcp:tool readonly=yes\nfunc F() {}", "12:1: the option readonly has no valid value; write readonly or readonly=false"},
	{"contradicting flags", "//mcp:tool readonly destructive\nfunc F() {}", "12:1: a tool that is readonly can't be destructive; drop one of them"},
	{"a name that can't be one", "//mcp:tool name=\"a b\"\nfunc F() {}", "12:1: \"a b\" can't be a name; use 1 to 128 letters from A to Z, digits, underscores, dots and dashes"},
	{"no name", "//mcp:tool\nfunc Ü() {}", "12:1: no name can be made of Ü; add name=…"},
	{"no size", "//mcp:resource a://b size=big\nfunc F() string { return \"\" }", "12:1: the option size has no valid value; write the number of bytes, as in size=1024"},
	{"a wrong priority", "//mcp:resource a://b priority=2\nfunc F() string { return \"\" }", "12:1: the option priority has no valid value; write a number from 0 to 1, as in priority=0.8"},
	{"a wrong audience", "//mcp:resource a://b audience=all\nfunc F() string { return \"\" }", "12:1: the option audience has no valid value; write audience=user, audience=assistant or audience=user|assistant"},
	{"a wrong time", "//mcp:resource a://b lastModified=today\nfunc F() string { return \"\" }", "12:1: the option lastModified has no valid value; write a time of RFC 3339, as in lastModified=2026-01-31T12:00:00Z"},
	{"a wrong icon", "//mcp:tool icon=/a.png\nfunc F() {}", "12:1: the option icon has no valid value; begin it with an https: or data: URL, as in icon=\"https://example.com/icon.png image/png 48x48 dark\""},
	{"a wrong word about an icon", "//mcp:tool icon=\"https://a/b.png big\"\nfunc F() {}", "12:1: the option icon has no valid value; \"big\" is neither a MIME type nor sizes such as 48x48,any nor light or dark, or is the second one"},

	{"no URI", "//mcp:resource\nfunc F() string { return \"\" }", "12:1: //mcp:resource has no URI; write one, as in //mcp:resource docs://handbook"},
	{"an option where the URI is", "//mcp:template name=x\nfunc F() string { return \"\" }", "12:1: //mcp:template has no URI; write one, as in //mcp:template users://{id}"},
	{"a URI without a scheme", "//mcp:resource handbook\nfunc F() string { return \"\" }", "12:1: the URI \"handbook\" has no scheme; write one, as in //mcp:resource docs://handbook"},
	{"variables in a resource", "//mcp:resource a://{id}\nfunc F() string { return \"\" }", "12:1: the URI a://{id} has variables; write //mcp:template"},
	{"parameters of a resource", "//mcp:resource a://b\nfunc F(id string) string { return \"\" }", "12:1: F has parameters, but the URI a://b has no variables; write //mcp:template and a URI with variables, such as users://{id}"},
	{"a URI that is none", "//mcp:resource a://b|c\nfunc F() string { return \"\" }", "12:1: \"a://b|c\" is no URI; percent-encode what may not be in a URI"},
	{"no variable", "//mcp:template a://b\nfunc F() string { return \"\" }", "12:1: the URI template a://b: it has no variable; write //mcp:resource for a URI without variables"},
	{"an open brace", "//mcp:template a://{id\nfunc F(id string) string { return \"\" }", "12:1: the URI template a://{id: a brace is not closed; write variables in braces, as in users://{id}"},
	{"a closing brace", "//mcp:template a://id}\nfunc F(id string) string { return \"\" }", "12:1: the URI template a://id}: a brace is not opened; write variables in braces, as in users://{id}"},
	{"a modifier", "//mcp:template a://{id*}\nfunc F(id string) string { return \"\" }", "12:1: the URI template a://{id*}: \"id*\" can't be the name of a variable; use letters, digits and underscores, without modifiers"},
	{"a variable twice", "//mcp:template a://{id}/{id}\nfunc F(id string) string { return \"\" }", "12:1: the URI template a://{id}/{id}: the variable id is there twice; rename one"},
	{"a variable without a parameter", "//mcp:template a://{id}/{page}\nfunc F(id string) string { return \"\" }", "12:1: F has no parameter for the variable page of the URI template; add a parameter page"},
	{"a parameter without a variable", "//mcp:template a://{userId}\nfunc F(userID string) string { return \"\" }",
		"12:1: the URI template a://{userId} has no variable userID, as a parameter of F is called; did you mean userId?\n12:1: F has no parameter for the variable userId of the URI template; add a parameter userId"},
	{"a field without a variable", "type In struct { ID string `uri:\"ident\"` }\n\n//mcp:template a://{id}\nfunc F(in In) string { return \"\" }",
		"14:1: the URI template a://{id} has no variable ident, which the tag of the field ID names; there are id\n14:1: F has no parameter for the variable id of the URI template; add a field with the tag `uri:\"id\"`"},
	{"a list in a template", "//mcp:template a://{ids}\nfunc F(ids []string) string { return \"\" }", "12:1: the parameter ids of F can't be set from a text; use a string, a number, a bool or a type with UnmarshalText"},

	{"a constant", "//mcp:tool\nconst C = 1", "12:1: //mcp:tool is above a const; put it directly above a function, a method or a type"},
	{"a variable", "//mcp:tool\nvar V = 1", "12:1: //mcp:tool is above a var; put it directly above a function, a method or a type"},
	{"a group of types", "//mcp:tool\ntype (\n\tA struct{}\n\tB struct{}\n)", "12:1: //mcp:tool is above a group of types; put it directly above a function, a method or a type"},
	{"nothing", "//mcp:tool\n\nfunc F() {}", "12:1: //mcp:tool is above nothing; put it directly above a function, a method or a type"},
	{"inside a function", "func F() {\n\t//mcp:tool\n}", "13:2: //mcp:tool is above nothing; put it directly above a function, a method or a type"},
	{"a field", "type A struct {\n\t//mcp:tool\n\tF func()\n}", "13:2: //mcp:tool is above nothing; put it directly above a function, a method or a type"},
	{"two directives", "//mcp:tool\n//mcp:prompt\nfunc F() string { return \"\" }", "13:1: two directives are above one declaration; keep one of them, or call one function from another"},
	{"a function that isn't exported", "//mcp:tool\nfunc search() {}", "12:1: search is not exported, so generated code can't call it; call it Search"},
	{"a method of a type that isn't exported", "type notes struct{}\n\n//mcp:tool\nfunc (notes) Search() {}", "14:1: Search is a method of notes, which is not exported, so generated code can't call it; call the type Notes"},
	{"a type that isn't exported", "//mcp:tool\ntype echoTool struct{ tools.Tool }", "12:1: the type echoTool is not exported, so generated code can't use it; call it EchoTool"},
	{"a generic function", "//mcp:tool\nfunc F[T any](t T) {}", "12:1: F has type parameters; write a function for one type that calls it"},
	{"a method of a generic type", "type Box[T any] struct{}\n\n//mcp:tool\nfunc (Box[T]) F() {}", "14:1: F is a method of Box, which has type parameters; write a function for one type that calls it"},
	{"a generic type", "//mcp:tool\ntype Box[T any] struct{ tools.Tool }", "12:1: the type Box has type parameters; declare a type for one of its instances"},
	{"an interface", "//mcp:tool\ntype A interface{ Handle() }", "12:1: the type A is an interface; put the directive above a type with a method Handle or Call"},
	{"a type without a method", "//mcp:tool\ntype A struct{}", "12:1: the type A has no method Handle or Call; give it one, or embed tools.Tool"},
	{"a type with both methods", "//mcp:tool\ntype A struct{}\n\nfunc (A) Handle() {}\nfunc (A) Call() {}", "12:1: the type A has the methods Handle and Call; drop one of them"},
	{"a base of another kind", "//mcp:tool\ntype A struct{ prompts.Prompt }", "12:1: the type A embeds prompts.Prompt; write //mcp:prompt"},
	{"an option of a type that says it itself", "//mcp:tool title=x\ntype A struct{ tools.Tool }", "12:1: the type A embeds tools.Tool, so that its methods say what it is; write a method of the type instead of title"},
	{"a URI of a type that says it itself", "//mcp:resource a://b\ntype A struct{ resources.Resource }", "12:1: the type A embeds resources.Resource, so that its method URI says which it has; remove the URI behind //mcp:resource"},

	{"a context elsewhere", "//mcp:tool\nfunc F(a int, ctx context.Context) {}", "12:1: F has a context that isn't its first parameter; write the parameters in the order context.Context, request, arguments"},
	{"a request by value", "//mcp:tool\nfunc F(ctx context.Context, request tools.Request) {}", "12:1: F has a request that is not *tools.Request behind the context; write the parameters in the order context.Context, request, arguments"},
	{"a request of another kind", "//mcp:tool\nfunc F(ctx context.Context, request *prompts.Request) {}", "12:1: F has a request that doesn't fit //mcp:tool; use *tools.Request"},
	{"two results", "//mcp:tool\nfunc F() (int, string) { return 0, \"\" }", "12:1: F returns 2 values; return one value and perhaps an error, such as (Result, error)"},
	{"a function as a result", "//mcp:tool\nfunc F() func() { return nil }", "12:1: the result of F: functions and channels can't be sent; return a value; a tool that sends several messages returns a tools.Stream"},
	{"no result of a resource", "//mcp:resource a://b\nfunc F() error { return nil }", "12:1: F returns nothing but an error; return what the client gets"},
	{"a parameter without a name", "//mcp:tool\nfunc F(_, b int) {}", "12:1: a parameter of F has no name; name it; the argument gets the name"},
	{"a function as a parameter", "//mcp:tool\nfunc F(f func(), n int) {}", "12:1: F: functions, channels and interfaces with methods can't be sent as JSON; use another type"},
	{"a type of arguments that isn't exported", "type in struct{}\n\n//mcp:tool\nfunc F(in in) {}", "14:1: F: the type in of package notes is not exported, so generated code can't use it; begin its name with a capital"},
	{"a schema of no parameter", "//mcp:tool schema.limt=min=1\nfunc F(limit int) {}", "12:1: F has no parameter limt; did you mean limit?"},
	{"a schema of a field", "type In struct{ Limit int }\n\n//mcp:tool schema.Limit=min=1\nfunc F(in In) {}", "14:1: the arguments of F are a struct, so schema.Limit has no parameter; write a schema tag in the struct instead"},

	{"a prompt's field without a tag", "type In struct{ Language string }\n\n//mcp:prompt\nfunc F(in In) string { return \"\" }", "14:1: the field Language has no json tag, so it isn't an argument of the prompt; add the tag `json:\"language\"`"},
	{"a prompt's field of another type", "type In struct{ Lines []int `json:\"lines\"` }\n\n//mcp:prompt\nfunc F(in In) string { return \"\" }", "14:1: the field Lines of F can't be set from a text; use a string, a number, a bool or a type with UnmarshalText"},
	{"a key that prompts don't have", "//mcp:prompt schema.text=minLength=2\nfunc F(text string) string { return \"\" }", "12:1: the schema tag of text has the key \"minLength\", which an argument of a prompt doesn't have; its keys are title, description, default, enum and required"},
	{"arguments of another module", "//mcp:prompt\nfunc F(in completion.Result) string { return \"\" }", "12:1: the arguments of F are a type of another module, whose fields mcp can't read; declare a struct in the app, or use parameters"},
	{"completion of a tool", "//mcp:tool complete.a=b|c\nfunc F(a string) {}", "12:1: //mcp:tool has no option complete.a, which is for //mcp:template and //mcp:prompt; drop it"},
	{"completion of no argument", "//mcp:prompt complete.lang=go|php\nfunc F(language string) string { return \"\" }", "12:1: F has no argument lang to complete; there are language"},
	{"completion by nothing", "//mcp:prompt complete.a=Style\nfunc F(a string) string { return \"\" }", "12:1: complete.a=Style names nothing that can be suggested; write values as a|b, a function as Name(), or a type of package notes with constants that are exported"},
	{"completion by no function", "//mcp:prompt complete.a=Suggest()\nfunc F(a string) string { return \"\" }", "12:1: there is no function Suggest to complete a; write the name of a function or method of package notes"},
	{"completion by another function", "//mcp:prompt complete.a=Suggest()\nfunc F(a string) string { return \"\" }\n\nfunc Suggest() []string { return nil }", "12:1: the function Suggest can't complete a; declare it as func(context.Context, *completion.Request) ([]string, error)"},
	{"completion beside an enum", "//mcp:prompt schema.a=enum=x complete.a=b|c\nfunc F(a string) string { return \"\" }", "12:1: the argument a has an enum, whose values are suggested; drop complete.a"},

	{"a name twice", "//mcp:tool\nfunc Search() {}\n\n//mcp:tool name=search\nfunc Other() {}", "15:1: the tool of Search at app/notes/notes.go:12 has the same name; give one of them another name=…"},
	{"a URI twice", "//mcp:resource a://b\nfunc F() string { return \"\" }\n\n//mcp:resource A://b\nfunc G() string { return \"\" }", "15:1: the resource of F at app/notes/notes.go:12 has the same URI; change the URI of one of them"},
	{"a template twice", "//mcp:template a://{b}\nfunc F(b string) string { return \"\" }\n\n//mcp:template a://{c}\nfunc G(c string) string { return \"\" }", "15:1: the template of F at app/notes/notes.go:12 has the same URI; change the URI of one of them"},
	{"an unknown server", "//mcp:tool server=Shpo\nfunc F() {}", "12:1: the app has no server Shpo; did you mean Shop?"},
	{"a syntax error", "//mcp:tool\nfunc F( {}\n", "13:9: syntax error: expected ')', found '{'; correct the file"},
}

// said is the first line of mistakes.
const said = "the directives have mistakes, so that nothing is generated:\n"

const shopServer = "package servers\n\nimport \"github.com/bowline-mcp/bowline/framework/servers\"\n\n// ShopServer is a server.\ntype ShopServer struct{ servers.Server }\n"

func TestAMistakeNamesItsFileItsLineAndTheFix(t *testing.T) {
	t.Parallel()
	for _, test := range mistaken {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			app := appOf(t, archiveOf(map[string]string{
				"app/notes/notes.go": head + test.source + "\n", "app/mcp/servers/shop_server.go": shopServer,
				"app/right/right.go": "package right\n\n//mcp:tool\nfunc Right() {}\n",
			}))
			_, err := directives.Generate(app)
			if mistakesOf(err) == nil {
				t.Fatalf("the error is %v", err)
			}
			want := said + "app/notes/notes.go:" + strings.ReplaceAll(test.want, "\n", "\napp/notes/notes.go:")
			if err.Error() != want {
				t.Errorf("the error is\n%v\nwant\n%s", err, want)
			}
		})
	}
}

// archiveOf returns an app with some files.
func archiveOf(files map[string]string) *txtar.Archive {
	archive := &txtar.Archive{Files: []txtar.File{
		{Name: "go.mod", Data: []byte("module example.com/demo\n")}, {Name: "main.go", Data: []byte("package main\n\nfunc main() {}\n")},
	}}
	for name, text := range files {
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(text)})
	}
	return archive
}

// mistakenFiles are files that can't have directives.
func TestADirectiveInAFileThatCannotHaveOneIsAMistake(t *testing.T) {
	t.Parallel()
	const source = "package x\n\n//mcp:tool\nfunc F() {}\n"
	for _, test := range []struct{ path, source, want string }{
		{"app/x/x_test.go", source, "3:1: the directive is in a test, which isn't part of the app; move what it is above to another file"},
		{"app/x/x_windows.go", source, "3:1: the directive is in a file that isn't compiled on all systems, unlike the generated one; move what it is above to a file without constraints"},
		{"app/x/x.go", "//go:build never\n\n" + source, "5:1: the directive is in a file that isn't compiled on all systems, unlike the generated one; move what it is above to a file without constraints"},
		{"cmd/x/x.go", "package main\n\n//mcp:tool\nfunc F() {}\n", "3:1: no package can import the package main in cmd/x; move the code to a package with another name, such as app/notes"},
		{"app/x/internal/y/y.go", source, "3:1: app/mcp/generated can't import the internal package app/x/internal/y; move the code to a package outside of internal"},
		{"app/mcp/servers/x.go", "package servers\n\n//mcp:tool\nfunc F() {}\n", "3:1: app/mcp/servers and the generated package would import each other, since app/mcp/servers uses the generated one; move the code to a package that doesn't import it"},
		{"app/x/x.go", "package x\n\nimport _ \"example.com/demo/app/mcp/servers\"\n\n//mcp:tool\nfunc F() {}\n", "5:1: app/x and the generated package would import each other, since app/mcp/servers uses the generated one; move the code to a package that doesn't import it"},
	} {
		_, err := directives.Generate(appOf(t, archiveOf(map[string]string{test.path: test.source, "app/mcp/servers/shop_server.go": shopServer})))
		if err == nil || err.Error() != said+test.path+":"+test.want {
			t.Errorf("%s: the error is\n%v\nwant\n%s:%s", test.path, err, test.path, test.want)
		}
	}
}

func TestForeignFoldersHaveNoDirectives(t *testing.T) {
	t.Parallel()
	files := map[string]string{"app/x/x.go": "package x\n\n// mcp: this is prose, and so is //mcp:tool.\nconst text = \"//mcp:tol\"\n", "nested/go.mod": "module nested\n"}
	for _, folder := range []string{"vendor/x", "testdata", "app/x/testdata", ".hidden", "_old", "nested"} {
		files[folder+"/broken.go"] = "package broken\n\n//mcp:tol\nfunc (\n"
	}
	generated, err := directives.Generate(appOf(t, archiveOf(files)))
	if err != nil || !generated.IsEmpty || generated.IsChanged() {
		t.Errorf("generated is %+v, %v", generated, err)
	}
}

func TestAllMistakesAreReportedInTheOrderOfTheFiles(t *testing.T) {
	t.Parallel()
	_, err := directives.Generate(appOf(t, archiveOf(map[string]string{
		"app/b/b.go":  "package b\n\n//mcp:tol\nfunc F() {}\n\n//mcp:tool\nfunc f() {}\n",
		"app/a/a.go":  "package a\n\n//mcp:tool titel=x\nfunc F() {}\n",
		"app/a/b.go":  "package a\n\nfunc (\n//mcp:tool\n",
		"app/c/c.go":  "package c\n\n//mcp:tool\nfunc Right() {}\n",
		"app/c/c2.go": "package c\n\nfunc broken(\n",
	})))
	var at []string
	for _, mistake := range mistakesOf(err) {
		at = append(at, mistake.Path)
	}
	if got := strings.Join(at, " "); got != "app/a/a.go app/a/b.go app/b/b.go app/b/b.go app/c/c2.go" {
		t.Errorf("mistakes are in %s:\n%v", got, err)
	}
}
