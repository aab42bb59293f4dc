// Mutants reports which mistakes the tests of a package wouldn't notice, for .ci/mutate.
//
//	go run ./docs/mutants PACKAGE-FOLDER=LOG...
//
// Each log is what gremlins printed for the package. gremlins makes mutants: copies of the
// package with one small mistake, such as < instead of <=. A mutant is killed if a test of the
// package fails, and lives if none does. A mutant that times out was noticed if it loops forever,
// and wasn't if the machine was busy.
//
// The file equivalent.txt lists mutants that no test can kill, with the reason. Mutants exits with
// 1 if others live, or if gremlins didn't finish. It also reports what the list has in vain.
package main

import (
	_ "embed"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

//go:embed equivalent.txt
var listed string

func main() {
	os.Exit(run(os.Args[1:], listed, os.Stdout, os.Stderr))
}

// run reports on the logs and returns the exit code.
func run(args []string, listed string, stdout, stderr io.Writer) int {
	known, err := readEquivalents(listed)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "mutants:", err)
		return 2
	}
	var reports []report
	for _, arg := range args {
		folder, log, ok := strings.Cut(arg, "=")
		if !ok {
			_, _ = fmt.Fprintf(stderr, "mutants: %q has no =; use PACKAGE-FOLDER=LOG\n", arg)
			return 2
		}
		read, err := readReport(folder, log)
		if err != nil {
			_, _ = fmt.Fprintln(stderr, "mutants:", err)
			return 2
		}
		reports = append(reports, read)
	}
	printTable(stdout, reports)
	code := 0
	for _, report := range reports {
		if !report.finished() {
			_, _ = fmt.Fprintf(stdout, "%s: gremlins didn't finish; give it more time with LIMIT, in seconds, or see what it printed\n", report.folder)
			code = 1
		}
		for _, mutant := range report.with(timedOut) {
			_, _ = fmt.Fprintf(stdout, "%s timed out\n", mutant)
		}
		for _, mutant := range report.with(lived) {
			reasons := reasonsFor(known, mutant, report.with(lived))
			if reasons == "" {
				code = 1
				_, _ = fmt.Fprintf(stdout, "%s LIVED\n", mutant)
			} else {
				_, _ = fmt.Fprintf(stdout, "%s lived: %s\n", mutant, reasons)
			}
		}
		for _, entry := range inVain(known, report) {
			_, _ = fmt.Fprintf(stdout, "docs/mutants/equivalent.txt has %s, but not as many live; correct the number, or remove it\n", entry)
		}
	}
	return code
}

// printTable prints a line for each report.
func printTable(w io.Writer, reports []report) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(table, "package\tmutants\tkilled\tlived\ttimed out\tnot covered\tnot viable\tefficacy\ttime\t")
	for _, r := range reports {
		row := []any{r.folder, len(r.mutants)}
		for _, status := range []string{killed, lived, timedOut, notCovered, notViable} {
			row = append(row, len(r.with(status)))
		}
		row = append(row, r.efficacy(), r.time())
		_, _ = fmt.Fprintf(table, strings.Repeat("%v\t", len(row))+"\n", row...)
	}
	_ = table.Flush()
}

// reasonsFor returns why a mutant may live, or "" if it may not. An entry for fewer mutants than
// live excuses none, since nobody knows which it means.
func reasonsFor(known []equivalent, m mutant, all []mutant) string {
	i := slices.IndexFunc(known, func(e equivalent) bool { return e.matches(m) })
	if i < 0 || count(known[i], all) > known[i].number {
		return ""
	}
	return known[i].reason
}
