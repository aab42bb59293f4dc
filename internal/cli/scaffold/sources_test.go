package scaffold_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

func tools() scaffold.List {
	return scaffold.List{Method: "Tools", Type: "Tool", Doc: "returns the server's tools."}
}

func newTool() scaffold.Element {
	return scaffold.Element{Import: "example.com/demo/app/mcp/tools", Name: "NewTool", Before: "&", After: "{}"}
}

const (
	imports = "package servers\n\nimport (\n\t\"github.com/bowline-mcp/bowline/framework/servers\"\n\n\t\"example.com/demo/app/mcp/tools\"\n)\n\n"
	shop    = "type ShopServer struct{ servers.Server }\n"
	single  = "package servers\n\nimport \"github.com/bowline-mcp/bowline/framework/servers\"\n\n"
)

// registering registers tools.NewTool in the Tools of ShopServer.
var registering = edits{
	path: "app/mcp/servers/shop_server.go", alias: "apptools",
	do:     func(s *scaffold.Sources) error { return s.Register("ShopServer", tools(), newTool()) },
	edited: editedServers, refused: refusedServers,
}

// editedServers are server files before and after.
var editedServers = []struct{ what, before, after string }{
	{"a list on several lines", imports + shop + `
// Tools has all of them.
func (*ShopServer) Tools() []servers.Tool {
	return []servers.Tool{
		&tools.OldTool{}, // the first one
		// more to come
	}
}
`, imports + shop + `
// Tools has all of them.
func (*ShopServer) Tools() []servers.Tool {
	return []servers.Tool{
		&tools.OldTool{}, // the first one
		&tools.NewTool{},
		// more to come
	}
}
`},
	{
		"a list on one line", imports + shop + "\nfunc (*ShopServer) Tools() []servers.Tool { return []servers.Tool{&tools.OldTool{}} }\n",
		imports + shop + "\nfunc (*ShopServer) Tools() []servers.Tool { return []servers.Tool{&tools.OldTool{}, &tools.NewTool{}} }\n",
	},
	{"a comment before the comma and a block comment behind it", imports + shop + `
func (*ShopServer) Tools() []servers.Tool {
	return []servers.Tool{
		&tools.OldTool{
			Name: "old",
		} /* a */, /* b
		 */ // c
	}
}
`, imports + shop + `
func (*ShopServer) Tools() []servers.Tool {
	return []servers.Tool{
		&tools.OldTool{
			Name: "old",
		} /* a */, /* b
		 */ // c
		&tools.NewTool{},
	}
}
`},
	{
		"an empty list, and an import", single + shop + "\nfunc (*ShopServer) Tools() []servers.Tool { return []servers.Tool{} }\n",
		imports + shop + "\nfunc (*ShopServer) Tools() []servers.Tool { return []servers.Tool{&tools.NewTool{}} }\n",
	},
	{
		"a list with only a comment", imports + shop + "\nfunc (*ShopServer) Tools() []servers.Tool {\n\treturn []servers.Tool{\n\t\t// none yet\n\t}\n}\n",
		imports + shop + "\nfunc (*ShopServer) Tools() []servers.Tool {\n\treturn []servers.Tool{\n\t\t// none yet\n\t\t&tools.NewTool{},\n\t}\n}\n",
	},
	{
		"nil", single + shop + "\nfunc (*ShopServer) Tools() []servers.Tool {\n\treturn nil\n}\n",
		imports + shop + "\nfunc (*ShopServer) Tools() []servers.Tool {\n\treturn []servers.Tool{\n\t\t&tools.NewTool{},\n\t}\n}\n",
	},
	{
		"no method", single + shop + "\nfunc (s *ShopServer) Version() string { return \"1\" } // the first\n\nvar _ = 1\n",
		imports + shop + "\nfunc (s *ShopServer) Version() string { return \"1\" } // the first\n\n// Tools returns the server's tools.\n" +
			"func (*ShopServer) Tools() []servers.Tool {\n\treturn []servers.Tool{\n\t\t&tools.NewTool{},\n\t}\n}\n\nvar _ = 1\n",
	},
	{
		"other names for the imports",
		"package servers\n\nimport (\n\tt \"example.com/demo/app/mcp/tools\"\n\tfw \"github.com/bowline-mcp/bowline/framework/servers\"\n)\n\ntype ShopServer struct{ fw.Server }\n",
		"package servers\n\nimport (\n\tt \"example.com/demo/app/mcp/tools\"\n\tfw \"github.com/bowline-mcp/bowline/framework/servers\"\n)\n\ntype ShopServer struct{ fw.Server }\n\n" +
			"// Tools returns the server's tools.\nfunc (*ShopServer) Tools() []fw.Tool {\n\treturn []fw.Tool{\n\t\t&t.NewTool{},\n\t}\n}\n",
	},
	{
		"a file that gofmt would change",
		"package servers\nimport (\"github.com/bowline-mcp/bowline/framework/servers\")\ntype  ShopServer struct{servers.Server}\n" +
			"func (*ShopServer) Tools() []servers.Tool {\n    return []servers.Tool{\n        old(),\n    }\n}\n",
		"package servers\nimport (\"github.com/bowline-mcp/bowline/framework/servers\"\n\n\t\"example.com/demo/app/mcp/tools\"\n)\ntype  ShopServer struct{servers.Server}\n" +
			"func (*ShopServer) Tools() []servers.Tool {\n    return []servers.Tool{\n        old(),\n        &tools.NewTool{},\n    }\n}\n",
	},
	{
		"a byte order mark", "\ufeff" + imports + shop + "\nfunc (*ShopServer) Tools() []servers.Tool { return nil }\n",
		"\ufeff" + imports + shop + "\nfunc (*ShopServer) Tools() []servers.Tool { return []servers.Tool{&tools.NewTool{}} }\n",
	},
	{
		"imports without parentheses",
		"package servers\n\nimport \"fmt\"\nimport \"github.com/bowline-mcp/bowline/framework/servers\" // the base\n\n" + shop + "\nfunc (*ShopServer) Tools() []servers.Tool { return nil }\n",
		"package servers\n\nimport \"fmt\"\nimport \"github.com/bowline-mcp/bowline/framework/servers\" // the base\nimport \"example.com/demo/app/mcp/tools\"\n\n" + shop +
			"\nfunc (*ShopServer) Tools() []servers.Tool { return []servers.Tool{&tools.NewTool{}} }\n",
	},
	{
		"a blank import", strings.Replace(imports, "\t\"example.com/demo/app/mcp/tools\"", "\t_ \"example.com/demo/app/mcp/tools\"", 1) + shop + "\nfunc (*ShopServer) Tools() []servers.Tool { return nil }\n",
		strings.Replace(imports, "\t\"example.com/demo/app/mcp/tools\"", "\t\"example.com/demo/app/mcp/tools\"\n\t_ \"example.com/demo/app/mcp/tools\"", 1) + shop +
			"\nfunc (*ShopServer) Tools() []servers.Tool { return []servers.Tool{&tools.NewTool{}} }\n",
	},
	{
		"an import of C", "package servers\n\nimport \"C\"\n\nfunc (*ShopServer) Tools() []servers.Tool { return nil }\n",
		"package servers\n\nimport \"C\"\nimport \"example.com/demo/app/mcp/tools\"\n\nfunc (*ShopServer) Tools() []servers.Tool { return []servers.Tool{&tools.NewTool{}} }\n",
	},
	{
		"an import with a comment", "package servers\n\n// The base.\nimport \"github.com/bowline-mcp/bowline/framework/servers\"\n\n" + shop + "\nfunc (*ShopServer) Tools() []servers.Tool { return nil }\n",
		"package servers\n\n// The base.\nimport \"github.com/bowline-mcp/bowline/framework/servers\"\nimport \"example.com/demo/app/mcp/tools\"\n\n" + shop +
			"\nfunc (*ShopServer) Tools() []servers.Tool { return []servers.Tool{&tools.NewTool{}} }\n",
	},
	{
		"a server with a type parameter", imports + "type ShopServer[T any] struct{ servers.Server }\n\nfunc (s *ShopServer[T]) Tools() []servers.Tool {\n\treturn []servers.Tool{&tools.OldTool[T]{}}\n}\n",
		imports + "type ShopServer[T any] struct{ servers.Server }\n\nfunc (s *ShopServer[T]) Tools() []servers.Tool {\n\treturn []servers.Tool{&tools.OldTool[T]{}, &tools.NewTool{}}\n}\n",
	},
	{
		"no method of a server with type parameters", single + "type ShopServer[K comparable, V, W any] struct{ servers.Server }\n\nfunc (ShopServer[_, _, W]) Version() (w W) { return w }\n",
		imports + "type ShopServer[K comparable, V, W any] struct{ servers.Server }\n\nfunc (ShopServer[_, _, W]) Version() (w W) { return w }\n\n// Tools returns the server's tools.\n" +
			"func (*ShopServer[_, _, _]) Tools() []servers.Tool {\n\treturn []servers.Tool{\n\t\t&tools.NewTool{},\n\t}\n}\n",
	},
	{
		"a receiver in parentheses", imports + shop + "\nfunc (*(ShopServer)) Tools() []servers.Tool { return nil }\n",
		imports + shop + "\nfunc (*(ShopServer)) Tools() []servers.Tool { return []servers.Tool{&tools.NewTool{}} }\n",
	},
	{
		"the type is there already", imports + shop + "\nfunc (*ShopServer) Tools() []servers.Tool { return []servers.Tool{wrap(&tools.NewTool{})} }\n",
		imports + shop + "\nfunc (*ShopServer) Tools() []servers.Tool { return []servers.Tool{wrap(&tools.NewTool{})} }\n",
	},
}

func TestAnElementIsAddedAndNothingElseChanges(t *testing.T) {
	t.Parallel()
	registering.testEdited(t)
}

// refusedServers are server files that are not edited, with the reason.
var refusedServers = []struct{ what, source, reason string }{
	{"several statements", imports + shop + "func (*ShopServer) Tools() []servers.Tool {\n\tall := []servers.Tool{}\n\treturn all\n}\n", "has a Tools() with more than a list"},
	{"a variable", imports + shop + "func (*ShopServer) Tools() []servers.Tool { return all }\n", "does not return a list literal"},
	{"a call", imports + shop + "func (*ShopServer) Tools() []servers.Tool { return append(all, x) }\n", "does not return a list literal"},
	{"a named type", imports + shop + "func (*ShopServer) Tools() list { return list{} }\n", "does not return a list literal"},
	{"an array", imports + shop + "func (*ShopServer) Tools() [1]servers.Tool { return [1]servers.Tool{} }\n", "does not return a list literal"},
	{"two results", imports + shop + "func (*ShopServer) Tools() ([]servers.Tool, error) { return nil, nil }\n", "has a Tools() that does not return a list"},
	{"a generated file", "// Code generated by x. DO NOT EDIT.\n\n" + imports + shop, "is generated"},
	{"a dot import", "package servers\n\nimport . \"github.com/bowline-mcp/bowline/framework/servers\"\n\ntype ShopServer struct{ Server }\n", "has a dot import"},
	{"mixed line endings", imports + shop + "\r\n", "mixes line endings"},
	{
		"another package of the name", strings.ReplaceAll(imports, "example.com/demo/app/mcp/tools", "github.com/bowline-mcp/bowline/framework/tools") + shop,
		"has another meaning for the name tools",
	},
	{"another declaration of the name", single + shop + "var tools = 1\n", "has another meaning for the name tools"},
	{"a receiver of the name", imports + shop + "func (tools *ShopServer) Tools() []servers.Tool { return nil }\n", "has another meaning for the name tools"},
	{
		"a type parameter of the name", imports + "type ShopServer[T any] struct{ servers.Server }\n\nfunc (*ShopServer[tools]) Tools() []servers.Tool { return nil }\n",
		"has another meaning for the name tools",
	},
	{"another embedded type", imports + "type ShopServer struct {\n\tservers.Server\n\tbase\n}\n", "may have Tools() from another type"},
	{"no struct", imports + "type ShopServer servers.Server\n", "may have Tools() from another type"},
	{"nothing embedded", imports + "type ShopServer struct {\n\tbase servers.Server\n}\n", "may have Tools() from another type"},
	{"no type", imports, "does not declare ShopServer"},
}

func TestACodeOfAnUnknownFormIsRefused(t *testing.T) {
	t.Parallel()
	registering.testRefused(t)
}

func TestAFileThatDoesNotParseIsAnErrorWithItsLine(t *testing.T) {
	t.Parallel()
	_, err := registering.edit(t, imports+shop+"func (*ShopServer) Tools( {\n")
	if refused := new(scaffold.RefusedError); errors.As(err, &refused) || err == nil || !strings.HasPrefix(err.Error(), "app/mcp/servers/shop_server.go:10:27: ") {
		t.Errorf("the error is %v", err)
	}
}

func TestAMethodMayBeInAnotherFileThanItsServer(t *testing.T) {
	t.Parallel()
	app := &scaffold.App{Module: "example.com/demo", Root: tree(t, map[string]string{
		"app/mcp/servers/shop_server.go":      single + shop,
		"app/mcp/servers/shop_server_test.go": "package servers\n\nfunc (",
		"app/mcp/servers/tools.go":            imports + "func (s ShopServer) Tools() []servers.Tool { return nil }\n\nvar _ tools.OldTool\n",
	})}
	sources, err := app.Sources("app/mcp/servers")
	if err == nil {
		err = sources.Register("ShopServer", tools(), newTool())
	}
	if err != nil {
		t.Fatal(err)
	}
	if files := sources.Files(); len(files) != 1 || files[0].Path != "app/mcp/servers/tools.go" || !strings.Contains(string(files[0].Content), "[]servers.Tool{&tools.NewTool{}}") {
		t.Errorf("the files are %+v", files)
	}
}
