package launcher_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/launcher"
)

// importing returns the source of an app that imports a package too.
func importing(path string) string {
	return fmt.Sprintf("package main\n\nimport (\n\t_ %q\n\n\t_ \"github.com/bowline-mcp/bowline/framework/mcp\"\n)\n\nfunc main() {}\n", path)
}

// embedding returns the source of an app that embeds files too.
func embedding(pattern string) string {
	return "package main\n\nimport (\n\t\"embed\"\n\n\t_ \"github.com/bowline-mcp/bowline/framework/mcp\"\n)\n\n" +
		"//go:embed " + pattern + "\nvar _ embed.FS\n\nfunc main() {}\n"
}

// newBuilder returns a builder that has built the app in the folder root. The app may not build.
func newBuilder(t *testing.T, root string, want error) *launcher.Builder {
	t.Helper()
	builder, err := launcher.NewBuilder(root, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	rebuild(t, builder, want)
	return builder
}

// rebuild builds the app again. After that, nothing has changed.
func rebuild(t *testing.T, builder *launcher.Builder, want error) {
	t.Helper()
	if _, err := builder.Build(t.Context()); !errors.Is(err, want) {
		t.Fatalf("the build returns %v, want %v", err, want)
	}
	if builder.Changed() {
		t.Error("the app would be built again, although nothing has changed since the build")
	}
}

func TestAPackageThatIsImportedBeforeItExistsIsWatched(t *testing.T) {
	t.Parallel()
	for path, folder := range map[string]string{
		"demo/words":                           "words",
		"demo/app/words/long":                  "app/words/long",
		"github.com/bowline-mcp/bowline/words": "bowline/words", // go.mod replaces its module with a folder
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			root := appWithFramework(t, importing(path))
			builder := newBuilder(t, root, launcher.ErrBuild)
			source := filepath.Join(root, filepath.FromSlash(folder), "words.go")
			writeFile(t, source, "")
			if !builder.Changed() {
				t.Fatal("the new package isn't noticed")
			}
			rebuild(t, builder, launcher.ErrBuild)
			writeFile(t, source, "package words\n")
			if !builder.Changed() {
				t.Fatal("the first line of the new package isn't noticed")
			}
			rebuild(t, builder, nil)
		})
	}
}

func TestAMissingPackageOfAnotherModuleIsNotWatched(t *testing.T) {
	t.Parallel()
	root := appWithFramework(t, importing("demolition"))
	builder := newBuilder(t, root, launcher.ErrBuild)
	writeFile(t, filepath.Join(root, "lition", "lition.go"), "package lition\n")
	if builder.Changed() {
		t.Error("the module demo has no package demolition, but a folder is watched for it")
	}
}

func TestANewEmbeddedFileIsNoticed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ pattern, first, added string }{
		{"t/*.html", "t/a.html", "t/b.html"},
		{"t", "t/a.html", "t/b/c.html"},
		{"t/*/i.html", "t/a/i.html", "t/b/i.html"},
		{"all:t/*/i.html", "t/a/i.html", "t/b/i.html"},
		{"t/*/sub/i.html", "t/a/sub/i.html", "t/b/sub/i.html"},
		{"t/[ab]/*/i.html", "t/a/x/i.html", "t/b/y/i.html"},
		{"*/i.html", "a/i.html", "b/i.html"},
	} {
		t.Run(c.pattern, func(t *testing.T) {
			t.Parallel()
			root := appWithFramework(t, embedding(c.pattern))
			writeFile(t, filepath.Join(root, filepath.FromSlash(c.first)), "first")
			builder := newBuilder(t, root, nil)
			writeFile(t, filepath.Join(root, filepath.FromSlash(c.added)), "added")
			if !builder.Changed() {
				t.Fatal("the new file isn't noticed")
			}
			rebuild(t, builder, nil)
		})
	}
}

// A folder and its file are often created seconds apart, with a build in between.
func TestAnEmbeddedFileInAFolderThatWasEmptyIsNoticed(t *testing.T) {
	t.Parallel()
	root := appWithFramework(t, embedding("t/*/sub/i.html"))
	writeFile(t, filepath.Join(root, "t", "a", "sub", "i.html"), "first")
	writeFile(t, filepath.Join(root, "t", "b", "other"), "")
	builder := newBuilder(t, root, nil)
	writeFile(t, filepath.Join(root, "t", "b", "sub", "other"), "")
	if builder.Changed() {
		t.Error("the app would be built again for a file that isn't embedded")
	}
	writeFile(t, filepath.Join(root, "t", "b", "sub", "i.html"), "")
	if !builder.Changed() {
		t.Error("the new file isn't noticed")
	}
}

func TestAFileThatIsEmbeddedBeforeItExistsIsWatched(t *testing.T) {
	t.Parallel()
	for pattern, name := range map[string]string{
		"words/list.txt": "words/list.txt",
		"words":          "words/list.txt",
		"words/*.txt":    "words/list.txt",
		"words/*/*.txt":  "words/en/list.txt",
	} {
		t.Run(pattern, func(t *testing.T) {
			t.Parallel()
			root := appWithFramework(t, embedding(pattern))
			builder := newBuilder(t, root, launcher.ErrBuild)
			writeFile(t, filepath.Join(root, filepath.FromSlash(name)), "word")
			if !builder.Changed() {
				t.Fatal("the new file isn't noticed")
			}
			rebuild(t, builder, nil)
		})
	}
}
