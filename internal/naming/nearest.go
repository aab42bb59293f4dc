package naming

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Nearest returns the candidate that is most similar to name, or "" if none is similar
// enough. It ignores case and separators. One letter may differ, or up to a third of them.
func Nearest(name string, candidates []string) string {
	if len(name) > 128 {
		return ""
	}
	letters := onlyLetters(name)
	best, distance := "", max(len(name)/3, 1)+1
	for _, candidate := range candidates {
		other := onlyLetters(candidate)
		if d := edits(letters, other, distance); d < distance && d < len(other) {
			best, distance = candidate, d
		}
	}
	return best
}

// onlyLetters returns the name in lower case and without separators.
func onlyLetters(name string) []rune {
	letters := make([]rune, 0, len(name))
	for _, r := range name {
		if r != '-' && r != '_' && r != ' ' {
			letters = append(letters, unicode.ToLower(r))
		}
	}
	return letters
}

// edits returns the number of letters to insert, delete, replace or swap with the next
// one to turn s into t, or limit if there are at least that many.
func edits(s, t []rune, limit int) int {
	if len(s)-len(t) >= limit || len(t)-len(s) >= limit {
		return limit
	}
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}
	for i := range s {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range t {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return min(row[len(t)], limit)
}

// Unknown returns the error for a name that isn't in a list of what is known. It names the one
// that is probably meant, or else all.
func Unknown(kind, name string, known []string) error {
	switch nearest := Nearest(name, known); {
	case len(known) == 0:
		return fmt.Errorf("there is no %s %q: there are none", kind, name)
	case nearest != "":
		return fmt.Errorf("there is no %s %q; did you mean %q?", kind, name, nearest)
	}
	return fmt.Errorf("there is no %s %q; there are: %s", kind, name, Quoted(known))
}

// Distance returns the number of letters to insert, delete, replace or swap with the next
// one to turn name into meant, or limit if there are at least that many. It ignores case.
func Distance(name, meant string, limit int) int {
	if a, b := utf8.RuneCountInString(name), utf8.RuneCountInString(meant); a-b >= limit || b-a >= limit {
		return limit // a shortcut for most pairs of names
	}
	return edits([]rune(strings.ToLower(name)), []rune(strings.ToLower(meant)), limit)
}
