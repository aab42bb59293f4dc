package scaffold_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/internal/scaffold"
)

func TestServersAreFoundInTheirSource(t *testing.T) {
	t.Parallel()
	app := &scaffold.App{Root: tree(t, map[string]string{
		"app/servers/doc.go":         "// Package servers has them.\npackage servers\n",
		"app/servers/shop_server.go": "package servers\ntype kind int\ntype ShopServer struct{}\nfunc (*ShopServer) Tools() {}\nfunc Prompts() {}\n",
		"app/servers/resources.go":   "package servers\nfunc (s ShopServer) Resources() {}\n",
		"app/servers/half_server.go": "package servers\ntype HalfServer struct{}\nfunc (*HalfServer) Tools() {\n",
		"app/servers/none_server.go": "package servers\n",
	})}
	got := app.Servers("app/servers")
	if len(got) != 3 || got[0].Type != "HalfServer" || got[1].Type != "" || got[2].Type != "ShopServer" || got[2].Path != "app/servers/shop_server.go" {
		t.Fatalf("servers are %+v", got)
	}
	for method, want := range map[string]bool{"Tools": true, "Resources": true, "Prompts": false} {
		if got[2].Has(method) != want {
			t.Errorf("%s: %v, want %v", method, !want, want)
		}
	}
	if !got[0].Has("Tools") || got[1].Has("Tools") {
		t.Errorf("Tools of what is half written: %v, of nothing: %v", got[0].Has("Tools"), got[1].Has("Tools"))
	}
	if none := app.Servers("elsewhere"); len(none) != 0 {
		t.Errorf("a folder that is not there has %+v", none)
	}
}
