package docs_test

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/authtest"
)

// The chapters of the tutorial are pages of the guide. A Go block that begins with the path of a file, such as "// app/notes/store.go", is that
// file of the app. A later chapter may replace it.
var chapters = []string{"tutorial-notes", "tutorial-login", "tutorial-deployment"}

// The tutorial's app, as a reader has it at the end, and as it is in this repository.
const tutorialApp, tutorialModule = "examples/notes", "github.com/bowline-mcp/bowline/examples/notes"

// tutorialFile returns the path and the text of the file that a block of the tutorial is. The path is "" if it is none.
func (b block) tutorialFile() (path, text string) {
	first, text, _ := strings.Cut(b.text, "\n")
	path, ok := strings.CutPrefix(first, "// ")
	if b.language != "go" || !ok || !strings.HasSuffix(path, ".go") || strings.Contains(path, " ") {
		return "", ""
	}
	return path, text
}

// inRepository returns a file of the tutorial's app as the repository has it, where the module has another name.
func inRepository(text string) string {
	return strings.ReplaceAll(text, "\t\"notes/", "\t\""+tutorialModule+"/")
}

// sameAsExample compares a file of the tutorial's app with the repository's, or writes that anew.
func sameAsExample(t *testing.T, path, text string) {
	t.Helper()
	file := filepath.Join(root, filepath.FromSlash(tutorialApp), filepath.FromSlash(path))
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, file, inRepository(text))
		return
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != inRepository(text) {
		t.Errorf("%v: %s/%s isn't the file that a reader of the tutorial has; to write it anew: go test ./docs -run FilesOfTheTutorial -update", err, tutorialApp, path)
	}
}

func TestTheExampleHasTheFilesOfTheTutorial(t *testing.T) {
	t.Parallel()
	last := map[string]string{"config/app.go": read(t, "stubs/app/config/app.go.stub")} // which mcp new writes
	for _, chapter := range chapters {
		found, document := 0, "docs/guide/"+chapter+".md"
		for _, b := range blocks(document, read(t, document)) {
			if path, text := b.tutorialFile(); path != "" {
				last[path] = text
				found++
			} else if b.language == "go" {
				t.Errorf("%s:%d: the block doesn't begin with the path of its file", document, b.line)
			}
		}
		if found == 0 {
			t.Errorf("%s has no files", document)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(last)) {
		sameAsExample(t, path, last[path])
	}
	err := filepath.WalkDir(filepath.Join(root, filepath.FromSlash(tutorialApp)), func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") {
			return err
		}
		path, err := filepath.Rel(filepath.Join(root, filepath.FromSlash(tutorialApp)), file)
		if _, ok := last[filepath.ToSlash(path)]; !ok {
			t.Errorf("no page of the tutorial has the file %s of %s", path, tutorialApp)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// logIn logs a user in as a client that knows only the URL of a route, and writes its access token. It is a process of its own, which has its
// own proxy and trusts its own certificates.
func logIn(route, user string, stdout io.Writer) {
	tokens := authtest.Login(process{}, route,
		url.Values{"name": {user}, "password": {"correct horse"}},
		url.Values{"decision": {"approve"}, "scope": {"mcp:use"}})
	_, _ = fmt.Fprintln(stdout, tokens.Access)
}

// A process is what authtest.Login has in place of a test.
type process struct{}

func (process) Helper()        {}
func (process) Cleanup(func()) {}
func (process) Fatal(args ...any) {
	_, _ = fmt.Fprintln(os.Stderr, args...)
	os.Exit(1)
}
