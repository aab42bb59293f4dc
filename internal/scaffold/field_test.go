package scaffold_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/scaffold"
)

func posts() scaffold.Field {
	return scaffold.Field{Name: "Posts", Import: "example.com/demo/app/posts", Type: "Store", Value: "NewMemory()", Doc: "Posts keeps the posts."}
}

// edit applies an edit to the only file of a folder, and returns the file afterwards.
func edit(t *testing.T, path, source string, do func(*scaffold.Sources) error) (string, error) {
	t.Helper()
	app := &scaffold.App{Module: "example.com/demo", Root: tree(t, map[string]string{path: source})}
	sources, err := app.Sources(path[:strings.LastIndex(path, "/")])
	if err == nil {
		err = do(sources)
	}
	if err != nil {
		return source, err
	}
	for _, file := range sources.Files() {
		source = string(file.Content)
	}
	return source, nil
}

func addField(s *scaffold.Sources) error { return s.AddField("ShopServer", posts()) }

func setField(s *scaffold.Sources) error {
	return s.SetField("example.com/demo/app/mcp/servers", "ShopServer", posts())
}

func receiver(s *scaffold.Sources) error {
	_, err := s.Receiver("ShopServer", tools())
	return err
}

func addRoute(s *scaffold.Sources) error {
	return s.AddRoute(scaffold.Route{Server: "ShopServer", Import: "example.com/demo/app/mcp/servers", Handle: "shop", Variable: "shop"})
}

const (
	routesHead = "package routes\n\nimport (\n\t\"github.com/bowline-mcp/bowline/framework/mcp\"\n\n\t\"example.com/demo/app/mcp/servers\"\n)\n\n"
	postsHead  = "package routes\n\nimport (\n\t\"github.com/bowline-mcp/bowline/framework/mcp\"\n\n\t\"example.com/demo/app/mcp/servers\"\n\t\"example.com/demo/app/posts\"\n)\n\n"
	serverHead = "package servers\n\nimport (\n\t\"github.com/bowline-mcp/bowline/framework/servers\"\n\n\t\"example.com/demo/app/posts\"\n)\n\n"
)

func TestAStoreIsAddedToAServerAndItsRoutes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		what, path, before, after string
		do                        func(*scaffold.Sources) error
	}{
		{
			"a field of a struct on one line", "servers/a.go", single + shop,
			serverHead + "type ShopServer struct {\n\tservers.Server\n\n\t// Posts keeps the posts.\n\tPosts posts.Store\n}\n", addField,
		},
		{
			"a field below a comment", "servers/a.go", single + "type ShopServer struct {\n\tservers.Server // the base\n\t// more to come\n}\n",
			serverHead + "type ShopServer struct {\n\tservers.Server // the base\n\n\t// Posts keeps the posts.\n\tPosts posts.Store\n\t// more to come\n}\n", addField,
		},
		{
			"a field that is there", "servers/a.go", serverHead + "type ShopServer struct{ Posts posts.Store }\n",
			serverHead + "type ShopServer struct{ Posts posts.Store }\n", addField,
		},
		{
			"a receiver", "servers/a.go", single + shop + "\nfunc (*ShopServer) Tools() []servers.Tool { return nil }\n",
			single + shop + "\nfunc (s *ShopServer) Tools() []servers.Tool { return nil }\n", receiver,
		},
		{
			"a receiver called as in another method", "servers/a.go",
			single + shop + "\nfunc (shop *ShopServer) Version() string { return \"\" }\n\nfunc (_ *ShopServer) Tools() []servers.Tool { return nil }\n",
			single + shop + "\nfunc (shop *ShopServer) Version() string { return \"\" }\n\nfunc (shop *ShopServer) Tools() []servers.Tool { return nil }\n", receiver,
		},
		{
			"a value in routes", "routes/ai.go", routesHead + "func AI(mcp *mcp.Router) {\n\tmcp.Web(\"shop\", &servers.ShopServer{}) // the shop\n}\n",
			postsHead + "func AI(mcp *mcp.Router) {\n\tmcp.Web(\"shop\", &servers.ShopServer{Posts: posts.NewMemory()}) // the shop\n}\n", setField,
		},
		{
			"a value beside others", "routes/ai.go", routesHead + "func AI(mcp *mcp.Router) {\n\tshop := &servers.ShopServer{\n\t\tName: \"shop\", // us\n\t}\n\tmcp.Web(\"shop\", shop)\n}\n",
			postsHead + "func AI(mcp *mcp.Router) {\n\tshop := &servers.ShopServer{\n\t\tName:  \"shop\", // us\n\t\tPosts: posts.NewMemory(),\n\t}\n\tmcp.Web(\"shop\", shop)\n}\n", setField,
		},
		{
			"a value that is there", "routes/ai.go", routesHead + "func AI(mcp *mcp.Router) {\n\tmcp.Web(\"shop\", &servers.ShopServer{Posts: open()})\n}\n",
			routesHead + "func AI(mcp *mcp.Router) {\n\tmcp.Web(\"shop\", &servers.ShopServer{Posts: open()})\n}\n", setField,
		},
		{
			"a route in an empty function", "routes/ai.go", routesHead + "func AI(mcp *mcp.Router) {}\n\nvar _ servers.OldServer\n",
			routesHead + "func AI(mcp *mcp.Router) {\n\tshop := &servers.ShopServer{}\n\tmcp.Web(\"shop\", shop)\n\tmcp.Local(\"shop\", shop)\n}\n\nvar _ servers.OldServer\n", addRoute,
		},
		{
			"a route below comments", "routes/ai.go", routesHead + "func AI(r *mcp.Router) {\n\tr.Web(\"old\", &servers.OldServer{}) // old\n\t// the end\n}\n",
			routesHead + "func AI(r *mcp.Router) {\n\tr.Web(\"old\", &servers.OldServer{}) // old\n\n\tshop := &servers.ShopServer{}\n\tr.Web(\"shop\", shop)\n\tr.Local(\"shop\", shop)\n\t// the end\n}\n", addRoute,
		},
	} {
		for _, ending := range []string{"\n", "\r\n"} {
			got, err := edit(t, "app/mcp/"+test.path, strings.ReplaceAll(test.before, "\n", ending), test.do)
			if want := strings.ReplaceAll(test.after, "\n", ending); err != nil || got != want {
				t.Errorf("%s, with %q: error %v, got\n%s\nwant\n%s", test.what, ending, err, got, want)
			}
		}
	}
}

func TestAStoreIsNotAddedToCodeOfAnUnknownForm(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		what, source, reason string
		do                   func(*scaffold.Sources) error
	}{
		{"another field of the name", single + "type ShopServer struct{ Posts int }\n", "has another field Posts", addField},
		{"a method of the name", single + shop + "func (*ShopServer) Posts() {}\n", "has a method Posts", addField},
		{"no struct", single + "type ShopServer int\n", "does not declare a struct ShopServer", addField},
		{"another package of the name", "package servers\n\nimport \"net/posts\"\n\ntype ShopServer struct{ posts.X }\n", "has another meaning for the name posts", addField},
		{"a variable of the receiver's name", single + shop + "func (*ShopServer) Tools() []servers.Tool { return s() }\n", "has another meaning for the name s", receiver},
		{"two servers", routesHead + "func AI(mcp *mcp.Router) {\n\tmcp.Web(\"a\", &servers.ShopServer{})\n\tmcp.Web(\"b\", &servers.ShopServer{})\n}\n", "does not make one ShopServer", setField},
		{"a constructor", routesHead + "func AI(mcp *mcp.Router) { mcp.Web(\"a\", servers.NewShopServer()) }\n", "does not make one ShopServer", setField},
		{"fields without names", routesHead + "func AI(mcp *mcp.Router) { mcp.Web(\"a\", &servers.ShopServer{1}) }\n", "without the names of its fields", setField},
		{"a variable of the package's name", routesHead + "func AI(mcp *mcp.Router) {\n\tposts := &servers.ShopServer{}\n\tmcp.Web(\"a\", posts)\n}\n", "has another meaning for the name posts", setField},
		{"no function", routesHead, "has no function AI", setField},
		{"no router", "package routes\n\nfunc AI() {}\n", "has an AI() without a router", addRoute},
		{"a return at the end", routesHead + "func AI(mcp *mcp.Router) {\n\treturn\n}\n", "returns at its end", addRoute},
		{"one line", routesHead + "func AI(mcp *mcp.Router) { mcp.Web(\"a\", nil) }\n", "on one line", addRoute},
		{"the handle", routesHead + "func AI(mcp *mcp.Router) {\n\tmcp.Web(\"shop\", nil)\n}\n", `has the handle "shop" already`, addRoute},
		{"names in use", routesHead + "func AI(mcp *mcp.Router) {\n\tshop, shopServer := 1, 2\n\t_, _ = shop, shopServer\n}\n", "has another meaning for the name shopServer", addRoute},
		{"nothing", "package routes\n", "has no function AI", addRoute},
	} {
		_, err := edit(t, "app/mcp/x/a.go", test.source, test.do)
		if reason := new(scaffold.RefusedError); !errors.As(err, &reason) || !strings.Contains(reason.Reason, test.reason) {
			t.Errorf("%s: the error is %v, want a RefusedError with %q", test.what, err, test.reason)
		}
	}
}
