package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const tested = `package a

var limit = 1 + 1

func (s *set[T]) Add(n int) bool {
	if n < limit {
		return false
	}
	return true
}

func wait() {
	for {
		break
	}
}
`

const gremlins = `Starting...
Gathering coverage... 
done in 1.5s
 NOT COVERED ARITHMETIC_BASE at a.go:3:15
       LIVED CONDITIONALS_BOUNDARY at a.go:6:7
      KILLED CONDITIONALS_NEGATION at a.go:6:7
   TIMED OUT INVERT_LOOPCTRL at a.go:14:3
  NOT VIABLE INVERT_LOGICAL at a.go:14:3
`

const ended = `
Mutation testing completed in 12 seconds 305 milliseconds
Killed: 1, Lived: 1, Not covered: 1
`

// reported runs the program in a folder with the package a, and returns its exit code and what it
// prints.
func reported(t *testing.T, listed, log string) (code int, out string) {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{"a.go": tested, "log": log} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var stdout, stderr bytes.Buffer
	code = run([]string{folder + "=" + filepath.Join(folder, "log")}, strings.ReplaceAll(listed, "FOLDER", folder), &stdout, &stderr)
	return code, strings.ReplaceAll(stdout.String()+stderr.String(), folder, "FOLDER")
}

func TestAMutantThatLivesIsAFailure(t *testing.T) {
	t.Parallel()
	code, out := reported(t, "", gremlins+ended)
	const want = `  package  mutants  killed  lived  timed out  not covered  not viable  efficacy                                time
   FOLDER        5       1      1          1            1           1    50.0 %  12 seconds 305 milliseconds
FOLDER/a.go:14:3 wait INVERT_LOOPCTRL timed out
FOLDER/a.go:6:7 set.Add CONDITIONALS_BOUNDARY LIVED
`
	if code != 1 || compact(out) != compact(want) {
		t.Errorf("it exits with %d and prints\n%s", code, out)
	}
}

// compact returns a text with single spaces, since the width of the table depends on the folder.
func compact(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(lines, "\n")
}

func TestListedMutantsMayLive(t *testing.T) {
	t.Parallel()
	code, out := reported(t, "# a comment\n\nFOLDER set.Add CONDITIONALS_BOUNDARY 1: nobody adds the limit\n", gremlins+ended)
	if code != 0 || !strings.HasSuffix(out, "set.Add CONDITIONALS_BOUNDARY lived: nobody adds the limit\n") {
		t.Errorf("it exits with %d and prints\n%s", code, out)
	}
	more := gremlins + "       LIVED CONDITIONALS_BOUNDARY at a.go:9:2\n" + ended
	if code, out := reported(t, "FOLDER set.Add CONDITIONALS_BOUNDARY 1: nobody adds the limit\n", more); code != 1 || strings.Count(out, "LIVED") != 2 {
		t.Errorf("if more live than are listed, it exits with %d and prints\n%s", code, out)
	}
}

func TestEntriesInVainAreReported(t *testing.T) {
	t.Parallel()
	const list = "FOLDER set.Add CONDITIONALS_BOUNDARY 2: nobody adds the limit\nFOLDER wait INVERT_LOOPCTRL 1: nobody waits\nelsewhere wait INVERT_LOOPCTRL 1: nobody waits\n"
	code, out := reported(t, list, gremlins+ended)
	if code != 0 || strings.Count(out, "equivalent.txt has") != 2 || !strings.Contains(out, "FOLDER set.Add CONDITIONALS_BOUNDARY 2, but") ||
		!strings.Contains(out, "FOLDER wait INVERT_LOOPCTRL 1, but") {
		t.Errorf("it exits with %d and prints\n%s", code, out)
	}
}

func TestARunThatDoesntFinishIsAFailure(t *testing.T) {
	t.Parallel()
	for _, log := range []string{"", strings.ReplaceAll(gremlins, "LIVED", "KILLED")} {
		code, out := reported(t, "FOLDER wait INVERT_LOOPCTRL 1: nobody waits\n", log)
		if code != 1 || !strings.Contains(out, "FOLDER: gremlins didn't finish") || strings.Contains(out, "equivalent.txt") {
			t.Errorf("it exits with %d and prints\n%s", code, out)
		}
	}
}

func TestTheListIsReadStrictly(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"a b C", "a b C 0: why", "a b C 1:", "a b C 1: why\na b C 2: why not"} {
		if code, out := reported(t, line, gremlins+ended); code != 2 || !strings.Contains(out, "the list of equivalent mutants has") {
			t.Errorf("%q: it exits with %d and prints\n%s", line, code, out)
		}
	}
	if _, err := readEquivalents(listed); err != nil {
		t.Error(err)
	}
}

func TestArgumentsAreRefused(t *testing.T) {
	t.Parallel()
	for _, arg := range []string{"internal/a", "internal/a=missing"} {
		var stdout, stderr bytes.Buffer
		if code := run([]string{arg}, "", &stdout, &stderr); code != 2 || stderr.Len() == 0 {
			t.Errorf("mutants %s exits with %d:\n%s%s", arg, code, stdout.Bytes(), stderr.Bytes())
		}
	}
}
