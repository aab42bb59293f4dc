package launcher_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/launcher"
)

func TestEachKindOfChangeIsNoticed(t *testing.T) {
	t.Parallel()
	root := appWithFramework(t, "package main\n\nimport (\n\t\"embed\"\n\n\t\"demo/extra\"\n\n\t_ \"github.com/bowline-mcp/bowline/framework/mcp\"\n)\n\n"+
		"//go:embed static\nvar _ embed.FS\n\nfunc main() { println(extra.Text) }\n")
	in := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	for name, content := range map[string]string{
		"extra/extra.go": "package extra\n\nconst Text = word\n", "extra/word.go": "package extra\n\nconst word = \"one\"\n", "static/page.txt": "hello",
	} {
		writeFile(t, in(name), content)
	}
	if _, err := launcher.Program(t.Context(), root, t.Output()); err != nil {
		t.Fatal(err)
	}
	for change, file := range map[string]string{
		"a source of the program":                       "main.go",
		"a source of a package":                         "extra/word.go",
		"a new source in the folder of a package":       "extra/more.go",
		"an embedded file":                              "static/page.txt",
		"a source of a module in another folder":        "bowline/framework/mcp/mcp.go",
		"a new source of such a module":                 "bowline/framework/mcp/more.go",
		"the go.mod of such a module":                   "bowline/go.mod",
		"go.mod":                                        "go.mod",
		"a go.sum":                                      "go.sum",
		"a go.work":                                     "go.work",
		"the list of modules that are copied into here": "vendor/modules.txt",
	} {
		undo := edit(t, in(file))
		if isFresh(root) {
			t.Errorf("%s: the change isn't noticed", change)
		}
		if undo(); !isFresh(root) {
			t.Fatalf("%s: the app would be built again, although the change is undone", change)
		}
	}
	for _, file := range []string{"notes.sqlite", "extra/extra_test.go", "extra/.#extra.go", "storage/oauth.db"} {
		undo := edit(t, in(file))
		if !isFresh(root) {
			t.Errorf("a change of %s, which the program does not contain, builds the app again", file)
		}
		undo()
	}
	if err := os.Remove(in("extra/word.go")); err != nil {
		t.Fatal(err)
	}
	if isFresh(root) {
		t.Error("a removed source isn't noticed")
	}
}

// edit appends a line to a file, or writes a new file. It returns a function that takes the edit back.
func edit(t *testing.T, file string) (undo func()) {
	t.Helper()
	content, readErr := os.ReadFile(file)
	info, statErr := os.Stat(file)
	writeFile(t, file, string(content)+"\n")
	return func() {
		t.Helper()
		if readErr != nil || statErr != nil {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			return
		}
		writeFile(t, file, string(content))
		if err := os.Chtimes(file, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
	}
}
