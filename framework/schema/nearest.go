package schema

import "strings"

// nearest returns the candidate that a name is most likely a misspelling of, or "".
func nearest(name string, candidates []string) string {
	const longest = 64
	if len(name) > longest {
		return ""
	}
	best, least := "", len(name)/3+2
	for _, candidate := range candidates {
		if len(candidate) > longest {
			continue
		}
		if sameName(candidate, name) {
			return candidate
		}
		if d := distance(name, candidate); d < least && d < len(candidate) {
			best, least = candidate, d
		}
	}
	return best
}

// sameName reports whether two names are the same but for case and separators.
func sameName(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	for {
		a, b = strings.TrimLeft(a, "_- "), strings.TrimLeft(b, "_- ")
		if a == "" || b == "" {
			return a == b
		}
		if a[0] != b[0] {
			return false
		}
		a, b = a[1:], b[1:]
	}
}

// distance is how many insertions, deletions, replacements and swaps of neighbours turn one name into the other.
func distance(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
