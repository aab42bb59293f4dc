package aiclients_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/aiclients"
)

// edits returns the edits that install the app's server in clients.
func (c *computer) edits(t *testing.T, ids ...string) []*aiclients.Edit {
	t.Helper()
	var edits []*aiclients.Edit
	for _, id := range ids {
		edit, err := find(t, id).Install(c.System, aiclients.User, "", "demo", c.server, c.app)
		if err != nil {
			t.Fatal(err)
		}
		edits = append(edits, edit)
	}
	return edits
}

// files returns the paths of all files and folders in the home folder.
func (c *computer) files(t *testing.T) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(c.Home, func(path string, _ os.DirEntry, err error) error {
		found = append(found, strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(c.Home)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// keepsChanging appends a space to a file each time that it is read.
func (c *computer) keepsChanging(t *testing.T, path string) {
	t.Helper()
	plain := c.Read
	c.Read = func(name string) ([]byte, error) {
		content, err := plain(name)
		if name == path {
			if err := os.WriteFile(path, append(content, ' '), 0o644); err != nil {
				t.Error(err)
			}
		}
		return content, err
	}
}

func TestAFileThatChangesMeanwhileIsReadOnceMore(t *testing.T) {
	t.Parallel()
	c := newComputer(t)
	path := c.write(t, ".cursor/mcp.json", "{}")
	edits := c.edits(t, "cursor")
	c.write(t, ".cursor/mcp.json", `{"theme": "dark"}`)
	if err := aiclients.Write(t.Context(), edits); err != nil {
		t.Fatal(err)
	}
	if after := read(t, path); !strings.Contains(after, `"theme": "dark"`) || !strings.Contains(after, "demo") {
		t.Errorf("the file is\n%s", after)
	}
}

func TestAFileThatKeepsChangingIsLeftAlone(t *testing.T) {
	t.Parallel()
	c := newComputer(t)
	path := c.write(t, ".cursor/mcp.json", "{}")
	other := c.write(t, ".gemini/settings.json", "{}")
	before := c.files(t)
	c.keepsChanging(t, path)
	err := aiclients.Write(t.Context(), c.edits(t, "gemini", "cursor"))
	if err == nil || err.Error() != path+" keeps changing, probably by Cursor; quit that, and run the command again" {
		t.Errorf("the error is %v", err)
	}
	if after := strings.TrimSpace(read(t, path)); after != "{}" {
		t.Errorf("the file is\n%s", after)
	}
	if after := read(t, other); after != "{}" {
		t.Errorf("the file of another client, written before, is\n%s", after)
	}
	if after := c.files(t); !slices.Equal(after, before) {
		t.Errorf("the files are\n%v, want\n%v", after, before)
	}
}

func TestAFileThatAppearsMeanwhileIsEdited(t *testing.T) {
	t.Parallel()
	c := newComputer(t)
	edits := c.edits(t, "cursor")
	path := c.write(t, ".cursor/mcp.json", `{"theme": "dark"}`)
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := aiclients.Write(t.Context(), edits); err != nil {
		t.Fatal(err)
	}
	if after := read(t, path); !strings.Contains(after, `"theme": "dark"`) || !strings.Contains(after, "demo") {
		t.Errorf("the file is\n%s", after)
	}
	if backup := read(t, path+".mcp.bak"); backup != `{"theme": "dark"}` || edits[0].Backup != path+".mcp.bak" {
		t.Errorf("the backup %s is\n%s", edits[0].Backup, backup)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 && runtime.GOOS != "windows" {
		t.Errorf("the file has %v, %v, want the mode that it appeared with", info.Mode(), err)
	}
}

func TestAFileThatAppearsMeanwhileIsRestored(t *testing.T) {
	t.Parallel()
	c := newComputer(t)
	failing := c.write(t, ".gemini/settings.json", "{}")
	c.keepsChanging(t, failing)
	edits := c.edits(t, "cursor", "gemini")
	path := c.write(t, ".cursor/mcp.json", `{"theme": "dark"}`)
	if err := aiclients.Write(t.Context(), edits); err == nil {
		t.Fatal("a file that keeps changing is written")
	}
	if after := read(t, path); after != `{"theme": "dark"}` {
		t.Errorf("the file is\n%s", after)
	}
}

// A file that is written in its place is empty or cut off for a moment.
func TestAClientThatReadsItsFileMeanwhileReadsAllOfIt(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows replaces no file that is open; run on Linux: go test ./internal/cli/aiclients")
	}
	c := newComputer(t)
	reading, err := os.Open(c.write(t, ".cursor/mcp.json", `{"theme": "dark"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reading.Close() }()
	c.install(t, "cursor")
	if content, err := io.ReadAll(reading); string(content) != `{"theme": "dark"}` || err != nil {
		t.Errorf("the client reads %s, %v", content, err)
	}
}

// Another program, or another mcp install, may have added the same entry.
func TestAnEntryThatAppearsMeanwhileIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	c := newComputer(t)
	path := c.write(t, ".cursor/mcp.json", "{}")
	edits := c.edits(t, "cursor")
	if err := os.WriteFile(path, edits[0].After, 0o644); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := aiclients.Write(t.Context(), edits); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if edits[0].Action != aiclients.Unchanged || edits[0].Backup != "" || !os.SameFile(before, after) {
		t.Errorf("the action is %s, the backup is %q, and the file is the same one: %v", edits[0].Action, edits[0].Backup, os.SameFile(before, after))
	}
	if files := c.files(t); slices.Contains(files, "/.cursor/mcp.json.mcp.bak") {
		t.Errorf("the files are %v", files)
	}
}

func TestAFailureKeepsTheOlderBackupAndMakesNoFolders(t *testing.T) {
	t.Parallel()
	c := newComputer(t)
	failing := c.write(t, ".gemini/settings.json", "{}")
	c.keepsChanging(t, failing)
	path := c.write(t, ".cursor/mcp.json", "{}")
	backup := c.write(t, ".cursor/mcp.json.mcp.bak", "an older backup")
	before := c.files(t)
	if err := aiclients.Write(t.Context(), c.edits(t, "cursor", "zed", "cline", "vscode", "gemini")); err == nil {
		t.Fatal("a file that keeps changing is written")
	}
	if got := read(t, path); got != "{}" {
		t.Errorf("the file is\n%s", got)
	}
	if got := read(t, backup); got != "an older backup" {
		t.Errorf("the backup is\n%s", got)
	}
	if after := c.files(t); !slices.Equal(after, before) {
		t.Errorf("the files are\n%v, want\n%v", after, before)
	}
}

// Undoing an edit keeps the changes that a client made after it.
func TestAFileThatChangedAfterItsEditIsNotRestored(t *testing.T) {
	t.Parallel()
	c := newComputer(t)
	path := c.write(t, ".cursor/mcp.json", "{}")
	failing := c.write(t, ".gemini/settings.json", "{}")
	edits := c.edits(t, "cursor")
	c.keepsChanging(t, failing)
	changing := c.Read
	c.Read = func(name string) ([]byte, error) {
		if content := read(t, path); name == failing && strings.Contains(content, "demo") {
			c.write(t, ".cursor/mcp.json", content+"// newer\n")
		}
		return changing(name)
	}
	err := aiclients.Write(t.Context(), append(edits, c.edits(t, "gemini")...))
	if err == nil || !strings.Contains(err.Error(), path+", the file of Cursor, changed after its edit") || strings.Contains(err.Error(), "\n") {
		t.Errorf("the error is %v", err)
	}
	if after := read(t, path); !strings.Contains(after, "// newer") {
		t.Errorf("the file is\n%s", after)
	}
}

func TestTheCopyOfAFileThatCantBeRestoredStays(t *testing.T) {
	t.Parallel()
	c := newComputer(t)
	path := c.write(t, ".cursor/mcp.json", "{}")
	failing := c.write(t, ".gemini/settings.json", "{}")
	c.keepsChanging(t, failing)
	changing := c.Read
	c.Read = func(name string) ([]byte, error) {
		content, err := changing(name)
		if name == path && strings.Contains(string(content), "demo") { // a folder takes the place of the edited file
			if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o755)); err != nil {
				t.Error(err)
			}
			c.write(t, ".cursor/mcp.json/x", "")
		}
		return content, err
	}
	err := aiclients.Write(t.Context(), c.edits(t, "cursor", "gemini"))
	if err == nil || !strings.Contains(err.Error(), path+", the file of Cursor, can't be restored: ") || strings.Contains(err.Error(), "\n") {
		t.Fatalf("the error is %v", err)
	}
	copied := err.Error()[strings.LastIndex(err.Error(), " ")+1:]
	if filepath.Dir(copied) != filepath.Dir(path) || read(t, copied) != "{}" {
		t.Errorf("the error names the copy %s, of\n%s", copied, read(t, copied))
	}
}

func TestTheModeOfABackupIsThatOfTheFile(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has other modes; run on Linux: go test ./internal/cli/aiclients")
	}
	c := newComputer(t)
	path := c.write(t, ".cursor/mcp.json", "{}")
	if err := os.Chmod(path, 0o666); err != nil { // more than the umask leaves to a new file
		t.Fatal(err)
	}
	edit := c.install(t, "cursor")
	if info, err := os.Stat(edit.Backup); err != nil || info.Mode().Perm() != 0o666 {
		t.Errorf("the backup has %v, %v, want the mode 0666", info.Mode(), err)
	}
}

func TestNothingIsWrittenIfOneFileCantBe(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has other links; run on Linux: go test ./internal/cli/aiclients")
	}
	c := newComputer(t)
	path := c.write(t, ".gemini/settings.json", "{}")
	if err := os.Symlink("nowhere/at/all", filepath.Join(c.Home, ".cursor")); err != nil {
		t.Fatal(err)
	}
	before := c.files(t)
	err := aiclients.Write(t.Context(), c.edits(t, "gemini", "zed", "cursor"))
	file := filepath.Join(c.Home, ".cursor")
	want := fmt.Sprintf("%s/mcp.json, the file of Cursor, can't be written: mkdir %s: file exists; correct that, or add the entry yourself (--print shows it)", file, file)
	if err == nil || err.Error() != want {
		t.Errorf("the error is\n%v, want\n%s", err, want)
	}
	if after := c.files(t); !slices.Equal(after, before) || read(t, path) != "{}" {
		t.Errorf("the files are\n%v, want\n%v; that of Gemini CLI is\n%s", after, before, read(t, path))
	}
}

// The root user of a test may do everything, but not in /proc.
func TestAFolderThatCantBeWrittenIsNamed(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has such a folder; run there: go test ./internal/cli/aiclients")
	}
	c := newComputer(t)
	c.write(t, ".cursor/x", "")
	file := filepath.Join(c.Home, ".cursor", "mcp.json")
	if err := os.Symlink("/proc/mcp.json", file); err != nil {
		t.Fatal(err)
	}
	before := c.files(t)
	err := aiclients.Write(t.Context(), c.edits(t, "zed", "cursor"))
	want := file + ", the file of Cursor, can't be written in the folder /proc: no such file or directory; correct that, or add the entry yourself (--print shows it)"
	if err == nil || err.Error() != want {
		t.Errorf("the error is\n%v, want\n%s", err, want)
	}
	if after := c.files(t); !slices.Equal(after, before) {
		t.Errorf("the files are\n%v, want\n%v", after, before)
	}
}

func TestAFileThatCantBeReadIsNamed(t *testing.T) {
	t.Parallel()
	c := newComputer(t)
	file := c.write(t, ".cursor/mcp.json", "{}")
	c.Read = func(path string) ([]byte, error) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
	}
	is := file + ", the file of Cursor, can't be read: permission denied; correct that, or "
	if _, err := find(t, "cursor").Install(c.System, aiclients.User, "", "demo", c.server, c.app); err == nil || err.Error() != is+"add the entry yourself (--print shows it)" {
		t.Errorf("mcp install says %v", err)
	}
	if _, err := find(t, "cursor").Uninstall(c.System, aiclients.User, "", "", c.app); err == nil || err.Error() != is+"remove the entry yourself" {
		t.Errorf("mcp uninstall says %v", err)
	}
}
