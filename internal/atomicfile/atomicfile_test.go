package atomicfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/bowline-mcp/bowline/internal/atomicfile"
)

// contents returns what the files in a folder have, by their names.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		found[filepath.Base(path)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// write writes a file of a folder.
func write(t *testing.T, folder, name, content string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAFileIsWrittenAsAWhole(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, content := range []string{"first", "second"} {
		if err := atomicfile.Write(filepath.Join(folder, "a"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := contents(t, folder); len(got) != 1 || got["a"] != content {
			t.Errorf("the folder has %v, want a with %q alone", got, content)
		}
	}
}

func TestAFailureLeavesTheFolderAsItWas(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(filepath.Join(folder, "a"), []byte("x"), 0o600); err == nil {
		t.Error("a folder is replaced by a file")
	}
	if got := contents(t, folder); len(got) > 0 {
		t.Errorf("it leaves %v", got)
	}
}

func TestAReplacementIsUndone(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := write(t, folder, "a", "old")
	r := &atomicfile.Replacement{Path: path}
	if err := r.Stage([]byte("old"), []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, folder); got["a"] != "old" || r.Done() {
		t.Errorf("before the commit, the folder has %v", got)
	}
	if err := r.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, folder); got["a"] != "new" || !r.Done() {
		t.Errorf("after the commit, the folder has %v", got)
	}
	if err := r.Undo(); err != nil {
		t.Fatal(err)
	}
	r.Clean(true)
	if got := contents(t, folder); len(got) != 1 || got["a"] != "old" {
		t.Errorf("at the end, the folder has %v", got)
	}
}

func TestANewFileIsRemovedWithItsFolders(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	r := &atomicfile.Replacement{Path: filepath.Join(folder, "b", "c", "a"), FolderMode: 0o755}
	if err := errors.Join(r.Stage(nil, []byte("new"), 0o600), r.Commit(), r.Undo()); err != nil {
		t.Fatal(err)
	}
	r.Clean(true)
	if _, err := os.Stat(filepath.Join(folder, "b")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is left: %v", err)
	}
}

func TestAFileThatAppearsMeanwhileStays(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	r := &atomicfile.Replacement{Path: filepath.Join(folder, "a")}
	if err := r.Stage(nil, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, folder, "a", "theirs")
	if err := r.Commit(); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the error is %v", err)
	}
	if err := r.Undo(); err != nil {
		t.Error(err)
	}
	r.Clean(true)
	if got := contents(t, folder); len(got) != 1 || got["a"] != "theirs" {
		t.Errorf("the folder has %v", got)
	}
}

func TestACopyThatIsKeptStays(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	r := &atomicfile.Replacement{Path: write(t, folder, "a", "old")}
	if err := errors.Join(r.Stage([]byte("old"), []byte("new"), 0o600), r.Commit()); err != nil {
		t.Fatal(err)
	}
	kept := r.Saved
	r.Saved = ""
	r.Clean(false)
	if content, err := os.ReadFile(kept); err != nil || string(content) != "old" {
		t.Errorf("the copy has %q, %v", content, err)
	}
}

// The umask of the process narrows the mode of a new file only.
func TestAFileKeepsItsMode(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes; run on Linux: go test ./internal/atomicfile")
	}
	folder := t.TempDir()
	path := write(t, folder, "a", "old")
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	r := &atomicfile.Replacement{Path: path}
	if err := errors.Join(r.Stage([]byte("old"), []byte("new"), 0o666), r.Commit()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, r.Saved} {
		if info, err := os.Stat(name); err != nil || info.Mode() != 0o666 {
			t.Errorf("%s has %v, %v", name, info.Mode(), err)
		}
	}
}

func TestAReasonHasNoPath(t *testing.T) {
	t.Parallel()
	_, missing := os.ReadFile(filepath.Join(t.TempDir(), "a"))
	moved := os.Rename(filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b"))
	reasons := []string{atomicfile.Reason(missing).Error(), atomicfile.Reason(moved).Error(), atomicfile.Reason(errors.New("other")).Error()}
	if reasons[0] != reasons[1] || !slices.Contains(reasons, "other") {
		t.Errorf("the reasons are %q", reasons)
	}
}
