package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// An equivalent is an entry of the list of mutants that behave as the package does. It names no
// line, since lines move.
type equivalent struct {
	folder   string
	function string
	kind     string
	number   int // of mutants of that kind in the function that nobody can notice
	reason   string
}

// String returns the entry without its reason.
func (e equivalent) String() string {
	return fmt.Sprintf("%s %s %s %d", e.folder, e.function, e.kind, e.number)
}

// matches reports whether the entry is about a mutant.
func (e equivalent) matches(m mutant) bool {
	return e.folder == m.folder && e.function == m.function && e.kind == m.kind
}

// readEquivalents reads the list: lines with a folder, a function, a kind, a number, a colon and
// a reason. Lines that begin with # are comments.
func readEquivalents(text string) (list []equivalent, err error) {
	form := regexp.MustCompile(`^(\S+) (\S+) ([A-Z_]+) ([1-9][0-9]*): (\S.*)$`)
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		match := form.FindStringSubmatch(line)
		if match == nil {
			return nil, fmt.Errorf("the list of equivalent mutants has the line %q; write FOLDER FUNCTION KIND NUMBER: REASON", line)
		}
		e := equivalent{folder: match[1], function: match[2], kind: match[3], reason: match[5]}
		e.number, _ = strconv.Atoi(match[4])
		about := e.folder + " " + e.function + " " + e.kind
		if seen[about] {
			return nil, fmt.Errorf("the list of equivalent mutants has %s twice; write one line with both reasons", about)
		}
		seen[about] = true
		list = append(list, e)
	}
	return list, nil
}

// count returns how many of the mutants the entry is about.
func count(e equivalent, mutants []mutant) (n int) {
	for _, m := range mutants {
		if e.matches(m) {
			n++
		}
	}
	return n
}

// inVain returns the entries about a package for which fewer mutants live than they say.
func inVain(known []equivalent, r report) (found []equivalent) {
	for _, e := range known {
		if e.folder == r.folder && r.finished() && count(e, r.with(lived)) < e.number {
			found = append(found, e)
		}
	}
	return found
}
