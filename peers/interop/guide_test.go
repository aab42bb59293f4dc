package interop_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
