package project_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/project"
)

func TestAReleaseIsTheVersionOfTheProgram(t *testing.T) {
	t.Parallel()
	const pseudo = "v0.3.1-0.20261123130000-0123456789ab"
	main := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Path: project.Framework, Version: version}, Settings: settings}
	}
	vcs := debug.BuildSetting{Key: "vcs", Value: "git"}
	for _, test := range []struct {
		name string
		info *debug.BuildInfo
		want string // "" for none
	}{
		{"go install …@v0.3.0", main("v0.3.0"), "v0.3.0"},
		{"go install …@main", main(pseudo), pseudo},
		{"a checkout of a tag", main("v0.3.0", vcs), "v0.3.0"},
		{"a checkout of a commit", main(pseudo, vcs), ""},
		{"a checkout with changes", main("v0.3.0+dirty", vcs), ""},
		{"a checkout without its history", main("(devel)"), ""},
		{"a test", main(""), ""},
		{"nothing", &debug.BuildInfo{}, ""},
		{"go tool of another module", &debug.BuildInfo{
			Main: debug.Module{Path: "shop", Version: "v9.0.0"}, Deps: []*debug.Module{{Path: project.Framework, Version: "v0.3.0"}},
		}, "v0.3.0"},
		{"go tool with a replaced framework", &debug.BuildInfo{
			Main: debug.Module{Path: "shop"}, Deps: []*debug.Module{{Path: project.Framework, Version: "v0.3.0", Replace: &debug.Module{Path: "../bowline"}}},
		}, ""},
	} {
		got, err := project.ReleaseOf(test.info)
		if got.Version != test.want || (err != nil) != (test.want == "") || err != nil && !errors.Is(err, project.ErrNoRelease) {
			t.Errorf("%s: got %+v, %v, want %q", test.name, got, err, test.want)
		}
	}
}

func TestACheckoutReplacesTheFramework(t *testing.T) {
	t.Parallel()
	absolute, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := project.Checkout(root); err != nil || got != (project.Release{Version: "v0.0.0", Folder: absolute}) {
		t.Errorf("got %+v, %v", got, err)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "go.mod"), []byte("module other\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{other, filepath.Join(other, "none"), filepath.Join(root, "docs")} {
		if _, err := project.Checkout(folder); err == nil || !strings.HasSuffix(err.Error(), "is not a checkout of the framework: its go.mod must name the module "+project.Framework) {
			t.Errorf("%s: the error is %v", folder, err)
		}
	}
}
