package scaffold_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/internal/scaffold"
)

func TestServersAreFoundInTheirSource(t *testing.T) {
	t.Parallel()
	const base = "package servers\n\nimport \"github.com/bowline-mcp/bowline/framework/servers\"\n\n"
	app := &scaffold.App{Root: tree(t, map[string]string{
		"app/mcp/servers/doc.go":         "// Package servers has them.\npackage servers\n",
		"app/mcp/servers/shop_server.go": base + "type kind int\n\ntype ShopServer struct{ servers.Server }\n\nfunc (*ShopServer) Tools() {}\n\nfunc Prompts() {}\n",
		"app/mcp/servers/resources.go":   "package servers\n\nfunc (s ShopServer) Resources() {}\n",
		"app/mcp/servers/half_server.go": base + "type HalfServer struct{ servers.Server }\n\nfunc (*HalfServer) Tools() {\n",
		"app/mcp/servers/none_server.go": "package servers\n\ntype NoneServer struct{}\n",
	})}
	got := app.Servers()
	if len(got) != 2 || got[0].Type != "HalfServer" || got[1].Type != "ShopServer" || got[1].Path != "app/mcp/servers/shop_server.go" {
		t.Fatalf("servers are %+v", got)
	}
	for method, want := range map[string]bool{"Tools": true, "Resources": true, "Prompts": false} {
		if got[1].Has(method) != want {
			t.Errorf("%s: %v, want %v", method, !want, want)
		}
	}
	if !got[0].Has("Tools") {
		t.Error("the method of a file that doesn't parse is missing")
	}
	if none := (&scaffold.App{Root: t.TempDir()}).Servers(); len(none) != 0 {
		t.Errorf("an app without servers has %+v", none)
	}
}
