package jsonschema_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/json/jsonschema"
)

// refusedGroups maps the groups of the suite whose schemas Compile refuses to the errors. The
// package comment has the reasons.
var refusedGroups = map[string]string{
	"vocabulary.json/schema that uses custom metaschema with with no validation vocabulary": "the dialect",
	"vocabulary.json/ignore unrecognized optional vocabulary":                               "the dialect",
}

// TestOfficialSuite runs every required test of the official suite for draft 2020-12.
func TestOfficialSuite(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/suite/draft2020-12/*.json")
	if err != nil {
		t.Fatal(err)
	}
	remotes := suiteRemotes(t)
	ran, refused := 0, 0
	for _, file := range files {
		var groups []struct {
			Description string
			Schema      json.RawMessage
			Tests       []struct {
				Description string
				Data        json.RawMessage
				Valid       bool
			}
		}
		if err := json.Unmarshal(readSuite(t, file), &groups); err != nil {
			t.Fatal(err)
		}
		for _, group := range groups {
			name := filepath.Base(file) + "/" + group.Description
			v, problems := jsonschema.Compile(group.Schema, jsonschema.Options{Remotes: remotes})
			if problems != nil || refusedGroups[name] != "" {
				refused += len(group.Tests)
				if want := refusedGroups[name]; want == "" || len(problems) == 0 || !strings.Contains(problems[0].Problem, want) {
					t.Errorf("%s: Compile() = %v, want a problem about %q", name, problems, want)
				}
				continue
			}
			for _, test := range group.Tests {
				ran++
				violations := v.Validate(test.Data)
				if (violations == nil) != test.Valid {
					t.Errorf("%s/%s: Validate(%s) = %v, want valid = %v", name, test.Description, test.Data, violations, test.Valid)
				}
			}
		}
	}
	if ran != 1250 || refused != 5 {
		t.Errorf("ran %d tests and refused %d, want 1250 and 5", ran, refused)
	}
}

// suiteRemotes returns the documents to which the suite refers, by their URIs.
func suiteRemotes(t *testing.T) map[string][]byte {
	t.Helper()
	remotes := map[string][]byte{}
	for folder, base := range map[string]string{
		"testdata/suite/remotes":    "http://localhost:1234/",
		"testdata/suite/metaschema": "https://json-schema.org/draft/2020-12/",
	} {
		err := fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			uri := base + path
			if strings.HasPrefix(base, "https:") {
				uri = strings.TrimSuffix(uri, ".json")
			}
			remotes[uri] = readSuite(t, filepath.Join(folder, path))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return remotes
}

func readSuite(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
