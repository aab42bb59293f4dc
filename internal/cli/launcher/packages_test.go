package launcher_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/launcher"
)

// importing returns the source of an app that imports other packages too.
func importing(paths ...string) string {
	var imports strings.Builder
	for _, path := range paths {
		fmt.Fprintf(&imports, "\t_ %q\n", path)
	}
	return "package main\n\nimport (\n" + imports.String() + "\n\t_ \"github.com/bowline-mcp/bowline/framework/mcp\"\n)\n\nfunc main() {}\n"
}

// embedding returns the folder of an app that imports a package for each pattern, and the folders of those packages. Each package embeds what
// its pattern matches.
func embedding(t *testing.T, patterns ...string) (root string, folders []string) {
	t.Helper()
	var paths []string
	for i := range patterns {
		paths = append(paths, fmt.Sprintf("demo/p%d", i))
	}
	root = appWithFramework(t, importing(paths...))
	for i, pattern := range patterns {
		folders = append(folders, filepath.Join(root, filepath.Base(paths[i])))
		writeFile(t, filepath.Join(folders[i], "p.go"), "package p\n\nimport \"embed\"\n\n//go:embed "+pattern+"\nvar _ embed.FS\n")
	}
	return root, folders
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
	paths := []string{"demo/words", "demo/app/words/long", "github.com/bowline-mcp/bowline/words"}
	folders := []string{"words", "app/words/long", "bowline/words"} // go.mod replaces the module of the last one with a folder
	root := appWithFramework(t, importing(paths...))
	builder := newBuilder(t, root, launcher.ErrBuild)
	for i, folder := range folders {
		source := filepath.Join(root, filepath.FromSlash(folder), "words.go")
		writeFile(t, source, "")
		if !builder.Changed() {
			t.Fatalf("the new package %s isn't noticed", paths[i])
		}
		rebuild(t, builder, launcher.ErrBuild)
		writeFile(t, source, "package words\n")
		if !builder.Changed() {
			t.Fatalf("the first line of the new package %s isn't noticed", paths[i])
		}
		rebuild(t, builder, unlessLast(i, paths, launcher.ErrBuild))
	}
}

// unlessLast returns the error of a build that lacks what comes after the element i of a list.
func unlessLast(i int, list []string, err error) error {
	if i == len(list)-1 {
		return nil
	}
	return err
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
	patterns := []string{"t/*.html", "t", "t/*/i.html", "all:t/*/i.html", "t/*/sub/i.html", "t/[ab]/*/i.html", "*/i.html"}
	first := []string{"t/a.html", "t/a.html", "t/a/i.html", "t/a/i.html", "t/a/sub/i.html", "t/a/x/i.html", "a/i.html"}
	added := []string{"t/b.html", "t/b/c.html", "t/b/i.html", "t/b/i.html", "t/b/sub/i.html", "t/b/y/i.html", "b/i.html"}
	root, folders := embedding(t, patterns...)
	for i, folder := range folders {
		writeFile(t, filepath.Join(folder, filepath.FromSlash(first[i])), "first")
	}
	builder := newBuilder(t, root, nil)
	for i, folder := range folders {
		writeFile(t, filepath.Join(folder, filepath.FromSlash(added[i])), "added")
		if !builder.Changed() {
			t.Fatalf("the new file %s for %s isn't noticed", added[i], patterns[i])
		}
		rebuild(t, builder, nil)
	}
}

// A folder and its file are often created seconds apart, with a build in between.
func TestAnEmbeddedFileInAFolderThatWasEmptyIsNoticed(t *testing.T) {
	t.Parallel()
	root, folders := embedding(t, "t/*/sub/i.html")
	writeFile(t, filepath.Join(folders[0], "t", "a", "sub", "i.html"), "first")
	writeFile(t, filepath.Join(folders[0], "t", "b", "other"), "")
	builder := newBuilder(t, root, nil)
	writeFile(t, filepath.Join(folders[0], "t", "b", "sub", "other"), "")
	if builder.Changed() {
		t.Error("the app would be built again for a file that isn't embedded")
	}
	writeFile(t, filepath.Join(folders[0], "t", "b", "sub", "i.html"), "")
	if !builder.Changed() {
		t.Error("the new file isn't noticed")
	}
}

func TestAFileThatIsEmbeddedBeforeItExistsIsWatched(t *testing.T) {
	t.Parallel()
	patterns := []string{"words/list.txt", "words", "words/*.txt", "words/*/*.txt"}
	files := []string{"words/list.txt", "words/list.txt", "words/list.txt", "words/en/list.txt"}
	root, folders := embedding(t, patterns...)
	builder := newBuilder(t, root, launcher.ErrBuild)
	for i, folder := range folders {
		writeFile(t, filepath.Join(folder, filepath.FromSlash(files[i])), "word")
		if !builder.Changed() {
			t.Fatalf("the new file for %s isn't noticed", patterns[i])
		}
		rebuild(t, builder, unlessLast(i, patterns, launcher.ErrBuild))
	}
}
