package naming

import "strings"

// Nearest returns the candidate that was probably meant by name, "" if none is
// close: at most a third of the name's letters may differ, case aside.
func Nearest(name string, candidates []string) string {
	if len(name) > 128 {
		return ""
	}
	best, distance := "", len(name)/3+1
	for _, candidate := range candidates {
		if d := edits(strings.ToLower(name), strings.ToLower(candidate), distance); d < distance {
			best, distance = candidate, d
		}
	}
	return best
}

// edits counts the letters to insert, delete, replace or swap with the next one to
// make b of a. It gives up at limit.
func edits(a, b string, limit int) int {
	s, t := []rune(a), []rune(b)
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
