package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/test/gatetest"
)

// A takeout is one of the files of a generated store without a line, or without a part of one.
type takeout struct {
	what, file, content string
}

// TestAFieldForgottenInTheDatabaseFailsAGeneratedTest takes each line of SQL that names a field out of a generated store, and each of its
// arguments, and expects that a generated test fails. All of these stores are in one test binary.
func TestAFieldForgottenInTheDatabaseFailsAGeneratedTest(t *testing.T) {
	t.Parallel()
	gatetest.SkipUnlessNightly(t, "the script first_crud runs the generated tests")
	app := appOfSamples(t)
	const database, store = "app/samples/samplesdb", "app/samples"
	var program strings.Builder
	program.WriteString("package takeouts\n\nimport (\n\t\"testing\"\n\n")
	files := readAll(t, app, database+"/samplesdb.go", database+"/list.go", database+"/migrations/0001_create_samples.sql", store+"/samplestest/samplestest.go", store+"/store_test.go")
	all := takeoutsOf(files, database)
	for i, one := range all {
		name := fmt.Sprintf("t%03d", i)
		for path, content := range files {
			if path == one.file {
				content = one.content
			}
			to := strings.TrimPrefix(strings.TrimPrefix(path, store), "/")
			if to == "store_test.go" {
				to, content = "store.go", strings.Replace(content, "package samples_test", "package "+name, 1)
			}
			content = strings.NewReplacer(`crud/app/samples/samplestest"`, `crud/takeouts/`+name+`/samplestest"`, `crud/app/samples/samplesdb"`, `crud/takeouts/`+name+`/samplesdb"`).Replace(content)
			write(t, filepath.Join(app, "takeouts", name, to), content)
		}
	}
	built := red(t, app, len(all))
	tests := regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(files[store+"/store_test.go"], -1)
	var body strings.Builder
	for i := range all {
		name := fmt.Sprintf("t%03d", i)
		if built[name] {
			continue // it doesn't compile
		}
		fmt.Fprintf(&program, "\t%q\n", "github.com/bowline-mcp/bowline/examples/crud/takeouts/"+name)
		fmt.Fprintf(&body, "\tt.Run(%q, func(t *testing.T) {\n\t\tt.Parallel()\n", name)
		for _, test := range tests {
			fmt.Fprintf(&body, "\t\tt.Run(%q, %s.%s)\n", test[1], name, test[1])
		}
		body.WriteString("\t})\n")
	}
	write(t, filepath.Join(app, "takeouts", "takeouts_test.go"), program.String()+")\n\nfunc TestTakeouts(t *testing.T) {\n"+body.String()+"}\n")
	out, _ := inApp(app, "go", "test", "-count=1", "-v", "./takeouts").CombinedOutput()
	if !bytes.Contains(out, []byte("\n--- FAIL: TestTakeouts")) {
		t.Fatalf("the tests don't run: %s", out[:min(len(out), 3000)])
	}
	for _, passed := range regexp.MustCompile(`(?m)^    --- PASS: TestTakeouts/t(\d+) `).FindAllSubmatch(out, -1) {
		var i int
		if _, err := fmt.Sscan(strings.TrimLeft(string(passed[1]), "0")+" ", &i); err != nil {
			i = 0
		}
		t.Errorf("no generated test fails without %s", all[i].what)
	}
	t.Logf("%d takeouts, of which %d don't compile", len(all), len(built))
}

// appOfSamples returns the folder of examples/crud with records of each type.
func appOfSamples(t *testing.T) (app string) {
	t.Helper()
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	app = t.TempDir()
	if err := os.CopyFS(app, os.DirFS(filepath.Join(module, "examples/crud"))); err != nil {
		t.Fatal(err)
	}
	mod := readAll(t, app, "go.mod")["go.mod"]
	write(t, filepath.Join(app, "go.mod"), strings.Replace(mod, "=> ../..", "=> "+module, 1))
	fields := strings.Fields("title:string body:text,optional count:int price:number,optional done:bool due:date,optional starts:time ends:time,optional " +
		"status:enum=draft,published tags:strings ref:uuid link:url,optional mail:email author:owner")
	if out, err := inApp(app, "mcp", append([]string{"make:crud", "Sample", "--no-register"}, fields...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return app
}

// takeoutsOf returns the takeouts of the files of a store.
func takeoutsOf(files map[string]string, folder string) (all []takeout) {
	names := []string{"title", "body", "count", "price", "done", "due", "starts", "ends", "status", "tags", "ref", "link", "mail", "author"}
	named := regexp.MustCompile(`(?i)"(` + strings.Join(names, "|") + `)"|(record|input|query)\.(` + strings.Join(names, "|") + `)\b`)
	condition := regexp.MustCompile(` AND "author" = \$\d`)
	for path, content := range files {
		if !strings.HasPrefix(path, folder) {
			continue
		}
		lines := strings.SplitAfter(content, "\n")
		for i, line := range lines {
			if !named.MatchString(line) || strings.HasPrefix(line, "CREATE INDEX") { // which changes no answer
				continue
			}
			what := fmt.Sprintf("%s:%d: %s", path, i+1, strings.TrimSpace(line))
			without := slices.Delete(slices.Clone(lines), i, i+1)
			all = append(all, takeout{what, path, strings.Join(without, "")})
			if condition.MatchString(line) {
				without := slices.Clone(lines)
				without[i] = condition.ReplaceAllString(line, "")
				all = append(all, takeout{"the condition of " + what, path, strings.Join(without, "")})
			}
		}
	}
	slices.SortFunc(all, func(a, b takeout) int { return strings.Compare(a.what, b.what) })
	return all
}

// red compiles the takeouts, and returns those that don't compile.
func red(t *testing.T, app string, count int) map[string]bool {
	t.Helper()
	out, _ := inApp(app, "go", "build", "./takeouts/...").CombinedOutput()
	failed := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?m)^# \S+/takeouts/(t\d+)/`).FindAllSubmatch(out, -1) {
		failed[string(match[1])] = true
	}
	if len(failed) == count {
		t.Fatalf("no takeout compiles: %s", out)
	}
	return failed
}

func inApp(app, name string, args ...string) *exec.Cmd {
	command := exec.Command(name, args...)
	command.Dir = app
	return command
}

func readAll(t *testing.T, folder string, paths ...string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, path := range paths {
		content, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(path)))
		if err != nil {
			t.Fatal(err)
		}
		files[path] = string(content)
	}
	return files
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
