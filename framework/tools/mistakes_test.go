package tools_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// Each file of testdata/mistakes.txtar has one mistake that the compiler finds, with its
// error in comments. If a base had stubs for required methods, such a mistake would
// become a failing call.
func TestTheCompilerFindsMistakes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a package; run without -short")
	}
	mistakes, err := txtar.ParseFile("testdata/mistakes.txtar")
	if err != nil || len(mistakes.Files) < 10 {
		t.Fatalf("there are no ten mistakes: %v", err)
	}
	output, err := buildOverlaid(t, mistakes)
	if err == nil {
		t.Fatal("the package compiles")
	}
	reports := map[string]string{}
	last := ""
	for line := range strings.Lines(output) {
		if name, rest, found := strings.Cut(filepath.ToSlash(line), ".go:"); found && !strings.HasPrefix(line, "\t") {
			last = filepath.Base(name) + ".go"
			reports[last] += rest
		} else {
			reports[last] += line // an error may have several lines
		}
	}
	for _, file := range mistakes.Files {
		errors := 0
		for line := range strings.Lines(string(file.Data)) {
			want, found := strings.CutPrefix(strings.TrimSpace(line), "// error: ")
			if !found {
				continue
			}
			if errors++; !strings.Contains(reports[file.Name], want) {
				t.Errorf("%s: the compiler does not say %q but:\n%s", file.Name, want, reports[file.Name])
			}
		}
		if errors == 0 {
			t.Errorf("%s names no error", file.Name)
		}
	}
	if t.Failed() {
		t.Logf("the compiler says:\n%s", output)
	}
}

// buildOverlaid builds the files of an archive as a package of this module, and returns
// the compiler's output.
func buildOverlaid(t *testing.T, archive *txtar.Archive) (output string, err error) {
	t.Helper()
	var overlay struct{ Replace map[string]string }
	overlay.Replace = map[string]string{}
	for flag := range strings.FieldsSeq(os.Getenv("GOFLAGS")) { // takeouts overlay files too
		if list, ok := strings.CutPrefix(flag, "-overlay="); ok {
			encoded, err := os.ReadFile(list)
			if err != nil {
				t.Fatal(err)
			}
			if err := codec.Unmarshal(encoded, &overlay); err != nil {
				t.Fatal(err)
			}
		}
	}
	folder, err := filepath.Abs("testdata/mistakes")
	if err != nil {
		t.Fatal(err)
	}
	copied := t.TempDir()
	for _, file := range archive.Files {
		path := filepath.Join(copied, file.Name)
		if err := os.WriteFile(path, file.Data, 0o600); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(folder, file.Name)] = path
	}
	encoded, err := codec.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(copied, "overlay.json")
	if err := os.WriteFile(list, encoded, 0o600); err != nil {
		t.Fatal(err)
	}
	// -e reports all mistakes, not the first ten.
	compiled, err := exec.CommandContext(t.Context(), "go", "build", "-gcflags=-e", "-overlay="+list, "./testdata/mistakes").CombinedOutput()
	return string(compiled), err
}
