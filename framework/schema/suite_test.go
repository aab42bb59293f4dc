package schema_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/schema"
)

// The suite is not ours and is not copied: it is read where the module google/jsonschema-go carries it. Groups whose
// schema leaves the document or can't be bounded are refused, as they should be.
const refusedGroups = 25

// TestOfficialSuite runs the draft 2020-12 tests of the official suite.
func TestOfficialSuite(t *testing.T) {
	t.Parallel()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/jsonschema-go").Output()
	if err != nil || len(dir) == 0 {
		const message = "the module google/jsonschema-go is not in the module cache; run: go mod download"
		if os.Getenv("BOWLINE_CI") == "1" {
			t.Fatal(message)
		}
		t.Skip(message)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "jsonschema/testdata/draft2020-12/*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("the module google/jsonschema-go has no copy of the suite; look for where it carries it now")
	}
	ran, refused := 0, 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var groups []struct {
			Description string
			Schema      json.RawMessage
			Tests       []struct {
				Description string
				Data        json.RawMessage
				Valid       bool
			}
		}
		if err := json.Unmarshal(data, &groups); err != nil {
			t.Fatal(err)
		}
		for _, group := range groups {
			name := filepath.Base(file) + "/" + group.Description
			v, err := schema.Compile(group.Schema)
			if err != nil {
				refused++
				if !strings.Contains(err.Error(), "nothing is ever fetched") && !strings.Contains(err.Error(), "can't be bounded") {
					t.Errorf("%s: Compile() = %v", name, err)
				}
				continue
			}
			for _, test := range group.Tests {
				ran++
				if violations := v.Validate(test.Data); (violations == nil) != test.Valid {
					t.Errorf("%s/%s: Validate(%s) = %v, want valid = %v", name, test.Description, test.Data, violations, test.Valid)
				}
			}
		}
	}
	if ran < 1000 || refused != refusedGroups {
		t.Errorf("ran %d tests and refused %d groups, want at least 1000 and %d", ran, refused, refusedGroups)
	}
}
