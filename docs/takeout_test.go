package docs_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var takeout = flag.Bool("takeout", false, "take features out and see their tests fail; about ten seconds each")

// A feature is something that can be taken out of the code: testdata/takeouts has files for each row of docs/parity.md, such as M44.txtar
// and M44-server.txtar, and in them a section for each feature. The section names a test that has to fail, then the lines of a file and
// what stands in their place:
//
//	-- What is missing --
//	fails: framework/mcp.TestOfIt
//	file: framework/mcp/app.go
//	out:
//		lines of the file
//	in:
//		other lines, or none
//
// A section may change several files, or one in several places.
type feature struct {
	row, name string
	tests     []string
	edits     []edit
}

type edit struct{ file, out, in string }

func (f *feature) line(part, line string) (next string, err error) {
	text := strings.TrimSuffix(line, "\n")
	last := len(f.edits) - 1
	switch {
	case strings.HasPrefix(text, "fails: "):
		f.tests = append(f.tests, strings.TrimPrefix(text, "fails: "))
	case strings.HasPrefix(text, "file: "):
		f.edits = append(f.edits, edit{file: strings.TrimPrefix(text, "file: ")})
	case last < 0:
		return part, fmt.Errorf("%q belongs to no file", text)
	case text == "out:" || text == "in:":
		return text, nil
	case part == "out:":
		f.edits[last].out += line
	case part == "in:":
		f.edits[last].in += line
	case text != "":
		return part, fmt.Errorf("%q belongs to no part", text)
	}
	return part, nil
}

func features(t *testing.T) (found []feature) {
	t.Helper()
	files, err := filepath.Glob("testdata/takeouts/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		row, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(name), ".txtar"), "-")
		for _, section := range archive.Files {
			taken := feature{row: row, name: section.Name}
			part := ""
			for line := range strings.Lines(string(section.Data)) {
				if strings.HasPrefix(line, "file: ") {
					part = ""
				}
				if part, err = taken.line(part, line); err != nil {
					t.Errorf("%s, %q: %v", name, section.Name, err)
				}
			}
			found = append(found, taken)
		}
	}
	return found
}

// without returns the files as they are without the feature, by their path from the root.
func (f *feature) without() (map[string]string, error) {
	changed := map[string]string{}
	for _, edit := range f.edits {
		text, ok := changed[edit.file]
		if !ok {
			source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(edit.file)))
			if err != nil {
				return nil, err
			}
			text = string(source)
		}
		if n := strings.Count(text, edit.out); n != 1 || edit.out == "" {
			return nil, fmt.Errorf("%s has these lines %d times, want once:\n%s", edit.file, n, edit.out)
		}
		changed[edit.file] = strings.Replace(text, edit.out, edit.in, 1)
	}
	if len(changed) == 0 {
		return nil, fmt.Errorf("no file is changed")
	}
	return changed, nil
}

// Every row that has tests has features to take out, they are there, and each names a test of its row.
func TestFeaturesThatCanBeTakenOutAreThere(t *testing.T) {
	t.Parallel()
	of := map[string][]string{}
	for _, feature := range features(t) {
		of[feature.row] = append(of[feature.row], feature.tests...)
		if _, err := feature.without(); err != nil {
			t.Errorf("%s, %q: %v", feature.row, feature.name, err)
		}
		if len(feature.tests) == 0 {
			t.Errorf("%s, %q: no test that fails is named", feature.row, feature.name)
		}
	}
	for _, row := range parityRows(t) {
		if namedTest.MatchString(row.proof) && len(of[row.name]) == 0 {
			t.Errorf("%s has tests, but testdata/takeouts has no feature of it", row.name)
		}
		for _, test := range of[row.name] {
			if !strings.Contains(row.proof, "`"+test+"`") {
				t.Errorf("a feature of %s names the test %s, which docs/parity.md does not name there", row.name, test)
			}
		}
	}
}

// Without a feature, its test fails. This is slow, so it is asked for: make takeout, or make takeout ROW=M01.
func TestTakenOutFeaturesFailTheirTests(t *testing.T) {
	t.Parallel()
	if !*takeout {
		t.Skip("takes features out of the code, for forty minutes in all: make takeout, or go test ./docs -run TakenOut/M01 -takeout for one row")
	}
	for _, feature := range features(t) {
		t.Run(feature.row+"/"+feature.name, func(t *testing.T) {
			t.Parallel()
			changed, err := feature.without()
			if err != nil {
				t.Fatal(err)
			}
			overlay := overlayOf(t, changed)
			for _, test := range feature.tests {
				failsWith(t, overlay, test)
			}
		})
	}
}

// overlayOf writes the files and the list that makes the go command take them for those of the repository.
func overlayOf(t *testing.T, changed map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	replace := map[string]string{}
	for name, text := range changed {
		original, err := filepath.Abs(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		replace[original] = filepath.Join(folder, fmt.Sprintf("%d_%s", len(replace), path.Base(name)))
		if err := os.WriteFile(replace[original], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(overlay, list, 0o600); err != nil {
		t.Fatal(err)
	}
	return overlay
}

// overlaid are the files that stand in the place of others while a feature is taken out. The go command knows them by itself; a test that
// reads files of the repository asks here.
var overlaid = sync.OnceValue(func() map[string]string {
	_, flags, _ := strings.Cut(os.Getenv("GOFLAGS"), "-overlay=")
	overlay, _, _ := strings.Cut(flags, " ")
	var list struct{ Replace map[string]string }
	if text, err := os.ReadFile(overlay); err == nil {
		if err := json.Unmarshal(text, &list); err != nil {
			panic(err)
		}
	}
	return list.Replace
})

// failsWith reports an error unless the test, named as in docs/parity.md, builds and fails with the overlay.
func failsWith(t *testing.T, overlay, test string) {
	t.Helper()
	match := namedTest.FindStringSubmatch("`" + test + "`")
	if match == nil {
		t.Fatalf("%s is not written as package.Function", test)
	}
	module, folder := moduleOf(match[1])
	pattern := "^" + match[2] + "$"
	if match[3] != "" {
		pattern += "/^" + match[3] + "$"
	}
	command := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-vet=off", "-timeout=90s", "-run", pattern, "./"+folder)
	command.Dir = filepath.Join(root, filepath.FromSlash(module))
	// In the environment it also reaches the go commands that a test runs.
	command.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -overlay="+overlay)
	out, err := command.CombinedOutput()
	switch {
	case err == nil:
		t.Errorf("%s passes without it:\n%s", test, out)
	case regexp.MustCompile(`(?m)^FAIL\t\S+ \[(build|setup) failed\]`).Match(out): // at the margin: a test may build something itself
		t.Errorf("%s does not build without it:\n%s", test, out)
	}
}

// moduleOf splits the path of a package into that of its module and the rest.
func moduleOf(folder string) (module, rest string) {
	parts := strings.Split(folder, "/")
	for n := range slices.Backward(parts) {
		module := path.Join(parts[:n+1]...)
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(module), "go.mod")); err == nil {
			return module, path.Join(parts[n+1:]...)
		}
	}
	return ".", folder
}
