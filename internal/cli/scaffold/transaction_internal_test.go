package scaffold

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// files returns the contents of all files below a folder.
func files(t *testing.T, root string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(os.DirFS(root), path)
		found[path] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Between the look at the files and their change another program may change one of them. It
// keeps its change, and no other file changes.
func TestAFileThatChangesAfterTheLookIsNotOverwritten(t *testing.T) {
	t.Parallel()
	for what, test := range map[string]struct {
		meanwhile func(path string) error
		err       string
		left      map[string]string
	}{
		"another program writes": {
			func(path string) error { return os.WriteFile(path, []byte("theirs"), 0o600) }, "another program has changed it meanwhile; try again",
			map[string]string{"first.go": "first", "last.go": "theirs"},
		},
		"another program removes it": {os.Remove, "no such file or directory", map[string]string{"first.go": "first"}},
		"another program makes a folder": {
			func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o755)) }, "", map[string]string{"first.go": "first"},
		},
	} {
		for _, before := range [][]byte{[]byte("last"), nil} { // an edit, and a replacement
			app := &App{Root: t.TempDir()}
			for name, content := range map[string]string{"first.go": "first", "last.go": "last"} {
				if err := os.WriteFile(filepath.Join(app.Root, name), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			targets, err := app.targets([]File{
				{Path: "new/new.go", Content: []byte("new")}, {Path: "first.go", Content: []byte("edited"), Before: []byte("first")},
				{Path: "last.go", Content: []byte("edited"), Before: before},
			}, true)
			if err != nil {
				t.Fatal(err)
			}
			if err := test.meanwhile(filepath.Join(app.Root, "last.go")); err != nil {
				t.Fatal(err)
			}
			change := transaction{app: app}
			if err := change.write(targets); err == nil || !strings.HasPrefix(err.Error(), "write last.go: ") || !strings.Contains(err.Error(), test.err) && runtime.GOOS != "windows" {
				t.Errorf("%s: the error is %v, want … %s", what, err, test.err)
			}
			change.end(true)
			if got := files(t, app.Root); !maps.Equal(got, test.left) {
				t.Errorf("%s: it leaves %v, want %v", what, got, test.left)
			}
			if _, err := os.Stat(filepath.Join(app.Root, "new")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: the new folder is left: %v", what, err)
			}
		}
	}
}
