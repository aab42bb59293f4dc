package docs_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli"
)

// The page on the ways to write a tool shows the file that mcp generate writes from its directive.
func TestThePageOnTheWaysShowsWhatMCPGenerateWrites(t *testing.T) {
	t.Parallel()
	const page, generated = "docs/guide/four-ways.md", "mcp_gen.go"
	folder, want := t.TempDir(), ""
	write(t, filepath.Join(folder, "go.mod"), "module harbor\n\ngo 1.26\n")
	for _, b := range blocks(page, read(t, page)) {
		switch name := b.file(); {
		case name == generated:
			want = strings.TrimPrefix(b.text, "// "+generated+"\n\n")
		case name != "" && !strings.HasSuffix(name, "_test.go"):
			write(t, filepath.Join(folder, name), b.text)
		}
	}
	var stdout, stderr bytes.Buffer
	if code := cli.Run([]string{"generate", "--no-input", "--dir", folder}, &stdout, &stderr); code != 0 {
		t.Fatalf("mcp generate ends with %d: %s", code, stderr.String())
	}
	got, err := os.ReadFile(filepath.Join(folder, generated)) //nolint:gosec // written above
	if err != nil || string(got) != want || want == "" {
		t.Errorf("%v: mcp generate writes\n%s\nbut %s shows\n%s", err, got, page, want)
	}
}
