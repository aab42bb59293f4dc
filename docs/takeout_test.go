package docs_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bowline-mcp/bowline/docs/takeout"
)

var takeouts = flag.Bool("takeout", false, "take calls, conditions and statements out and see tests fail")

// takeoutList returns testdata/takeouts.txt, and the module with all of it taken out.
func takeoutList(t *testing.T) ([]takeout.Takeout, *takeout.Module) {
	t.Helper()
	list, err := takeout.Parse(read(t, "docs/testdata/takeouts.txt"))
	if err != nil {
		t.Fatalf("docs/testdata/takeouts.txt: %v", err)
	}
	module := takeout.NewModule(root)
	for _, line := range list {
		if err := module.Add(line); err != nil {
			t.Errorf("docs/testdata/takeouts.txt: %s\n\t%v", line, err)
		}
	}
	return list, module
}

func TestWhatIsTakenOutIsThere(t *testing.T) {
	t.Parallel()
	list, _ := takeoutList(t)
	if len(list) < 250 {
		t.Errorf("docs/testdata/takeouts.txt has %d takeouts, want about 300", len(list))
	}
	rows := parityRows(t)
	known := testFunctions{}
	for _, line := range list {
		if !slices.ContainsFunc(rows, func(row parityRow) bool { return row.name == line.Row }) {
			t.Errorf("docs/parity.md has no row %s, to which a takeout belongs: %s", line.Row, line)
		}
		if err := known.find(t, line.Test); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// Without what is taken out, a test fails that passes otherwise. This is slow, so it is asked for: make takeout, or make takeout ROW=M12.
// All takeouts are built into each test, and one of them is switched on at a time.
func TestWithoutWhatIsTakenOutATestFails(t *testing.T) {
	t.Parallel()
	if !*takeouts {
		t.Skip("runs a test for each takeout, for ten minutes in all: make takeout, or make takeout ROW=M12 for one row")
	}
	list, module := takeoutList(t)
	overlay, err := module.WriteOverlay(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tests := takeoutTests{overlay: overlay, folder: t.TempDir()}
	for _, line := range list {
		t.Run(line.ID, func(t *testing.T) {
			t.Parallel()
			if out, err := tests.whole(line.Test); err != nil {
				t.Fatalf("%s fails with nothing taken out: %v\n%s", line.Test, err, out)
			}
			if out, err := tests.run(line.Test, line.ID); err == nil {
				t.Errorf("the test passes without it: %s\n%s", line, out)
			}
		})
	}
}

// takeoutTests builds the tests of each package once, and runs single ones.
type takeoutTests struct {
	overlay, folder  string
	binaries, wholes sync.Map // of func() (string, error), by the package and by the test
}

// whole runs a test once with nothing taken out.
func (r *takeoutTests) whole(test string) (out string, err error) {
	once, _ := r.wholes.LoadOrStore(test, sync.OnceValues(func() (string, error) { return r.run(test, "") }))
	return once.(func() (string, error))()
}

// run runs a test, named as in docs/parity.md, without what the takeout of an ID takes out.
func (r *takeoutTests) run(test, id string) (out string, err error) {
	match := namedTest.FindStringSubmatch("`" + test + "`")
	folder, pattern := match[1], "^"+match[2]+"$"
	if match[3] != "" {
		pattern += "/^" + match[3] + "$"
	}
	once, _ := r.binaries.LoadOrStore(folder, sync.OnceValues(func() (string, error) { return r.build(folder) }))
	binary, err := once.(func() (string, error))()
	if err != nil {
		return binary, err
	}
	command := exec.Command(binary, "-test.run", pattern, "-test.timeout", "90s") //nolint:gosec // built above
	command.Dir = filepath.Join(root, filepath.FromSlash(folder))
	// A test may build programs, which then have the takeouts too.
	command.Env = append(os.Environ(), takeout.Variable+"="+id, "GOFLAGS="+os.Getenv("GOFLAGS")+" -overlay="+r.overlay)
	printed, err := command.CombinedOutput()
	return string(printed), err
}

// build returns the path of the tests of a package, or what the go command printed.
func (r *takeoutTests) build(folder string) (string, error) {
	binary := filepath.Join(r.folder, strings.ReplaceAll(folder, "/", "_")+".test")
	command := exec.Command("go", "test", "-c", "-vet=off", "-overlay="+r.overlay, "-o", binary, "./"+folder) //nolint:gosec // a package of the list
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		return string(out), err
	}
	return binary, nil
}
