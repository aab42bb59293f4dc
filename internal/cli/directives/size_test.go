package directives_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/directives"
)

// A large app has 200 functions with directives in 20 packages.
func largeApp() map[string]string {
	files := map[string]string{}
	for p := range 20 {
		var text strings.Builder
		fmt.Fprintf(&text, "package p%d\n\nimport \"context\"\n", p)
		for f := range 10 {
			fmt.Fprintf(&text, "\n// In%d are arguments.\ntype In%d struct {\n\tQuery string `json:\"query\"` // What to look for.\n\tLimit int `json:\"limit\"` // How many.\n}\n", f, f)
			fmt.Fprintf(&text, "\n// Find%d finds.\n//\n//mcp:tool readonly name=find-%d-%d\nfunc Find%d(ctx context.Context, in In%d) ([]In%d, error) { return nil, nil }\n", f, p, f, f, f, f)
		}
		files[fmt.Sprintf("app/p%d/p%d.go", p, p)] = text.String()
	}
	return files
}

func BenchmarkTwoHundredFunctions(b *testing.B) {
	app := appOf(b, archiveOf(largeApp()))
	for b.Loop() {
		if _, err := directives.Generate(app); err != nil {
			b.Fatal(err)
		}
	}
}

func TestTwoHundredFunctionsAreGenerated(t *testing.T) {
	t.Parallel()
	generated, err := directives.Generate(appOf(t, archiveOf(largeApp())))
	if err != nil || strings.Count(string(generated.File.Content), "tools.Typed[") != 200 {
		t.Fatalf("generated is %+v, %v", generated, err)
	}
}
