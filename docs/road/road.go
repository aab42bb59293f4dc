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
func (r road) files() int { return r.count(func(f function) string { return f.file }) }

// packages returns how many packages the functions are in.
func (r road) packages() int { return r.count(func(f function) string { return path.Dir(f.file) }) }

// count returns how many different values the functions have.
func (r road) count(value func(function) string) int {
	seen := map[string]bool{}
	for _, f := range r {
		seen[value(f)] = true
	}
	return len(seen)
}

// longest returns the function with the most lines.
func (r road) longest() (longest function) {
	for _, f := range r {
		if f.Length > longest.Length {
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
			fmt.Fprintf(&b, "%s:%d: %s (%d lines)\n", f.file, f.Line, f.Name, f.Length)
		}
	}
	longest := r.longest()
	fmt.Fprintf(&b, "one warm tools/call runs %d functions in %d files of %d packages\n", len(r), r.files(), r.packages())
	fmt.Fprintf(&b, "the longest function has %d lines: %s (%s:%d)\n", longest.Length, longest.Name, longest.file, longest.Line)
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
	check(longest.Length, limits.longest, "%s (%s:%d) has %d lines", longest.Name, longest.file, longest.Line, longest.Length)
	return problems
}
