package launcher

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/test/machinetest"
)

// Whether the go command is at a usual path depends on the machine, so these tests give
// findGo its paths.

// emptyPath returns the path of the go command, and takes it off the PATH.
func emptyPath(t *testing.T) string {
	t.Helper()
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir())
	return tool
}

func TestTheGoCommandOfTheLastBuildIsUsed(t *testing.T) {
	c := &cache{folder: t.TempDir()}
	if _, err := c.findGo(".", nil); err != nil {
		t.Fatal(err)
	}
	recorded := c.tool
	if !filepath.IsAbs(recorded) {
		t.Fatalf("the tool %q is recorded, want an absolute path", recorded)
	}
	if err := c.describe(manifest{Tool: recorded}); err != nil {
		t.Fatal(err)
	}
	emptyPath(t)
	if tool, err := c.findGo(".", nil); tool != recorded || err != nil || c.tool != recorded {
		t.Errorf("the tool is %q, %v, recorded again as %q, want %q", tool, err, c.tool, recorded)
	}
}

func TestGoIsLookedForWhereItUsuallyIs(t *testing.T) {
	usual := []string{"", t.TempDir(), emptyPath(t)}
	c := &cache{folder: t.TempDir()}
	if err := c.describe(manifest{Tool: filepath.Join(t.TempDir(), "removed")}); err != nil {
		t.Fatal(err)
	}
	if tool, err := c.findGo(".", usual); tool != usual[2] || err != nil {
		t.Errorf("the tool is %q, %v, want %q", tool, err, usual[2])
	}
	t.Setenv("GOROOT", filepath.Dir(filepath.Dir(usual[2])))
	if tool := firstFile(usualTools()); tool != usual[2] {
		t.Errorf("with GOROOT the tool is %q, want %q", tool, usual[2])
	}
}

func TestTheErrorWithoutGoSaysWhatToDo(t *testing.T) {
	emptyPath(t)
	c := &cache{folder: t.TempDir()}
	_, err := c.findGo("/srv/demo", nil)
	if !errors.Is(err, ErrNoGo) || !strings.Contains(err.Error(), "the app in /srv/demo has to be built: install Go from https://go.dev/dl") {
		t.Errorf("the error is %v, want ErrNoGo with the folder and the place to get Go", err)
	}
}

func TestTheScriptOfAVersionManagerIsNotRecorded(t *testing.T) {
	tool := emptyPath(t)
	script := filepath.Join(t.TempDir(), "go")
	machinetest.WriteProgram(t, script, "#!/bin/sh\nexec "+tool+" \"$@\"\n")
	if got := permanent(script, "."); got == script || !strings.HasSuffix(got, filepath.Join("bin", "go"+executableSuffix())) {
		t.Errorf("%s is recorded, want the go command in GOROOT", got)
	}
	if got := permanent(filepath.Join(t.TempDir(), "go"), "."); filepath.Base(got) != "go" {
		t.Errorf("%s is recorded for a command that doesn't run", got)
	}
}
