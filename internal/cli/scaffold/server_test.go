package scaffold_test

import (
	"slices"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

func TestServersAreFoundInTheirSource(t *testing.T) {
	t.Parallel()
	const base = "package servers\n\nimport \"github.com/bowline-mcp/bowline/framework/servers\"\n\n"
	app := &scaffold.App{Root: tree(t, map[string]string{
		"app/mcp/servers/doc.go":          "// Package servers has them.\npackage servers\n",
		"app/mcp/servers/shop_server.go":  base + "type kind int\n\nfunc (kind) Prompts() {}\n\ntype ShopServer struct{ servers.Server }\n\nfunc (*ShopServer) Tools() {}\n\nfunc Prompts() {}\n",
		"app/mcp/servers/resources.go":    "package servers\n\nfunc (s ShopServer) Resources() {}\n",
		"app/mcp/servers/half_server.go":  base + "type HalfServer struct{ servers.Server }\n\nfunc (*HalfServer) Tools() {\n",
		"app/mcp/servers/typed_server.go": base + "type TypedServer[K comparable, V any] struct{ servers.Server }\n\nfunc (*TypedServer[K, V]) Tools() {}\n",
		"app/mcp/servers/base.go":         base + "type base[T any] struct{ servers.Server }\n\ntype OwnServer struct{ *base[int] }\n",
		"app/mcp/servers/none_server.go":  "package servers\n\ntype NoneServer struct{}\n",
	})}
	got := app.Servers()
	var receivers []string
	for _, server := range got {
		receivers = append(receivers, server.Receiver)
	}
	if want := []string{"OwnServer", "HalfServer", "ShopServer", "TypedServer[_, _]"}; !slices.Equal(receivers, want) {
		t.Fatalf("the receivers of the servers are %q, want %q", receivers, want)
	}
	shop := got[2]
	for method, want := range map[string]bool{"Tools": true, "Resources": true, "Prompts": false} {
		if shop.Has(method) != want {
			t.Errorf("%s: %v, want %v", method, !want, want)
		}
	}
	if shop.Type != "ShopServer" || shop.Path != "app/mcp/servers/shop_server.go" {
		t.Errorf("the server is %+v", shop)
	}
	if !got[1].Has("Tools") || !got[3].Has("Tools") || got[3].Type != "TypedServer" {
		t.Errorf("a method of a file that doesn't parse, or of a type with type parameters, is missing: %+v", got)
	}
	if none := (&scaffold.App{Root: t.TempDir()}).Servers(); len(none) != 0 {
		t.Errorf("an app without servers has %+v", none)
	}
}
