package crud

import (
	"fmt"
	"strings"
)

// A ConflictError says which lines a person has edited so that a change can't be merged into them.
type ConflictError struct {
	// Line is the line of the edited file at which the change would be made.
	Line int
	// Change are the lines that the change adds.
	Change []string
}

// Error returns the line, and what would be added there.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("line %d has been edited, where %s is added", e.Line, e.What())
}

// What says in one line what the change adds.
func (e *ConflictError) What() string {
	for _, line := range e.Change {
		if text := strings.TrimSpace(line); text != "" {
			return text
		}
	}
	return "the field"
}

// Merge makes the change from one generated text to another one in a text that a person has made
// of the first one. Each changed line has to be there as it was generated, between the lines that
// were generated before and after it. White space in lines doesn't count. The error is a
// *ConflictError.
func Merge(before, after, edited string) (string, error) {
	old, changed, mine := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n"), strings.SplitAfter(edited, "\n")
	kept, place := match(old, changed), match(old, mine)
	var out strings.Builder
	done := 0 // lines of mine that are written
	for at, next := 0, 0; at < len(old) || next < len(changed); {
		if at < len(old) && kept[at] == next {
			at, next = at+1, next+1
			continue
		}
		end := at // of the lines that are gone
		for end < len(old) && kept[end] < 0 {
			end++
		}
		until := len(changed) // of the lines that are new
		if end < len(old) {
			until = kept[end]
		}
		first, last, ok := located(place, at, end, len(mine))
		if !ok {
			return "", &ConflictError{Line: nearby(place, at) + 1, Change: changed[next:until]}
		}
		out.WriteString(strings.Join(mine[done:first], ""))
		out.WriteString(strings.Join(changed[next:until], ""))
		done, at, next = last, end, until
	}
	out.WriteString(strings.Join(mine[done:], ""))
	return out.String(), nil
}

// located returns where the old lines from start to end are in the edited text, if they are there
// with the line before and the one after them, and nothing is between these.
func located(place []int, start, end, lines int) (first, last int, ok bool) {
	if start > 0 {
		if place[start-1] < 0 {
			return 0, 0, false
		}
		first = place[start-1] + 1
	}
	last = first + end - start
	for at := start; at < end; at++ {
		if place[at] != first+at-start {
			return 0, 0, false
		}
	}
	if end < len(place) {
		return first, last, place[end] == last
	}
	return first, last, last == lines
}

// nearby returns where the last line before an old one is in the edited text.
func nearby(place []int, at int) int {
	for at--; at >= 0; at-- {
		if place[at] >= 0 {
			return place[at] + 1
		}
	}
	return 0
}

// match returns for each line of one text which line of the other one it is, or -1. The lines are
// a longest common subsequence.
func match(one, other []string) []int {
	one, other = words(one), words(other)
	common := make([][]int32, len(one)+1) // the length of the longest one from a line of each
	for i := range common {
		common[i] = make([]int32, len(other)+1)
	}
	for i := len(one) - 1; i >= 0; i-- {
		for j := len(other) - 1; j >= 0; j-- {
			if one[i] == other[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	matched := make([]int, len(one))
	for i, j := 0, 0; i < len(one); i++ {
		matched[i] = -1
		for j < len(other) && one[i] != other[j] && common[i][j+1] >= common[i+1][j] {
			j++
		}
		if j < len(other) && one[i] == other[j] {
			matched[i] = j
			j++
		}
	}
	return matched
}

// words returns lines without the white space that gofmt changes when a neighbor does.
func words(lines []string) []string {
	plain := make([]string, len(lines))
	for i, line := range lines {
		plain[i] = strings.Join(strings.Fields(line), " ")
	}
	return plain
}
