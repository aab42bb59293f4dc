package scaffold_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
	"github.com/bowline-mcp/bowline/stubs"
)

// names lists the files below root, with slashes.
func names(t *testing.T, root string) []string {
	t.Helper()
	var list []string
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func read(t *testing.T, elements ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(elements...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func pair() []scaffold.File {
	return []scaffold.File{{Path: "app/a.go", Content: []byte("new a")}, {Path: "app/b.go", Content: []byte("new b")}}
}

func TestWriteWritesAllFiles(t *testing.T) {
	t.Parallel()
	app := &scaffold.App{Root: t.TempDir()}
	files := pair()
	if err := app.Write(files, false); err != nil {
		t.Fatal(err)
	}
	if got := names(t, app.Root); !slices.Equal(got, []string{"app/a.go", "app/b.go"}) {
		t.Errorf("wrote %v", got)
	}
	if read(t, app.Root, "app/b.go") != "new b" || files[0].Replaced || files[1].Replaced {
		t.Errorf("b.go holds %q, files are %+v", read(t, app.Root, "app/b.go"), files)
	}
}

func TestWriteChangesNothingWhenOneFileExists(t *testing.T) {
	t.Parallel()
	app := &scaffold.App{Root: tree(t, map[string]string{"app/b.go": "mine"})}
	err := app.Write(pair(), false)
	var exists *scaffold.ExistsError
	if !errors.As(err, &exists) || exists.Path != "app/b.go" || !errors.Is(err, fs.ErrExist) {
		t.Errorf("error is %v, want an ExistsError about app/b.go", err)
	}
	if got := names(t, app.Root); !slices.Equal(got, []string{"app/b.go"}) || read(t, app.Root, "app/b.go") != "mine" {
		t.Errorf("left %v, b.go holds %q", got, read(t, app.Root, "app/b.go"))
	}
	if err := app.CheckTargets(pair(), false); !errors.As(err, &exists) {
		t.Errorf("CheckTargets returns %v, want the same error", err)
	}
	if err := app.CheckTargets(pair(), true); err != nil {
		t.Errorf("CheckTargets with force returns %v", err)
	}
}

func TestWriteWithForceReplaces(t *testing.T) {
	t.Parallel()
	app := &scaffold.App{Root: tree(t, map[string]string{"app/b.go": "mine"})}
	files := pair()
	if err := app.Write(files, true); err != nil {
		t.Fatal(err)
	}
	if files[0].Replaced || !files[1].Replaced {
		t.Errorf("files are %+v, want only b.go replaced", files)
	}
	if got := names(t, app.Root); read(t, app.Root, "app/b.go") != "new b" || len(got) != 2 {
		t.Errorf("left %v, b.go holds %q", got, read(t, app.Root, "app/b.go"))
	}
}

func TestWriteLeavesNothingBehindWhenItFails(t *testing.T) {
	t.Parallel()
	app := &scaffold.App{Root: tree(t, map[string]string{"folder": "a file where a folder has to be"})}
	files := append(pair(), scaffold.File{Path: "folder/c.go", Content: []byte("c")})
	for _, force := range []bool{false, true} {
		if err := app.Write(files, force); err == nil || !strings.Contains(err.Error(), "folder/c.go") {
			t.Errorf("force %v: error is %v, want one that names folder/c.go", force, err)
		}
		if got := names(t, app.Root); !slices.Equal(got, []string{"folder"}) {
			t.Errorf("force %v: left %v", force, got)
		}
	}
}

func TestWriteNeverReplacesAFolder(t *testing.T) {
	t.Parallel()
	app := &scaffold.App{Root: tree(t, map[string]string{"app/b.go/inside.txt": "mine"})}
	if err := app.Write(pair(), true); err == nil || !strings.Contains(err.Error(), "app/b.go: it exists and is not a file") {
		t.Errorf("error is %v", err)
	}
	if got := names(t, app.Root); !slices.Equal(got, []string{"app/b.go/inside.txt"}) {
		t.Errorf("left %v", got)
	}
}

// A link may lead anywhere, so only a file that was read through it is written through it.
func TestWriteNeverReplacesALink(t *testing.T) {
	t.Parallel()
	for _, leads := range []string{"mine.go", "nowhere.go"} {
		app := &scaffold.App{Root: tree(t, map[string]string{"mine.go": "mine"})}
		if err := os.Symlink(filepath.Join(app.Root, leads), filepath.Join(app.Root, "link.go")); err != nil {
			t.Skip("this user may not make links; run on Linux: go test ./internal/cli/scaffold")
		}
		err := app.Write([]scaffold.File{{Path: "link.go", Content: []byte("new")}}, true)
		if err == nil || err.Error() != "write link.go: it exists and is not a file; rename or remove it" {
			t.Errorf("a link to %s: error is %v", leads, err)
		}
		if got := names(t, app.Root); !slices.Equal(got, []string{"link.go", "mine.go"}) || read(t, app.Root, "mine.go") != "mine" {
			t.Errorf("a link to %s: left %v", leads, got)
		}
	}
}

func TestWriteEditsAFileThatIsAsItWasRead(t *testing.T) {
	t.Parallel()
	app := &scaffold.App{Root: tree(t, map[string]string{"app/b.go": "mine"})}
	path := filepath.Join(app.Root, "app", "b.go")
	if err := os.Chmod(path, 0o660); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(app.Root, "link.go")
	if err := os.Symlink(path, link); err != nil {
		t.Skip("this user may not make links; run on Linux: go test ./internal/cli/scaffold")
	}
	files := []scaffold.File{{Path: "app/a.go", Content: []byte("new a")}, {Path: "link.go", Content: []byte("edited"), Before: []byte("mine")}}
	if err := app.Write(files, false); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 || read(t, path) != "edited" || files[1].Verb() != "edited" || files[0].Verb() != "created" {
		t.Errorf("%v, %v: b.go holds %q, files are %+v", info, err, read(t, path), files)
	}
	if info, err = os.Stat(path); err != nil || info.Mode().Perm() != 0o660 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	if got := names(t, app.Root); !slices.Equal(got, []string{"app/a.go", "app/b.go", "link.go"}) {
		t.Errorf("left %v", got)
	}
}

func TestWriteRefusesAnEditOfAFileThatHasChanged(t *testing.T) {
	t.Parallel()
	app := &scaffold.App{Root: tree(t, map[string]string{"app/b.go": "changed"})}
	files := []scaffold.File{{Path: "new/a.go", Content: []byte("new a")}, {Path: "app/b.go", Content: []byte("edited"), Before: []byte("mine")}}
	for _, force := range []bool{false, true} {
		if err := app.Write(files, force); err == nil || err.Error() != "write app/b.go: another program has changed it meanwhile; try again" {
			t.Errorf("force %v: error is %v", force, err)
		}
	}
	if got := names(t, app.Root); !slices.Equal(got, []string{"app/b.go"}) || read(t, app.Root, "app/b.go") != "changed" {
		t.Errorf("left %v, b.go holds %q", got, read(t, app.Root, "app/b.go"))
	}
	files[1].Path = "gone.go"
	if err := app.Write(files, true); err == nil || !strings.Contains(err.Error(), "write gone.go: ") {
		t.Errorf("error is %v, want one about gone.go", err)
	}
}

func TestWriteRestoresEveryFileWhenTheLastFails(t *testing.T) {
	t.Parallel()
	app := &scaffold.App{Root: tree(t, map[string]string{"app/b.go": "mine", "app/c.go": "ours"})}
	files := []scaffold.File{
		{Path: "new/folder/a.go", Content: []byte("new a")},
		{Path: "app/b.go", Content: []byte("edited"), Before: []byte("mine")},
		{Path: "app/c.go", Content: []byte("replaced")},
		{Path: "new/folder", Content: []byte("a folder when its turn comes")},
	}
	if err := app.Write(files, true); err == nil || err.Error() != "new/folder already exists; --force replaces it" {
		t.Errorf("error is %v, want one about new/folder", err)
	}
	if got := names(t, app.Root); !slices.Equal(got, []string{"app/b.go", "app/c.go"}) ||
		read(t, app.Root, "app/b.go") != "mine" || read(t, app.Root, "app/c.go") != "ours" {
		t.Errorf("left %v, b.go holds %q, c.go %q", got, read(t, app.Root, "app/b.go"), read(t, app.Root, "app/c.go"))
	}
	if _, err := os.Stat(filepath.Join(app.Root, "new")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the new folder is left: %v", err)
	}
}

// The umask of the process doesn't narrow the mode of a file that was there before.
func TestAFileKeepsItsMode(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes; run on Linux: go test ./internal/cli/scaffold")
	}
	modes := map[string]fs.FileMode{"edited.go": 0o660, "replaced.go": 0o606, "restored.go": 0o666}
	app := &scaffold.App{Root: tree(t, map[string]string{"edited.go": "mine", "replaced.go": "mine", "restored.go": "mine"})}
	for name, mode := range modes {
		if err := os.Chmod(filepath.Join(app.Root, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	check := func(when string) {
		for name, mode := range modes {
			if info, err := os.Stat(filepath.Join(app.Root, name)); err != nil || info.Mode() != mode {
				t.Errorf("%s, the mode of %s is %v, %v, want %v", when, name, info.Mode(), err, mode)
			}
		}
	}
	if err := app.Write([]scaffold.File{
		{Path: "edited.go", Content: []byte("edited"), Before: []byte("mine")}, {Path: "replaced.go", Content: []byte("replaced")},
	}, true); err != nil {
		t.Fatal(err)
	}
	check("after a change")
	if err := app.Write([]scaffold.File{
		{Path: "folder/new.go", Content: []byte("new")}, {Path: "restored.go", Content: []byte("edited"), Before: []byte("mine")},
		{Path: "folder", Content: []byte("a folder when its turn comes")},
	}, true); err == nil || read(t, app.Root, "restored.go") != "mine" {
		t.Fatalf("error %v, the file has %s", err, read(t, app.Root, "restored.go"))
	}
	check("after a change that was undone")
}

func TestWriteRefusesAReadOnlyFile(t *testing.T) {
	t.Parallel()
	app := &scaffold.App{Root: tree(t, map[string]string{"app/b.go": "mine"})}
	if err := os.Chmod(filepath.Join(app.Root, "app", "b.go"), 0o444); err != nil {
		t.Fatal(err)
	}
	edit := []scaffold.File{{Path: "app/b.go", Content: []byte("edited"), Before: []byte("mine")}}
	for what, files := range map[string][]scaffold.File{"a replacement": pair(), "an edit": edit} {
		if err := app.Write(files, true); err == nil || err.Error() != "write app/b.go: it is read-only; make it writable" {
			t.Errorf("%s: error is %v", what, err)
		}
	}
	if got := names(t, app.Root); !slices.Equal(got, []string{"app/b.go"}) {
		t.Errorf("left %v", got)
	}
}

func TestDiffShowsWhatWriteWouldDo(t *testing.T) {
	t.Parallel()
	app := &scaffold.App{Root: tree(t, map[string]string{"app/b.go": "mine\n"})}
	files := []scaffold.File{{Path: "a.go", Content: []byte("new\n")}, {Path: "app/b.go", Content: []byte("mine\nand yours\n"), Before: []byte("mine\n")}}
	got, err := app.Diff(files, false)
	want := "diff /dev/null b/a.go\n--- /dev/null\n+++ b/a.go\n@@ -0,0 +1,1 @@\n+new\n" +
		"diff a/app/b.go b/app/b.go\n--- a/app/b.go\n+++ b/app/b.go\n@@ -1,1 +1,2 @@\n mine\n+and yours\n"
	if err != nil || string(got) != want {
		t.Errorf("error %v, the diff is\n%s\nwant\n%s", err, got, want)
	}
	if _, err := app.Diff([]scaffold.File{{Path: "app/b.go"}}, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error is %v, want that of Write", err)
	}
	if got := names(t, app.Root); !slices.Equal(got, []string{"app/b.go"}) {
		t.Errorf("left %v", got)
	}
}

func TestTheFirstFileOfAFolderDocumentsThePackage(t *testing.T) {
	t.Parallel()
	app := &scaffold.App{Root: tree(t, map[string]string{
		"plain/x.go": "package plain\n", "plain/x_test.go": "// Package plain is tested.\npackage plain\n",
		"documented/x.go": "// Package documented has a comment.\npackage documented\n",
	})}
	for _, test := range []struct{ path, content, want string }{
		{"new/a.go", "package a\n", "// Has it.\npackage a\n"},
		{"new/a.go", "//go:build linux\n\npackage a\n", "//go:build linux\n\n// Has it.\npackage a\n"},
		{"new/a.go", "// Package a is here.\npackage a\n", "// Package a is here.\npackage a\n"},
		{"plain/a.go", "package a\n", "// Has it.\npackage a\n"},
		{"documented/a.go", "package a\n", "package a\n"},
		{"documented/x.go", "package a\n", "// Has it.\npackage a\n"},
	} {
		file := scaffold.File{Path: test.path, Content: []byte(test.content)}
		app.Document(&file, "Has it.")
		if string(file.Content) != test.want {
			t.Errorf("%s with %q becomes %q, want %q", test.path, test.content, file.Content, test.want)
		}
	}
}

func TestRender(t *testing.T) {
	t.Parallel()
	name := scaffold.Name{Type: "HTTPStatusTool", Base: "HTTPStatus"}
	for _, test := range []struct{ what, own, builtin, want, err string }{
		{"fills and formats the built-in stub", "", "package x\nvar  a = `{{.Module}} {{.Type}} {{.Name}} {{.Title}}`\n",
			"package x\n\nvar a = `example.com/demo HTTPStatusTool http-status HTTP Status`\n", ""},
		{"prefers the app's own stub", "package own\n", "package x\n", "package own\n", ""},
		{"lists what an unknown field could be", "package {{.Module.Path}}\n", "", "", "fill stub (it may use .Base, .Module, .Name, .Title, .Type)"},
		{"says where a stub does not parse", "package {{\n", "", "", "stubs/tool.stub:1"},
		{"refuses what is not Go", "package x\nfunc\n", "", "", "stubs/tool.stub does not make valid Go: 2:"},
		{"refuses what is only a part of a file", "func a() {}\n", "", "", "stubs/tool.stub does not make valid Go: 1:1: expected 'package'"},
		{"refuses an empty stub", " \n", "", "", "stubs/tool.stub does not make valid Go: 1:3: expected 'package'"},
		{"reports a missing stub", "", "", "", "tool.stub"},
	} {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			app := &scaffold.App{Root: t.TempDir(), Module: "example.com/demo"}
			if test.own != "" {
				app.Root = tree(t, map[string]string{"stubs/tool.stub": test.own})
			}
			builtin := fstest.MapFS{}
			if test.builtin != "" {
				builtin["tool.stub"] = &fstest.MapFile{Data: []byte(test.builtin)}
			}
			got, err := app.Render(builtin, "tool.stub", name)
			if test.err == "" && err != nil || string(got) != test.want {
				t.Errorf("rendered %q, error %v, want %q", got, err, test.want)
			}
			if test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
				t.Errorf("error is %v, want one with %q", err, test.err)
			}
		})
	}
}

func TestBuiltInStubsAreFormattedAlready(t *testing.T) {
	t.Parallel()
	app := &scaffold.App{Root: t.TempDir(), Module: "example.com/demo"}
	for _, stub := range []string{
		"tool.stub", "tool_test.stub", "server.stub", "server_test.stub", "resource.stub", "resource_template.stub", "resource_template_test.stub",
		"prompt.stub", "guardrail.stub", "guardrail_test.stub", "routes.stub",
	} {
		got, err := app.Render(stubs.Files(), stub, scaffold.Name{Type: "WeatherTool", Base: "Weather"})
		if err != nil {
			t.Errorf("%s: %v", stub, err)
			continue
		}
		raw, err := fs.ReadFile(stubs.Files(), stub)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.NewReplacer("{{.Type}}", "WeatherTool", "{{.Base}}", "Weather", "{{.Name}}", "weather", "{{.Module}}", "example.com/demo").Replace(string(raw))
		if string(got) != want {
			t.Errorf("%s is not written as gofmt would:\n%s", stub, got)
		}
	}
}
