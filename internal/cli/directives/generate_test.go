package directives_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/bowline-mcp/bowline/internal/cli/directives"
	"github.com/bowline-mcp/bowline/internal/cli/directives/directive"
	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

var update = flag.Bool("update", false, "write the golden files anew")

// appOf writes an archive as an app.
func appOf(t testing.TB, archive *txtar.Archive) *scaffold.App {
	t.Helper()
	root := t.TempDir()
	if err := txtar.Write(archive, root); err != nil {
		t.Fatal(err)
	}
	app, err := scaffold.FindApp(root)
	if err != nil {
		t.Fatal(err)
	}
	return app
}

// The golden file of each app in testdata is compiled and run by the script generate of cmd/mcp.
func TestAnAppIsGenerated(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("there are no apps", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			generated, err := directives.Generate(appOf(t, archive))
			if err != nil {
				t.Fatal(err)
			}
			golden := strings.TrimSuffix(name, ".txtar") + ".golden"
			if *update {
				if err := os.WriteFile(golden, generated.File.Content, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if string(want) != string(generated.File.Content) {
				t.Errorf("generated is\n%s\nwant\n%s", generated.File.Content, want)
			}
		})
	}
}

func TestATypeNamedAsAKeywordIsGenerated(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Switch", "Return", "Type"} {
		app := appOf(t, txtar.Parse([]byte("-- go.mod --\nmodule demo\n-- main.go --\npackage main\n-- app/x/x.go --\npackage x\n\ntype "+name+" struct{ n int }\n\n// Do does.\n//\n//mcp:tool\nfunc (*"+name+") Do() {}\n")))
		if _, err := directives.Generate(app); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func mistakesOf(err error) directive.Mistakes {
	mistakes, _ := errors.AsType[directive.Mistakes](err)
	return mistakes
}
