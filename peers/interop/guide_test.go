package interop_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The guide's pages on migrating show servers of other SDKs, in blocks marked "go before".
// They must compile.
func TestTheGuidesServersOfOtherSDKsBuild(t *testing.T) {
	t.Parallel()
	module, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	overlay, args, temp := map[string]string{}, []string{"build", "-o", os.DevNull, "-overlay", "", "--"}, t.TempDir()
	for _, page := range []string{"migrating-from-go-sdk.md", "migrating-from-mcp-go.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", "guide", page))
		if err != nil {
			t.Fatal(err)
		}
		blocks := regexp.MustCompile("(?s)\n```go before\n(.*?)\n```\n").FindAllSubmatch(text, -1)
		if len(blocks) == 0 {
			t.Errorf("docs/guide/%s shows nothing of the other SDK", page)
		}
		for _, block := range blocks {
			folder := fmt.Sprintf("before%d", len(overlay))
			file := filepath.Join(temp, folder+".go")
			if err := os.WriteFile(file, block[1], 0o600); err != nil {
				t.Fatal(err)
			}
			overlay[filepath.Join(module, folder, "main.go")] = file
			args = append(args, "./"+folder)
		}
	}
	encoded, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	args[4] = filepath.Join(temp, "overlay.json")
	if err := os.WriteFile(args[4], encoded, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// buildPage builds the program of a page of the guide. It listens at APP_ADDR.
func buildPage(t *testing.T, name string) (binary string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "guide", name+".md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)\n```go\n(// main.go\n.*?)\n```\n").FindSubmatch(page)
	if block == nil {
		t.Fatalf("docs/guide/%s.md has no main.go", name)
	}
	source := strings.Replace(string(block[1]), "mcp.Config{}", `mcp.Config{Addr: os.Getenv("APP_ADDR")}`, 1)
	module, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	file, binary := filepath.Join(folder, "main.go"), filepath.Join(folder, "program")
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(module, "docs", name+"_page", "main.go"): file}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{file: source, filepath.Join(folder, "overlay.json"): string(overlay)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-overlay", filepath.Join(folder, "overlay.json"), "-o", binary, "./docs/"+name+"_page")
	build.Dir = module
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}
