//go:build unix

package launcher_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/test/machinetest"
)

const (
	printsOne   = "package main\n\nimport _ \"github.com/bowline-mcp/bowline/framework/mcp\"\n\nfunc main() { println(\"one\") }\n"
	printsExtra = "package main\n\nimport (\n\t\"demo/extra\"\n\n\t_ \"github.com/bowline-mcp/bowline/framework/mcp\"\n)\n\nfunc main() { println(extra.Text) }\n"
)

// appWithGo returns the folder of an app, and of files for it. The go command of the test runs a line of the shell after it has listed
// the packages, or after it has built the program. It writes a line to the file calls for each of the two.
func appWithGo(t *testing.T, after, line string) (root, files string) {
	t.Helper()
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	root, files = appWithFramework(t, printsOne), t.TempDir()
	writeFile(t, filepath.Join(root, "extra", "extra.go"), "package extra\n\nconst Text = \"extra\"\n")
	writeFile(t, filepath.Join(files, "main.go"), printsExtra)
	machinetest.WriteProgram(t, filepath.Join(files, "go"), fmt.Sprintf("#!/bin/sh\n%s \"$@\" || exit\ncase $1 in list|build) echo $1 >>%s/calls;; esac\ncase $1 in %s) %s;; esac\n",
		tool, files, after, line))
	t.Setenv("PATH", files+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("SAVED", filepath.Join(files, "main.go"))
	return root, files
}

// build builds the app and returns what its program prints.
func build(t *testing.T, root string) string {
	t.Helper()
	var log bytes.Buffer
	program, err := launcher.Program(t.Context(), root, &log)
	if err != nil {
		t.Fatalf("%v: %s", err, &log)
	}
	out, err := exec.Command(program).CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestAPackageThatIsImportedWhileTheBuildBeginsIsWatched(t *testing.T) {
	root, files := appWithGo(t, "list", "[ ! -f $SAVED ] || mv $SAVED main.go")
	if printed := build(t, root); printed != "extra\n" {
		t.Errorf("the program prints %q", printed)
	}
	if !isFresh(root) {
		t.Error("the app would be built again, although nothing has changed since the build")
	}
	if err := os.WriteFile(filepath.Join(root, "extra", "extra.go"), []byte("package extra\n\nconst Text = \"another\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if isFresh(root) {
		t.Error("an edit of the package isn't noticed")
	}
	if printed := build(t, root); printed != "another\n" {
		t.Errorf("after the edit, the program prints %q", printed)
	}
	calls, err := os.ReadFile(filepath.Join(files, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	if last := string(calls[strings.Index(string(calls), "build")+6:]); last != "list\nbuild\n" {
		t.Errorf("the second build runs go with %q, want one listing", last)
	}
}

func TestTheFirstBuildListsThePackagesOnce(t *testing.T) {
	root, files := appWithGo(t, "list", ":")
	setTimes(t, root, time.Now().Add(-time.Minute))
	if printed := build(t, root); printed != "one\n" || !isFresh(root) {
		t.Errorf("the program prints %q", printed)
	}
	calls, err := os.ReadFile(filepath.Join(files, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	if string(calls) != "list\nbuild\n" {
		t.Errorf("the build runs go with %q", calls)
	}
}

// setTimes sets the times of all files and folders in a folder.
func setTimes(t *testing.T, folder string, when time.Time) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, when, when)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The first listing is what finds the package that changes during it.
func TestAPackageThatAPackageImportsWhileTheFirstBuildBeginsIsWatched(t *testing.T) {
	for how, line := range map[string]string{
		"written": "[ ! -f $SAVED ] || { cat $SAVED >extra/extra.go; rm $SAVED; }",
		"renamed": "[ ! -f $SAVED ] || { touch -d 2000-01-01 $SAVED; mv $SAVED extra/extra.go; }",
	} {
		t.Run(how, func(t *testing.T) {
			root, files := appWithGo(t, "list", line)
			writeFile(t, filepath.Join(root, "main.go"), printsExtra)
			more := filepath.Join(root, "more", "more.go")
			writeFile(t, more, "package more\n\nconst Text = \"more\"\n")
			setTimes(t, root, time.Now().Add(-time.Minute))
			writeFile(t, filepath.Join(files, "main.go"), "package extra\n\nimport \"demo/more\"\n\nconst Text = more.Text\n")
			if printed := build(t, root); printed != "more\n" || !isFresh(root) {
				t.Errorf("the program prints %q", printed)
			}
			writeFile(t, more, "package more\n\nconst Text = \"another\"\n")
			if isFresh(root) {
				t.Error("an edit of the package isn't noticed")
			}
		})
	}
}

func TestASourceThatIsSavedWhileTheCompilerRunsIsBuiltNext(t *testing.T) {
	root, _ := appWithGo(t, "build", "[ ! -f $SAVED ] || mv $SAVED main.go")
	if printed := build(t, root); printed != "one\n" {
		t.Errorf("the program prints %q", printed)
	}
	if isFresh(root) {
		t.Error("the source isn't noticed")
	}
	if printed := build(t, root); printed != "extra\n" || !isFresh(root) {
		t.Errorf("the next program prints %q", printed)
	}
}

func TestABuildEndsAlthoughASourceChangesWithEachListing(t *testing.T) {
	root, _ := appWithGo(t, "list", "echo '// more' >>main.go")
	if printed := build(t, root); printed != "one\n" {
		t.Errorf("the program prints %q", printed)
	}
	if isFresh(root) {
		t.Error("the last change may have come after the listing, but isn't noticed")
	}
}
