package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bowline-mcp/bowline/docs/source"
)

// What gremlins says of a mutant.
const (
	killed     = "KILLED"
	lived      = "LIVED"
	timedOut   = "TIMED OUT"
	notCovered = "NOT COVERED"
	notViable  = "NOT VIABLE" // it doesn't compile
)

// A mutant is a package with one mistake.
type mutant struct {
	folder   string // the path of the package, from the root of the module
	file     string // the name of the file in the folder
	line     int
	column   int
	function string // "Name", or "Receiver.Name"
	kind     string // the kind of the mistake
	status   string
}

// String returns where the mistake is, and its kind.
func (m mutant) String() string {
	return fmt.Sprintf("%s/%s:%d:%d %s %s", m.folder, m.file, m.line, m.column, m.function, m.kind)
}

// A report has the mutants of a package.
type report struct {
	folder  string
	mutants []mutant
	took    string // as gremlins says it, or "" if it didn't finish
}

func (r report) finished() bool { return r.took != "" }

// time returns how long gremlins ran.
func (r report) time() string { return cmp.Or(r.took, "not finished") }

// with returns the mutants with a status.
func (r report) with(status string) (found []mutant) {
	for _, m := range r.mutants {
		if m.status == status {
			found = append(found, m)
		}
	}
	return found
}

// efficacy returns the part of the mutants that were killed among those that were killed or lived.
func (r report) efficacy() string {
	k, l := len(r.with(killed)), len(r.with(lived))
	if k+l == 0 {
		return "none"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(k)/float64(k+l))
}

// readReport reads what gremlins printed for a package. It isn't read from the JSON of gremlins,
// which is missing if the time is up.
func readReport(folder, log string) (report, error) {
	data, err := os.ReadFile(log) //nolint:gosec // the user names it
	if err != nil {
		return report{}, err
	}
	r := report{folder: folder}
	files := map[string]source.Functions{}
	for _, match := range regexp.MustCompile(`(?m)^ *([A-Z ]+) ([A-Z_]+) at (\S+):(\d+):(\d+)$`).FindAllStringSubmatch(string(data), -1) {
		m := mutant{folder: folder, file: match[3], kind: match[2], status: match[1]}
		m.line, _ = strconv.Atoi(match[4])
		m.column, _ = strconv.Atoi(match[5])
		if files[m.file] == nil {
			if files[m.file], err = source.Read(filepath.Join(folder, m.file)); err != nil {
				return report{}, err
			}
		}
		m.function = "-"
		if found, ok := files[m.file].At(m.line); ok {
			m.function = found.Name
		}
		r.mutants = append(r.mutants, m)
	}
	slices.SortFunc(r.mutants, func(a, b mutant) int {
		return cmp.Or(strings.Compare(a.file, b.file), a.line-b.line, a.column-b.column, strings.Compare(a.kind, b.kind))
	})
	if match := regexp.MustCompile(`(?m)^Mutation testing completed in (.+)$`).FindStringSubmatch(string(data)); match != nil {
		r.took = match[1]
	}
	return r, nil
}
