package assessment

import (
	"slices"
	"strings"
	"unicode"
)

// The bounds of the comparison of descriptions, which compares each tool with each other.
const (
	threshold   = 0.8  // of the words of two descriptions that both have
	maxCompared = 1000 // tools
	maxWords    = 200  // of a description
	maxPairs    = 100
)

// A Pair is two tools whose descriptions have nearly the same words.
type Pair struct {
	Tools      [2]string `json:"tools"`
	Similarity float64   `json:"similarity"` // the part of their words that both have, 0.8 to 1
}

// similar returns the pairs of tools whose descriptions have nearly the same words, whatever
// their order. A model can't tell such tools apart.
func similar(names, descriptions []string) []Pair {
	pairs := []Pair{}
	numbers := map[string]int{}
	var all [][]int
	for _, description := range descriptions[:min(len(descriptions), maxCompared)] {
		all = append(all, wordsOf(description, numbers))
	}
	for i, words := range all {
		for j := range i {
			if part := common(all[j], words); part >= threshold && len(pairs) < maxPairs {
				pairs = append(pairs, Pair{[2]string{names[j], names[i]}, part})
			}
		}
	}
	return pairs
}

// wordsOf returns the sorted numbers of the different words of a text, without those that say
// little. Numbers has the number of each word, and gets those of new ones.
func wordsOf(text string, numbers map[string]int) (words []int) {
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		switch word {
		case "a", "an", "and", "by", "for", "from", "in", "is", "it", "of", "on", "or", "that", "the", "this", "to", "with":
			continue
		}
		if _, known := numbers[word]; !known {
			numbers[word] = len(numbers)
		}
		if words = append(words, numbers[word]); len(words) == maxWords {
			break
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// common returns the part of the numbers in two sorted lists that both have. Lists of very
// different lengths have no more in common than their lengths.
func common(a, b []int) float64 {
	if len(a) == 0 || len(b) == 0 || float64(min(len(a), len(b))) < threshold*float64(max(len(a), len(b))) {
		return 0
	}
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			both, i, j = both+1, i+1, j+1
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
