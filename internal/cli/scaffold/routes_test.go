package scaffold_test

import (
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

const routesHead = "package routes\n\nimport (\n\t\"github.com/bowline-mcp/bowline/framework/mcp\"\n\n\t\"example.com/demo/app/mcp/servers\"\n)\n\n"

// addingRoutes adds the routes of ShopServer.
var addingRoutes = edits{
	path: "routes/ai.go", alias: "appservers",
	do: func(s *scaffold.Sources) error {
		return s.AddRoute(scaffold.Route{Server: "ShopServer", Import: "example.com/demo/app/mcp/servers", Handle: "shop", Variable: "shop"})
	},
	edited: []struct{ what, before, after string }{
		{
			"an empty function", routesHead + "func AI(mcp *mcp.Router) {}\n\nvar _ servers.OldServer\n",
			routesHead + "func AI(mcp *mcp.Router) {\n\tshop := &servers.ShopServer{}\n\tmcp.Web(\"shop\", shop)\n\tmcp.Local(\"shop\", shop)\n}\n\nvar _ servers.OldServer\n",
		},
		{
			"an empty function on two lines", routesHead + "func AI(r *mcp.Router) {\n}\n\nvar _ servers.OldServer\n",
			routesHead + "func AI(r *mcp.Router) {\n\tshop := &servers.ShopServer{}\n\tr.Web(\"shop\", shop)\n\tr.Local(\"shop\", shop)\n}\n\nvar _ servers.OldServer\n",
		},
		{
			"comments", routesHead + "// AI has a comment.\nfunc AI(r *mcp.Router) { // begin\n\tr.Web(\"old\", &servers.OldServer{}) // old\n\t// the end\n} // end\n",
			routesHead + "// AI has a comment.\nfunc AI(r *mcp.Router) { // begin\n\tr.Web(\"old\", &servers.OldServer{}) // old\n\n" +
				"\tshop := &servers.ShopServer{}\n\tr.Web(\"shop\", shop)\n\tr.Local(\"shop\", shop)\n\t// the end\n} // end\n",
		},
		{
			"only a comment", routesHead + "func AI(r *mcp.Router) { // the routes\n\t// none yet\n}\n\nvar _ servers.OldServer\n",
			routesHead + "func AI(r *mcp.Router) { // the routes\n\t// none yet\n\tshop := &servers.ShopServer{}\n\tr.Web(\"shop\", shop)\n\tr.Local(\"shop\", shop)\n}\n\nvar _ servers.OldServer\n",
		},
		{
			"an import that is missing", "package routes\n\nimport \"github.com/bowline-mcp/bowline/framework/mcp\"\n\nfunc AI(r *mcp.Router) {}\n",
			routesHead + "func AI(r *mcp.Router) {\n\tshop := &servers.ShopServer{}\n\tr.Web(\"shop\", shop)\n\tr.Local(\"shop\", shop)\n}\n",
		},
		{
			"other names for the imports",
			"package routes\n\nimport (\n\ts \"example.com/demo/app/mcp/servers\"\n\tfw \"github.com/bowline-mcp/bowline/framework/mcp\"\n)\n\nfunc AI(r *fw.Router) {\n\tr.Web(\"old\", &s.OldServer{})\n}\n",
			"package routes\n\nimport (\n\ts \"example.com/demo/app/mcp/servers\"\n\tfw \"github.com/bowline-mcp/bowline/framework/mcp\"\n)\n\nfunc AI(r *fw.Router) {\n\tr.Web(\"old\", &s.OldServer{})\n\n" +
				"\tshop := &s.ShopServer{}\n\tr.Web(\"shop\", shop)\n\tr.Local(\"shop\", shop)\n}\n",
		},
		{
			"a variable of the server's name", routesHead + "func AI(r *mcp.Router) {\n\tshop := &servers.OldServer{}\n\tr.Web(\"old\", shop)\n}\n",
			routesHead + "func AI(r *mcp.Router) {\n\tshop := &servers.OldServer{}\n\tr.Web(\"old\", shop)\n\n" +
				"\tshopServer := &servers.ShopServer{}\n\tr.Web(\"shop\", shopServer)\n\tr.Local(\"shop\", shopServer)\n}\n",
		},
		{
			"a file that gofmt would change", "package routes\nimport (\"github.com/bowline-mcp/bowline/framework/mcp\")\nfunc  AI( r *mcp.Router ) {\n    r.Web( \"old\",nil ) ;\n}\n",
			"package routes\nimport (\"github.com/bowline-mcp/bowline/framework/mcp\"\n\n\t\"example.com/demo/app/mcp/servers\"\n)\nfunc  AI( r *mcp.Router ) {\n    r.Web( \"old\",nil )\n\n" +
				"    shop := &servers.ShopServer{}\n    r.Web(\"shop\", shop)\n    r.Local(\"shop\", shop) ;\n}\n",
		},
		{
			"a byte order mark", "\ufeff" + routesHead + "func AI(mcp *mcp.Router) {\n\tmcp.Web(\"old\", &servers.OldServer{})\n}\n",
			"\ufeff" + routesHead + "func AI(mcp *mcp.Router) {\n\tmcp.Web(\"old\", &servers.OldServer{})\n\n\tshop := &servers.ShopServer{}\n\tmcp.Web(\"shop\", shop)\n\tmcp.Local(\"shop\", shop)\n}\n",
		},
		{
			"a route that is there", routesHead + "func AI(mcp *mcp.Router) { mcp.Web(\"/\", &servers.ShopServer{}) }\n",
			routesHead + "func AI(mcp *mcp.Router) { mcp.Web(\"/\", &servers.ShopServer{}) }\n",
		},
	},
	refused: []struct{ what, source, reason string }{
		{"no router", "package routes\n\nfunc AI() {}\n", "has an AI() without a router"},
		{"a router without a name", routesHead + "func AI(_ *mcp.Router) {}\n", "has an AI() without a router"},
		{"no body", routesHead + "func AI(r *mcp.Router)\n", "has an AI() without a body"},
		{"a return at the end", routesHead + "func AI(mcp *mcp.Router) {\n\treturn\n}\n", "returns at its end"},
		{"one line", routesHead + "func AI(mcp *mcp.Router) { mcp.Web(\"a\", nil) }\n", "on one line"},
		{"the handle", routesHead + "func AI(mcp *mcp.Router) {\n\tmcp.Web(\"shop\", nil)\n}\n", `has the handle "shop" already`},
		{"a parameter of the package's name", routesHead + "func AI(servers *mcp.Router) {\n}\n", "has another meaning for the name servers"},
		{"a variable of the package's name", routesHead + "func AI(r *mcp.Router) {\n\tservers := old()\n\tr.Web(\"old\", servers)\n}\n", "has another meaning for the name servers"},
		{"names in use", routesHead + "func AI(mcp *mcp.Router) {\n\tshop, shopServer := 1, 2\n\t_, _ = shop, shopServer\n}\n", "has another meaning for the name shopServer"},
		{
			"another package of the name", "package routes\n\nimport (\n\t\"github.com/bowline-mcp/bowline/framework/mcp\"\n\t\"github.com/bowline-mcp/bowline/framework/servers\"\n)\n\nfunc AI(r *mcp.Router, _ servers.Interface) {}\n",
			"has another meaning for the name servers",
		},
		{"a generated file", "// Code generated by x. DO NOT EDIT.\n\n" + routesHead + "func AI(mcp *mcp.Router) {}\n", "is generated"},
		{"a dot import", "package routes\n\nimport . \"github.com/bowline-mcp/bowline/framework/mcp\"\n\nfunc AI(r *Router) {}\n", "has a dot import"},
		{"mixed line endings", routesHead + "func AI(mcp *mcp.Router) {}\r\n", "mixes line endings"},
		{"no function", "package routes\n", "has no function AI"},
	},
}

func TestRoutesAreAddedAndNothingElseChanges(t *testing.T) {
	t.Parallel()
	addingRoutes.testEdited(t)
}

// The name of a server may be that of its package, or a word of Go.
func TestAVariableOfARouteHasANameThatIsFree(t *testing.T) {
	t.Parallel()
	for handle, variable := range map[string]string{"servers": "serversServer", "type": "typeServer", "taken": "takenServer", "shop": "shop"} {
		adding := edits{path: addingRoutes.path, do: func(s *scaffold.Sources) error {
			return s.AddRoute(scaffold.Route{Server: "ShopServer", Import: "example.com/demo/app/mcp/servers", Handle: handle, Variable: handle})
		}}
		got, err := adding.edit(t, routesHead+"func AI(r *mcp.Router) {\n}\n\nvar taken servers.OldServer\n")
		if want := "\t" + variable + " := &servers.ShopServer{}\n\tr.Web(\"" + handle + "\", " + variable + ")\n"; err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: error %v, got\n%s\nwant\n%s", handle, err, got, want)
		}
	}
}

// A server of an app whose users log in must not be open to everybody.
func TestANewRouteHasTheGuardOfTheOthers(t *testing.T) {
	t.Parallel()
	const head = "package routes\n\nimport (\n\tauthorization \"github.com/bowline-mcp/bowline/framework/auth/oauth\"\n\t\"github.com/bowline-mcp/bowline/framework/mcp\"\n)\n\n"
	const server = "r *mcp.Router, server *authorization.Server"
	for _, test := range []struct {
		what, parameters, body, want string
		isOpen                       bool // whether the guard of another route isn't copied
	}{
		{"no guard", "r *mcp.Router", "r.Web(\"a\", nil)", "", false},
		{"a guard of a route", "r *mcp.Router, guard mcp.Guard", "r.Web(\"a\", nil)\nr.Web(\"b\", nil).Guard(guard).LegacySSE()\nr.Web(\"c\", nil).Guard(other)", ".Guard(guard)", false},
		{"a guard with calls", server, "r.Web(\"b\", nil).LegacySSE().Guard(server.Guard(\"mcp:use\").Offer(\"x\"), more())", ".Guard(server.Guard(\"mcp:use\").Offer(\"x\"), more())", false},
		{"two guards", "r *mcp.Router", "r.Web(\"b\", nil).Guard(one).LegacySSE().Guard(two)", ".Guard(one).Guard(two)", false},
		{"an authorization server whose guards no route has", server, "r.Component(server)", ".Guard(server.Guard())", false},
		{"a guard of the router", server, "r.Web(\"b\", nil).Guard(server.Guard(\"x\"))\nr.Guard(server.Guard())", "", false},
		{"a public router", server, "r.Component(server)\nr.Web(\"b\", nil)\nr.Public()", "", false},
		{"a public route", server, "r.Web(\"b\", nil).Public()", ".Guard(server.Guard())", false},
		{"a public group", "r *mcp.Router", "group := r.Group(\"/x\")\ngroup.Public()\nr.Web(\"a\", nil).Guard(guard)", ".Guard(guard)", false},
		{"a guard of a group", "r *mcp.Router", "group := r.Group(\"/x\")\ngroup.Guard(guard)\ngroup.Web(\"a\", nil).Guard(guard)", "", true},
		{"a guard of a group beside a guarded route", "r *mcp.Router", "group := r.Group(\"/x\")\ngroup.Guard(guard)\nr.Web(\"a\", nil).Guard(other)", ".Guard(other)", false},
		{"a guard of a route in a variable", "r *mcp.Router", "route := r.Web(\"b\", nil)\nroute.Guard(guard)", "", true},
		{"a guard on several lines, with an authorization server", server, "r.Web(\"b\", nil).Guard(\nserver.Guard(\"x\"),\n)", ".Guard(server.Guard())", false},
		{"a guard on several lines", "r *mcp.Router", "r.Web(\"b\", nil).Guard(\nguard,\n)", "", true},
		{"a guard in a block", "r *mcp.Router", "if guard := found(); guard != nil {\nr.Web(\"b\", nil).Guard(guard)\n}", "", true},
	} {
		guard, isOpen := "none", false
		adding := edits{path: addingRoutes.path, do: func(s *scaffold.Sources) error {
			guard, isOpen = s.Guard()
			return s.AddRoute(scaffold.Route{Server: "ShopServer", Import: "example.com/demo/app/mcp/servers", Handle: "shop", Variable: "shop", Guard: guard})
		}}
		for _, form := range forms {
			got, err := adding.edit(t, form.Replace(head+"func AI("+test.parameters+") {\n"+test.body+"\n}\n"))
			if want := "r.Web(\"shop\", shop)" + test.want + "\n"; guard != test.want || isOpen != test.isOpen || err != nil || !strings.Contains(got, want) {
				t.Errorf("%s: guard %q, open %v, error %v, got\n%s\nwant\n%s", test.what, guard, isOpen, err, got, want)
			}
		}
	}
}

func TestRoutesOfAnUnknownFormAreNotEdited(t *testing.T) {
	t.Parallel()
	addingRoutes.testRefused(t)
}
