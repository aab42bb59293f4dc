package docs_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/directives"
	"github.com/bowline-mcp/bowline/internal/cli/directives/directive"
	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

// The page on directives shows the whole file that mcp generate writes.
func TestThePageOnDirectivesShowsWhatIsGenerated(t *testing.T) {
	t.Parallel()
	folder, shown := t.TempDir(), ""
	write(t, filepath.Join(folder, "go.mod"), "module guide\n")
	for _, b := range blocks("docs/guide/directives.md", read(t, "docs/guide/directives.md")) {
		switch b.file() {
		case "main.go":
			write(t, filepath.Join(folder, "main.go"), b.text)
		case directives.FileName:
			_, shown, _ = strings.Cut(b.text, "\n")
		}
	}
	app, err := scaffold.FindApp(folder)
	if err != nil {
		t.Fatal(err)
	}
	generated, err := directives.Generate(app)
	if err != nil {
		t.Fatal(err)
	}
	if shown != string(generated.File.Content) {
		t.Errorf("mcp generate writes\n%s\nthe page shows\n%s", generated.File.Content, shown)
	}
}

// The page has each option of a directive.
func TestThePageOnDirectivesHasEachOption(t *testing.T) {
	t.Parallel()
	page := read(t, "docs/guide/directives.md")
	options := directive.Names()
	if len(options) < 15 {
		t.Fatalf("there are only the options %q", options)
	}
	for _, option := range options {
		if !strings.Contains(page, "`"+option) && !strings.Contains(page, " "+option) {
			t.Errorf("docs/guide/directives.md lacks the option %s", option)
		}
	}
}
