package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/docs/source"
)

// The test isn't parallel, because it sets the environment.
func TestOneCallIsMeasured(t *testing.T) {
	temp := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP"} {
		t.Setenv(name, temp)
	}
	t.Setenv("APP_ADDR", "no address: settings of the app don't reach what is measured")
	var out, problems bytes.Buffer
	if code := run(t.Context(), []string{"-v"}, &out, &problems); code != 0 || problems.Len() > 0 {
		t.Fatalf("it exits with %d:\n%s", code, problems.Bytes())
	}
	const format = `(?m)^one warm tools/call runs (\d+) functions in (\d+) files of (\d+) packages\n` +
		`the longest function has (\d+) lines: \S+ \((\S+\.go):(\d+)\)\n\z`
	match := regexp.MustCompile(format).FindStringSubmatch(out.String())
	if match == nil {
		t.Fatalf("it reports:\n%s", out.Bytes())
	}
	listed := regexp.MustCompile(`(?m)^((\w+/\S+)/\w+\.go):\d+: \S+ \(\d+ lines\)$`).FindAllStringSubmatch(out.String(), -1)
	var files, packages []string
	for _, line := range listed {
		files, packages = append(files, line[1]), append(packages, line[2])
	}
	if !slices.IsSorted(files) {
		t.Errorf("the list isn't ordered by file: %q", files)
	}
	files, packages = slices.Compact(files), slices.Compact(packages)
	got := match[1:4]
	if want := []string{strconv.Itoa(len(listed)), strconv.Itoa(len(files)), strconv.Itoa(len(packages))}; !slices.Equal(got, want) {
		t.Errorf("it counts %q functions, files and packages, but lists %q", got, want)
	}
	if n := len(listed); n < 20 || n > 400 {
		t.Errorf("it lists %d functions", n)
	}
	for _, folder := range []string{"framework/mcp", "framework/tools", "internal/json/jsonrpc", "internal/engine/protocol", "internal/engine/transport"} {
		if !slices.Contains(packages, folder) {
			t.Errorf("no function of %s runs, only some of %q", folder, packages)
		}
	}
	if left, err := filepath.Glob(filepath.Join(temp, "*")); err != nil || len(left) > 0 {
		t.Errorf("it leaves %q behind, %v", left, err)
	}
}

func TestArgumentsAreRefused(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"echo"}, {"-wide"}} {
		var out, problems bytes.Buffer
		if code := run(t.Context(), args, &out, &problems); code != 2 || out.Len() > 0 || problems.Len() == 0 {
			t.Errorf("road %q exits with %d:\n%s%s", args, code, out.Bytes(), problems.Bytes())
		}
	}
}

func TestExceededLimitsAreReported(t *testing.T) {
	t.Parallel()
	call := road{
		{source.Function{Name: "Begin", Line: 3, Length: 9}, "internal/a/a.go"},
		{source.Function{Name: "T.End", Line: 12, Length: 61}, "internal/a/b.go"},
		{source.Function{Name: "T.again", Line: 80, Length: 2}, "internal/a/b.go"},
	}
	for _, test := range []struct {
		limits limits
		want   string
	}{
		{limits{}, ""},
		{limits{functions: 3, files: 2, longest: 61}, ""},
		{limits{functions: 2}, "the call runs 3 functions; the limit is 2"},
		{limits{files: 1, longest: 60}, "the call runs through 2 files; the limit is 1\nT.End (internal/a/b.go:12) has 61 lines; the limit is 60"},
	} {
		if got := strings.Join(call.exceeded(test.limits), "\n"); got != test.want {
			t.Errorf("%+v: got\n%s\nwant\n%s", test.limits, got, test.want)
		}
	}
}

func TestFunctionsThatRanAreFound(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	const text = `package a

var pool = func() int {
	return 1
}

func Begin() {
	func() {
		End[int]{}.Now(
			1,
		)
	}()
}

func idle() {}

func (e *End[T]) Now(
	int,
) int {
	return 2
}

func never() {
	panic(1)
}
`
	file := filepath.Join(folder, "internal", "a", "a.go")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := attribute(`example.com/m/internal/a/a.go:19:	Now		50.0%
example.com/m/internal/a/a.go:3:	pool.func1		100.0%
example.com/m/internal/a/a.go:7:	Begin		100.0%
example.com/m/internal/a/a.go:15:	idle		0.0%
example.com/m/internal/a/a.go:23:	never		0.0%
example.com/m/app/a.go:1:	Handle		100.0%
example.com/other/internal/a.go:1:	Begin		100.0%
total				(statements)	70.0%`, "example.com/m", folder)
	want := road{
		{source.Function{Name: "Begin", Line: 7, Length: 7}, "internal/a/a.go"},
		{source.Function{Name: "End.Now", Line: 17, Length: 5}, "internal/a/a.go"},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
}

func TestInvalidCoverageIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := attribute("m/internal/a.go:1.2\n", "m", t.TempDir()); err == nil {
		t.Error("it is taken")
	}
}
