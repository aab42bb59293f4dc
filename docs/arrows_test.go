package docs_test

import (
	"os/exec"
	"testing"
)

func TestThePictureShowsTheImports(t *testing.T) {
	t.Parallel()
	program := exec.CommandContext(t.Context(), "go", "run", "./docs/arrows", "-print")
	program.Dir = root
	drawn, err := program.Output()
	if err != nil {
		t.Fatal(err)
	}
	if string(drawn) != read(t, "docs/arrows.svg") {
		t.Error("docs/arrows.svg doesn't show the imports of today; run: make arrows (or: go run ./docs/arrows)")
	}
}
