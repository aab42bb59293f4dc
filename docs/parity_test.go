package docs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A parityRow is a row of docs/parity.md.
type parityRow struct{ name, proof string }

func parityRows(t *testing.T) (rows []parityRow) {
	t.Helper()
	for _, match := range regexp.MustCompile(`(?m)^\| ([MT]\d\d) \| .+? \| (.+) \|$`).FindAllStringSubmatch(read(t, "docs/parity.md"), -1) {
		rows = append(rows, parityRow{match[1], match[2]})
	}
	return rows
}

// namedTest is a test as docs/parity.md names it: package, function, and a transcript
// or script that it plays.
var namedTest = regexp.MustCompile("`([^` ]+)\\.((?:Test|Fuzz|Example)\\w*)(?:/(\\w+))?`")

func TestParityHasEveryRowOnceAndInOrder(t *testing.T) {
	t.Parallel()
	var want, got []string
	for _, list := range []struct {
		letter string
		rows   int
	}{{"M", 55}, {"T", 34}} {
		for n := range list.rows {
			want = append(want, fmt.Sprintf("%s%02d", list.letter, n+1))
		}
	}
	for _, row := range parityRows(t) {
		got = append(got, row.name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("docs/parity.md has the rows\n%v\nwant\n%v", got, want)
	}
}

func TestParitySaysOfEveryRowHowItStands(t *testing.T) {
	t.Parallel()
	_, planned, _ := strings.Cut(read(t, "ROADMAP.md"), "\n## Next\n")
	later := regexp.MustCompile(`Later[^:.]*: ([^.]+)`)
	for _, row := range parityRows(t) {
		said := namedTest.MatchString(row.proof) || strings.Contains(row.proof, "Decided: [") || row.proof == "Open"
		for _, match := range later.FindAllStringSubmatch(row.proof, -1) {
			said = true
			for item := range strings.SplitSeq(match[1], ", ") {
				if !regexp.MustCompile(`(?m)^- (.*\. )?` + regexp.QuoteMeta(item) + `\b`).MatchString(planned) {
					t.Errorf("%s says later: %q, which is no item of ROADMAP.md that is still to come", row.name, item)
				}
			}
		}
		if !said {
			t.Errorf("%s names no test, no item of the roadmap and no decision: %s", row.name, row.proof)
		}
		if strings.Contains(row.proof, "Decided") && !strings.Contains(row.proof, "Decided: [") {
			t.Errorf("%s says that something is decided, but links no page that says why: %s", row.name, row.proof)
		}
		if spans, tests := strings.Count(row.proof, ".Test"), strings.Count(strings.Join(namedTest.FindAllString(row.proof, -1), " "), ".Test"); spans != tests {
			t.Errorf("%s has a test that is not written as `package.Function`: %s", row.name, row.proof)
		}
	}
}

func TestParityNamesTestsThatExist(t *testing.T) {
	t.Parallel()
	known := testFunctions{}
	for _, row := range parityRows(t) {
		tests := namedTest.FindAllStringSubmatch(row.proof, -1)
		if len(tests) > 5 {
			t.Errorf("%s names %d tests: choose five that prove it", row.name, len(tests))
		}
		for _, match := range tests {
			if err := known.find(t, strings.Trim(match[0], "`")); err != nil {
				t.Errorf("%s: %v", row.name, err)
			}
		}
	}
}

// testFunctions holds the functions in the test files of folders, by the folder.
type testFunctions map[string]map[string]bool

// find returns an error unless a test, named as in docs/parity.md, is there.
func (f testFunctions) find(t *testing.T, test string) error {
	t.Helper()
	match := namedTest.FindStringSubmatch("`" + test + "`")
	if match == nil {
		return fmt.Errorf("%s is not written as package.Function", test)
	}
	folder, function, part := match[1], match[2], match[3]
	if f[folder] == nil {
		f[folder] = testsOf(t, folder)
	}
	if !f[folder][function] {
		return fmt.Errorf("there is no test %s.%s", folder, function)
	}
	if part == "" {
		return nil
	}
	found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(folder), "testdata", "*", part+".txtar"))
	if err == nil && len(found) != 1 {
		err = fmt.Errorf("%s has not one %s.txtar", path.Join(folder, "testdata"), part)
	}
	return err
}

// testsOf returns the functions in the test files of a folder that package testing
// runs.
func testsOf(t *testing.T, folder string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(folder), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range parsed.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if ok && function.Recv == nil && function.Type.Params.NumFields() == map[bool]int{false: 1, true: 0}[strings.HasPrefix(function.Name.Name, "Example")] {
				found[function.Name.Name] = true
			}
		}
	}
	return found
}

// The suite is what proves conformance. A Go test can only see that the gate runs
// it, with lists that aren't empty, and that no failure is expected.
func TestTheGateRunsTheConformanceSuite(t *testing.T) {
	t.Parallel()
	if !strings.Contains(read(t, ".ci/run"), " peers/conformance/run.sh\n") {
		t.Error(".ci/run does not run peers/conformance/run.sh")
	}
	if !strings.Contains(read(t, ".ci/run"), " peers/conformance/authorization.sh\n") {
		t.Error(".ci/run does not run peers/conformance/authorization.sh")
	}
	authorization := read(t, "peers/conformance/authorization.sh")
	for _, want := range []string{"\nsuite public ", "\nserve OAUTH_PUBLIC_CLIENTS=false\nsuite confidential ", `: 2 scenarios, 3 checks passed, 0 failed, 0 warned"`} {
		if !strings.Contains(authorization, want) {
			t.Errorf("peers/conformance/authorization.sh has no %s", want)
		}
	}
	run := read(t, "peers/conformance/run.sh")
	for _, want := range []string{`--requirements "$version" --expected-failures required.yaml`, "2025-11-25 2026-07-28", "for route in guarded mcp", "--suite all --expected-failures later.yaml"} {
		if !strings.Contains(run, want) {
			t.Errorf("peers/conformance/run.sh has no %s", want)
		}
	}
	if required := entries(read(t, "peers/conformance/required.yaml")); !slices.Equal(required, []string{"server: []"}) {
		t.Errorf("peers/conformance/required.yaml expects failures: %v", required)
	}
	later := entries(read(t, "peers/conformance/later.yaml"))
	for _, scenario := range later[1:] {
		if !strings.HasPrefix(scenario, "- tasks-") {
			t.Errorf("peers/conformance/later.yaml expects a failure that is not for later: %s", scenario)
		}
	}
	if len(later) != 10 {
		t.Errorf("peers/conformance/later.yaml has %d scenarios, want nine", len(later)-1)
	}
}

// entries returns the lines of a list, without comments.
func entries(text string) (found []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			found = append(found, line)
		}
	}
	return found
}
