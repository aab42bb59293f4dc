//go:build unix

package scaffold

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A message names the file and the folder of the user, not the temporary files of the command.
func TestAFailureSaysWhatToDo(t *testing.T) {
	t.Parallel()
	app := &App{Root: t.TempDir()}
	if err := os.Mkdir(filepath.Join(app.Root, "app"), 0o755); err != nil {
		t.Fatal(err)
	}
	temporary := filepath.Join(app.Root, "app", ".mcp-1-a.go")
	for _, test := range []struct {
		file string
		err  error
		want string
	}{
		{"app/a.go", &fs.PathError{Op: "open", Path: temporary, Err: syscall.EACCES}, "write app/a.go: permission denied; make the folder app writable"},
		{"app/new/deep/a.go", &fs.PathError{Op: "mkdir", Path: temporary, Err: syscall.EACCES}, "write app/new/deep/a.go: permission denied; make the folder app writable"},
		{"a.go", &fs.PathError{Op: "open", Path: temporary, Err: syscall.EACCES}, "write a.go: permission denied; make the folder " + filepath.ToSlash(app.Root) + " writable"},
		{"app/a.go", &fs.PathError{Op: "open", Path: temporary, Err: syscall.EROFS}, "write app/a.go: read-only file system; make the folder app writable"},
		{"app/a.go", &fs.PathError{Op: "write", Path: temporary, Err: syscall.ENOSPC}, "write app/a.go: no space left on device"},
		{"app/a.go", &os.LinkError{Op: "rename", Old: temporary, New: "a.go", Err: syscall.EXDEV}, "write app/a.go: invalid cross-device link"},
	} {
		if err := app.writeFailure(test.file, filepath.Join(app.Root, filepath.FromSlash(test.file)), test.err); err.Error() != test.want {
			t.Errorf("the error is %q, want %q", err, test.want)
		}
	}
}
