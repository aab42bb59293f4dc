package main

import (
	"fmt"
	"path"
	"strings"
)

// A road lists the functions that a call runs, ordered by file.
type road []function

// limits are the maximum sizes of a road. 0 means no limit.
type limits struct{ functions, files, longest int }

// files returns how many files the functions are in.
func (r road) files() int {
	seen := map[string]bool{}
	for _, f := range r {
		seen[f.file] = true
	}
	return len(seen)
}

// packages returns how many packages the functions are in.
func (r road) packages() int {
	seen := map[string]bool{}
	for _, f := range r {
		seen[path.Dir(f.file)] = true
	}
	return len(seen)
}

// lines returns how many lines of the functions ran.
func (r road) lines() (sum int) {
	for _, f := range r {
		sum += f.ran
	}
	return sum
}

// longest returns the function with the most lines.
func (r road) longest() (longest function) {
	for _, f := range r {
		if f.length > longest.length {
			longest = f
		}
	}
	return longest
}

// text describes the road, with a list of the functions if verbose is set.
func (r road) text(verbose bool) string {
	var b strings.Builder
	if verbose {
		for _, f := range r {
			fmt.Fprintf(&b, "%s:%d: %s (%d lines)\n", f.file, f.line, f.name, f.length)
		}
	}
	longest := r.longest()
	fmt.Fprintf(&b, "one warm tools/call runs %d functions in %d files of %d packages, %d lines\n", len(r), r.files(), r.packages(), r.lines())
	fmt.Fprintf(&b, "the longest function has %d lines: %s (%s:%d)\n", longest.length, longest.name, longest.file, longest.line)
	return b.String()
}

// exceeded returns a sentence for each limit that the road exceeds.
func (r road) exceeded(limits limits) (problems []string) {
	check := func(have, limit int, format string, args ...any) {
		if limit > 0 && have > limit {
			problems = append(problems, fmt.Sprintf(format, args...)+fmt.Sprintf("; the limit is %d", limit))
		}
	}
	longest := r.longest()
	check(len(r), limits.functions, "the call runs %d functions", len(r))
	check(r.files(), limits.files, "the call runs through %d files", r.files())
	check(longest.length, limits.longest, "%s (%s:%d) has %d lines", longest.name, longest.file, longest.line, longest.length)
	return problems
}
