package scaffold_test

import (
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

const (
	mainHead = "package main\n\nimport (\n\t\"os\"\n\n\t\"github.com/bowline-mcp/bowline/framework/mcp\"\n\n\t\"example.com/demo/routes\"\n)\n\n"

	storeHead = "package main\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\t\"os\"\n\n\t\"github.com/bowline-mcp/bowline/framework/database/sqlite\"\n" +
		"\t\"github.com/bowline-mcp/bowline/framework/mcp\"\n\n\t\"example.com/demo/app/posts/postsdb\"\n\t\"example.com/demo/routes\"\n)\n\n"

	openDatabase = "\tdb, err := sqlite.Open(context.Background(), \"storage/app.db\") // or postgres.Open with a URL\n" +
		"\tif err != nil {\n\t\tfmt.Fprintln(os.Stderr, \"open the database:\", err)\n\t\tFAIL\n\t}\n"
	openStore = "\tpostStore, err := postsdb.New(context.Background(), db)\n" +
		"\tif err != nil {\n\t\tfmt.Fprintln(os.Stderr, \"open the store of posts:\", err)\n\t\tFAIL\n\t}\n"
)

func exits(code string) string   { return strings.ReplaceAll(code, "FAIL", "os.Exit(1)") }
func returns(code string) string { return strings.ReplaceAll(code, "FAIL", "return 1") }

// openingStores opens the store of posts in main.
var openingStores = edits{
	path: "main.go", alias: "apppostsdb",
	do: func(s *scaffold.Sources) error {
		return s.OpenStore(scaffold.Store{Variable: "postStore", Import: "example.com/demo/app/posts/postsdb", Routes: "example.com/demo/routes", Words: "posts"})
	},
	edited: []struct{ what, before, after string }{
		{
			"the main of a new app", mainHead + "func main() {\n\tapp := mcp.New(mcp.Config{})\n\troutes.AI(app.Router)\n\tos.Exit(app.Main())\n}\n",
			storeHead + "func main() {\n\tapp := mcp.New(mcp.Config{})\n" + exits(openDatabase+openStore) +
				"\troutes.AI(app.Router, postStore)\n\tcode := app.Main()\n\t_ = db.Close()\n\tos.Exit(code)\n}\n",
		},
		{
			"a function that returns the code", mainHead + "func main() { os.Exit(run()) }\n\nfunc run() int {\n\tapp := mcp.New(mcp.Config{})\n\troutes.AI(app.Router, nil)\n\treturn app.Main()\n}\n",
			storeHead + "func main() { os.Exit(run()) }\n\nfunc run() int {\n\tapp := mcp.New(mcp.Config{})\n" + returns(openDatabase) + "\tdefer func() { _ = db.Close() }()\n" + returns(openStore) +
				"\troutes.AI(app.Router, nil, postStore)\n\treturn app.Main()\n}\n",
		},
		{
			"a second store", storeHead + "func main() {\n\tapp := mcp.New(mcp.Config{})\n" + exits(openDatabase) + "\troutes.AI(app.Router)\n\tcode := app.Main()\n\t_ = db.Close()\n\tos.Exit(code)\n}\n\nvar _ = postsdb.New\n",
			storeHead + "func main() {\n\tapp := mcp.New(mcp.Config{})\n" + exits(openDatabase+openStore) + "\troutes.AI(app.Router, postStore)\n\tcode := app.Main()\n\t_ = db.Close()\n\tos.Exit(code)\n}\n\nvar _ = postsdb.New\n",
		},
		{
			"a store that is there", mainHead + "func main() {\n\troutes.AI(app.Router, postStore)\n\tos.Exit(app.Main())\n}\n",
			mainHead + "func main() {\n\troutes.AI(app.Router, postStore)\n\tos.Exit(app.Main())\n}\n",
		},
	},
	refused: []struct{ what, source, reason string }{
		{"no call", mainHead + "func main() { os.Exit(app.Main()) }\n", "does not call AI of the routes once"},
		{"two calls", mainHead + "func main() {\n\troutes.AI(app.Router)\n\troutes.AI(app.Router)\n\tos.Exit(app.Main())\n}\n", "does not call AI of the routes once"},
		{"another end", mainHead + "func main() {\n\troutes.AI(app.Router)\n\tapp.Main()\n}\n", "does not end with os.Exit(app.Main())"},
		{"a use of the name db", mainHead + "func main() {\n\tdb := 1\n\troutes.AI(app.Router, db)\n\tos.Exit(app.Main())\n}\n", "has another meaning for the name db"},
		{"a use of the package's name", mainHead + "func main() {\n\troutes.AI(app.Router)\n\tos.Exit(app.Main())\n}\n\nfunc postsdb() {}\n", "has another meaning for the name postsdb"},
	},
}

func TestAStoreIsOpenedInMain(t *testing.T) {
	t.Parallel()
	openingStores.testEdited(t)
	openingStores.testRefused(t)
}

func TestAStoreIsSetInTheTestsOfAServer(t *testing.T) {
	t.Parallel()
	const head = "package servers_test\n\nimport (\n\t\"testing\"\n\n\t\"example.com/demo/app/mcp/servers\"\n)\n\n"
	const changed = "package servers_test\n\nimport (\n\t\"testing\"\n\n\t\"example.com/demo/app/mcp/servers\"\n\t\"example.com/demo/app/posts/poststest\"\n)\n\n"
	for _, test := range []struct{ what, before, after string }{
		{"a check", head + "func Test(t *testing.T) { check(t, &servers.ShopServer{}) }\n", changed + "func Test(t *testing.T) { check(t, &servers.ShopServer{Posts: poststest.Open(t)}) }\n"},
		{"no server", head + "func Test(t *testing.T) { check(t, servers.New()) }\n", head + "func Test(t *testing.T) { check(t, servers.New()) }\n"},
		{"a value that is there", head + "func Test(t *testing.T) { check(t, &servers.ShopServer{Posts: p}) }\n", head + "func Test(t *testing.T) { check(t, &servers.ShopServer{Posts: p}) }\n"},
		{"a variable of the package", head + "var server = &servers.ShopServer{}\n", ""},
		{"no parameter t", head + "func Test(tt *testing.T) { check(tt, &servers.ShopServer{}) }\n", ""},
	} {
		app := &scaffold.App{Module: "example.com/demo", Root: tree(t, map[string]string{"app/mcp/servers/shop_server_test.go": test.before})}
		sources, err := app.TestSources("app/mcp/servers")
		if err != nil {
			t.Fatal(err)
		}
		ok := sources.SetFields("example.com/demo/app/mcp/servers", "ShopServer", scaffold.Field{Name: "Posts", Import: "example.com/demo/app/posts/poststest", Value: "Open(t)"})
		got := test.before
		for _, file := range sources.Files() {
			got = string(file.Content)
		}
		if want := test.after; ok != (want != "") || ok && got != want || !ok && got != test.before {
			t.Errorf("%s: %t, got\n%s\nwant\n%s", test.what, ok, got, want)
		}
	}
}
