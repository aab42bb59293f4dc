package docs_test

import (
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestGoBlocksBuild builds every Go block of the documents. One without a package clause gets one, and an import for each package below
// that it names; one that has no declarations is the body of a function.
func TestGoBlocksBuild(t *testing.T) {
	t.Parallel()
	module, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	overlay := map[string]string{}
	args := []string{"build", "-overlay", "", "--"}
	temp := t.TempDir()
	texts := documents(t)
	for _, document := range slices.Sorted(maps.Keys(texts)) {
		if strings.HasPrefix(document, "peers/") || strings.HasPrefix(document, "docs/guide/tutorial") {
			continue // modules of their own, or files of examples/notes
		}
		for i, b := range blocks(document, texts[document]) {
			if b.language != "go" || b.file() != "" {
				continue // or built by TestTheGuideWorks, or for the README by TestTheReadmeBeginsAnApp
			}
			source, err := b.source()
			if err != nil {
				t.Errorf("%s:%d: %v", b.document, b.line, err)
				continue
			}
			// The go command finds a block in its cache only if that has the same folder again.
			folder := fmt.Sprintf("block_%s_%d", strings.NewReplacer("/", "_", ".", "_").Replace(document), i)
			file := filepath.Join(temp, folder+".go")
			if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
				t.Fatal(err)
			}
			overlay[filepath.Join(module, "docs", folder, "block.go")] = file
			args = append(args, "./docs/"+folder)
		}
	}
	if len(overlay) == 0 {
		t.Fatal("no document has a Go block")
	}
	encoded, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	args[2] = filepath.Join(temp, "overlay.json")
	if err := os.WriteFile(args[2], encoded, 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", args...)
	build.Dir = module
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// packages are those that a block without imports may name.
var packages = map[string]string{
	"annotations": "github.com/bowline-mcp/bowline/framework/annotations",
	"auth":        "github.com/bowline-mcp/bowline/framework/auth",
	"ask":         "github.com/bowline-mcp/bowline/framework/ask",
	"bowline":     "github.com/bowline-mcp/bowline/framework/mcp",
	"completion":  "github.com/bowline-mcp/bowline/framework/completion",
	"content":     "github.com/bowline-mcp/bowline/framework/content",
	"env":         "github.com/bowline-mcp/bowline/framework/env",
	"events":      "github.com/bowline-mcp/bowline/framework/events",
	"exchange":    "github.com/bowline-mcp/bowline/framework/exchange",
	"guardrails":  "github.com/bowline-mcp/bowline/framework/guardrails",
	"logging":     "github.com/bowline-mcp/bowline/framework/logging",
	"login":       "github.com/bowline-mcp/bowline/framework/auth/login",
	"mcp":         "github.com/bowline-mcp/bowline/framework/mcp",
	"mcptest":     "github.com/bowline-mcp/bowline/framework/mcptest",
	"oauth":       "github.com/bowline-mcp/bowline/framework/auth/oauth",
	"retry":       "github.com/bowline-mcp/bowline/framework/retry",
	"schema":      "github.com/bowline-mcp/bowline/framework/schema",
	"servers":     "github.com/bowline-mcp/bowline/framework/servers",
	"sqlite":      "github.com/bowline-mcp/bowline/framework/auth/oauth/store/sqlite",
	"store":       "github.com/bowline-mcp/bowline/framework/auth/oauth/store",
	"tools":       "github.com/bowline-mcp/bowline/framework/tools",
	"upstream":    "github.com/bowline-mcp/bowline/framework/auth/upstream",
	"validation":  "github.com/bowline-mcp/bowline/framework/validation",

	"context": "context", "errors": "errors", "flag": "flag", "fmt": "fmt", "http": "net/http", "io": "io", "os": "os", "slog": "log/slog", "testing": "testing", "time": "time",
}

// source returns a block as a Go file, whose lines are those of the document for the compiler.
func (b block) source() (string, error) {
	line := fmt.Sprintf("\n//line %s:%d\n", b.document, b.line)
	// The reference app stands for the app of an example.
	text := strings.NewReplacer(
		`"example.com/shop/app/`, `"github.com/bowline-mcp/bowline/app/`,
		`"shop/app/`, `"github.com/bowline-mcp/bowline/app/`, "&servers.ShopServer{}", "&servers.DemoServer{}",
	).Replace(b.text)
	if parses(text) {
		return line + text, nil
	}
	body := text
	if !parses("package p\n" + body) {
		body = "func _() {" + line + body + "}\n"
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+body, 0)
	if err != nil {
		return "", err
	}
	imports := map[string]bool{}
	for _, name := range parsed.Unresolved { // the others are declared in the block
		if packages[name.Name] != "" {
			imports[name.Name] = true
		}
	}
	head := "package p\n"
	if len(parsed.Imports) == 0 {
		for _, name := range slices.Sorted(maps.Keys(imports)) {
			head += fmt.Sprintf("import %s %q\n", name, packages[name])
		}
	}
	return head + line + body, nil
}

func parses(source string) bool {
	_, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	return err == nil
}
