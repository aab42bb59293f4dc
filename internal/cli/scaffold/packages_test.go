package scaffold_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

// The package of an import may have another name than the last part of its path.
func TestAnImportHasTheNameOfItsPackage(t *testing.T) {
	t.Parallel()
	const list = "type ShopServer struct{ servers.Server }\n\nfunc (*ShopServer) Tools() []servers.Tool {\n\treturn []servers.Tool{}\n}\n"
	for _, test := range []struct{ what, imported, use, want string }{
		{"a package of the app", "example.com/demo/lib", "var _ tools.Old", "has another meaning for the name tools"},
		{"a package of the app whose path has the name", "example.com/demo/other/tools", "var _ hammers.Old", ""},
		{"a package of another module", "example.com/go-tools", "var _ tools.Old", "has another meaning for the name tools"},
		{"a package of another module whose path has the name", "example.com/tools/v2", "var _ tools.Old", "has another meaning for the name tools"},
	} {
		app := &scaffold.App{Module: "example.com/demo", Root: tree(t, map[string]string{
			"lib/lib.go":           "package tools\n",
			"lib/lib_test.go":      "package tools_test\n",
			"lib/generate.go":      "//go:build ignore\n\npackage main\n",
			"other/tools/tools.go": "package hammers\n",
			"app/mcp/servers/shop_server.go": "package servers\n\nimport (\n\t\"github.com/bowline-mcp/bowline/framework/servers\"\n\n\t\"" + test.imported + "\"\n)\n\n" +
				list + "\n" + test.use + "\n",
		})}
		sources, err := app.Sources("app/mcp/servers")
		if err != nil {
			t.Fatal(err)
		}
		err = sources.Register("ShopServer", tools(), newTool())
		if refused := new(scaffold.RefusedError); test.want == "" && err != nil || test.want != "" && (!errors.As(err, &refused) || refused.Reason != test.want) {
			t.Errorf("%s: the error is %v, want %q", test.what, err, test.want)
		}
	}
}

// The version of a module is no name of a package, but a package may be called like one.
func TestAPackageMayBeCalledLikeAVersion(t *testing.T) {
	t.Parallel()
	for imported, want := range map[string]string{"v2": "&v2.NewTool{}", "example.com/tools/v2": "&tools.NewTool{}", "example.com/tools/v2x": "&v2x.NewTool{}"} {
		app := &scaffold.App{Module: "example.com/demo", Root: tree(t, map[string]string{
			"app/mcp/servers/shop_server.go": single + shop + "\nfunc (*ShopServer) Tools() []servers.Tool { return nil }\n",
		})}
		sources, err := app.Sources("app/mcp/servers")
		if err == nil {
			err = sources.Register("ShopServer", tools(), scaffold.Element{Import: imported, Name: "NewTool", Before: "&", After: "{}"})
		}
		if err != nil {
			t.Fatal(err)
		}
		if files := sources.Files(); len(files) != 1 || !strings.Contains(string(files[0].Content), want) {
			t.Errorf("%s: the files are %+v, want %s", imported, files, want)
		}
	}
}

func TestFilesForOtherSystemsAreIgnored(t *testing.T) {
	t.Parallel()
	app := &scaffold.App{Module: "example.com/demo", Root: tree(t, map[string]string{
		"app/mcp/servers/a_ignored.go":   "//go:build ignore\n\npackage main\n\nimport \"github.com/bowline-mcp/bowline/framework/servers\"\n\n" + shop + "\nfunc (",
		"app/mcp/servers/a_windows.go":   "//go:build linux\n\n" + single + shop + "func (*ShopServer) Prompts() []servers.Prompt { return nil }\n",
		"app/mcp/servers/shop_server.go": "//go:build !ignore\n\n//mcp:tool\n" + single + shop,
	})}
	if servers := app.Servers(); len(servers) != 1 || servers[0].Path != "app/mcp/servers/shop_server.go" || servers[0].Has("Prompts") {
		t.Errorf("the servers are %+v", servers)
	}
	sources, err := app.Sources("app/mcp/servers")
	if err == nil {
		err = sources.Register("ShopServer", tools(), newTool())
	}
	if err != nil {
		t.Fatal(err)
	}
	if files := sources.Files(); len(files) != 1 || !strings.HasPrefix(string(files[0].Content), "//go:build !ignore\n\n//mcp:tool\npackage servers\n") {
		t.Errorf("the files are %+v", files)
	}
}

func TestAnAppMayBeInAFolderWithABracket(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "a[b")
	if err := os.CopyFS(root, os.DirFS(tree(t, map[string]string{
		"app/mcp/servers/shop_server.go": "// Package servers is documented.\n" + single + shop + "func (*ShopServer) Tools() []servers.Tool { return nil }\n",
	}))); err != nil {
		t.Fatal(err)
	}
	app := &scaffold.App{Module: "example.com/demo", Root: root}
	if servers := app.Servers(); len(servers) != 1 || !servers[0].Has("Tools") {
		t.Errorf("the servers are %+v, want one with Tools", servers)
	}
	file := scaffold.File{Path: "app/mcp/servers/new_server.go", Content: []byte("package servers\n")}
	if app.Document(&file, "Package servers is documented twice."); string(file.Content) != "package servers\n" {
		t.Errorf("the new file is %q", file.Content)
	}
}
