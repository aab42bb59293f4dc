package resources_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/resources"
)

func TestFilesAreTextIfTheyLookLikeIt(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	files := fstest.MapFS{}
	for name, data := range map[string]string{
		"a.html": "<p>", "a.png": "\x89PNG", "broken.html": "\xff", "plain": "hello", "bytes": "\x00\x01", "empty": "", "data.json": "{}", "page.bin": "# Hi",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: []byte(data)}
	}
	for _, test := range []struct{ declared, name, want string }{
		{"", "a.html", text("text/html", `"<p>"`)},
		{"", "a.png", blob("image/png", "iVBORw==")},
		{"", "broken.html", blob("text/html", "/w==")},
		{"", "plain", text("text/plain", `"hello"`)},
		{"", "bytes", blob("application/octet-stream", "AAE=")},
		{"", "empty", text("text/plain", `""`)},
		{"", "data.json", text("application/json", `"{}"`)},
		{"text/markdown", "page.bin", text("text/markdown", `"# Hi"`)},
		{"application/x-mine", "plain", blob("application/x-mine", "aGVsbG8=")},
	} {
		definition := resources.Definition{MIMEType: test.declared}
		if got := wire(t, definition, must(resources.File(filepath.Join(folder, test.name)))); got != test.want {
			t.Errorf("File %s: got\n%s\nwant\n%s", test.name, got, test.want)
		}
		if got := wire(t, definition, must(resources.FSFile(files, test.name))); got != test.want {
			t.Errorf("FSFile %s: got\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

func TestAFileThatDoesNotExistIsNotFound(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, read := range map[string]func() (*resources.ReadResult, error){
		"a missing file":      func() (*resources.ReadResult, error) { return resources.File(filepath.Join(folder, "none")) },
		"a folder":            func() (*resources.ReadResult, error) { return resources.File(folder) },
		"missing in an FS":    func() (*resources.ReadResult, error) { return resources.FSFile(os.DirFS(folder), "none") },
		"a folder in an FS":   func() (*resources.ReadResult, error) { return resources.FSFile(os.DirFS(folder), ".") },
		"a name of no file":   func() (*resources.ReadResult, error) { return resources.FSFile(os.DirFS(folder), "../x") },
		"a name with slashes": func() (*resources.ReadResult, error) { return resources.FSFile(os.DirFS(folder), "a//b") },
	} {
		got, err := read()
		if got != nil || !errors.Is(err, exchange.ErrResourceNotFound) {
			t.Errorf("%s: got %v, %v", name, got, err)
			continue
		}
		if strings.Contains(err.Error(), folder) {
			t.Errorf("%s: the error tells the client where it looked: %v", name, err)
		}
	}
	if _, err := resources.File(filepath.Join(folder, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the cause is lost: %v", err)
	}
}

func TestARootKeepsPathsInItsFolder(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	inside := filepath.Join(outside, "inside")
	if err := errors.Join(os.Mkdir(inside, 0o700), os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600),
		os.Symlink("../secret", filepath.Join(inside, "link"))); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(inside)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	if got, err := resources.FSFile(root.FS(), "link"); err == nil {
		t.Errorf("got %v", got)
	}
}
