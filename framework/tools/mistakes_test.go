package tools_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Each file in testdata/mistakes is one mistake that the compiler finds, since bases
// are embedded; its comments say how. A base with a stub for a method that is
// missing would turn the mistake into a call that fails.
func TestTheCompilerFindsMistakes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a package; run without -short")
	}
	files, err := filepath.Glob("testdata/mistakes/*.go")
	if err != nil || len(files) < 10 {
		t.Fatalf("there are %d files, %v", len(files), err)
	}
	// -e reports all mistakes, not the first ten.
	output, err := exec.CommandContext(t.Context(), "go", "build", "-gcflags=-e", "./testdata/mistakes").CombinedOutput()
	if err == nil {
		t.Fatal("the package compiles")
	}
	reports := map[string]string{}
	last := ""
	for line := range strings.Lines(string(output)) {
		if name, rest, found := strings.Cut(filepath.ToSlash(line), ".go:"); found && !strings.HasPrefix(line, "\t") {
			last = filepath.Base(name) + ".go"
			reports[last] += rest
		} else {
			reports[last] += line // a mistake may take several lines
		}
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		report := reports[filepath.Base(file)]
		for line := range strings.Lines(string(text)) {
			want, found := strings.CutPrefix(strings.TrimSpace(line), "// error: ")
			if found && !strings.Contains(report, want) {
				t.Errorf("%s: the compiler does not say %q but:\n%s", file, want, report)
			}
		}
	}
	if t.Failed() {
		t.Logf("the compiler says:\n%s", output)
	}
}
