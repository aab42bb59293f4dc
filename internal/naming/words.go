package naming

import (
	"strings"
	"unicode"
)

// words splits a name into words. Anything but letters and digits separates words. Inside a run of letters and digits a
// capital begins a word, with these exceptions:
//   - a run of capitals is one word, up to the capital that begins the next word: HTTP|Status, list|IDs|Tool;
//   - digits belong to the word before them, as does a lone capital after digits: MD5|Sum, B2B|Invoice;
//   - the names in mixedCase are one word.
func words(name string) []string {
	var list []string
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		for runes := []rune(part); len(runes) > 0; {
			n := wordLength(runes)
			list = append(list, string(runes[:n]))
			runes = runes[n:]
		}
	}
	return list
}

// wordLength returns the number of runes in the first word of s, which is not empty.
func wordLength(s []rune) int {
	n := mixedCaseLength(s)
	if n == 0 {
		n = capitals(s)
		if n < 2 || isPlural(s, n) {
			n = lower(s, max(n, 1))
		}
	}
	for n < len(s) && unicode.IsDigit(s[n]) {
		for n < len(s) && unicode.IsDigit(s[n]) {
			n++
		}
		if capitals(s[n:]) == 1 && !startsLower(s, n+1) {
			n++ // B2B, I18N, 3D
		}
		n = lower(s, n)
	}
	return n
}

// capitals returns the length of the initialism at the start of s. The last capital of a
// run begins the next word if a lowercase letter follows it, unless that letter is the s
// of a plural.
func capitals(s []rune) int {
	n := 0
	for n < len(s) && unicode.IsUpper(s[n]) && (n == 0 || mixedCaseLength(s[n:]) == 0) {
		n++
	}
	if n > 1 && startsLower(s, n) && !isPlural(s, n) {
		n--
	}
	return n
}

// isPlural reports whether the initialism s[:n] is followed by a plural s that ends its
// word: IDs, URLs.
func isPlural(s []rune, n int) bool {
	return n > 1 && n < len(s) && s[n] == 's' && !startsLower(s, n+1)
}

func lower(s []rune, n int) int {
	for n < len(s) && !unicode.IsUpper(s[n]) && !unicode.IsDigit(s[n]) {
		n++
	}
	return n
}

func startsLower(s []rune, n int) bool {
	return n < len(s) && unicode.IsLetter(s[n]) && !unicode.IsUpper(s[n])
}

// mixedCaseLength returns the length of the mixed-case name at the start of s, or 0.
func mixedCaseLength(s []rune) int {
	for _, name := range [...]string{
		"GitHub", "GitLab", "GraphQL", "IPv4", "IPv6", "MySQL", "NoSQL", "OAuth", "OpenID", "PostgreSQL", "SQLite", "YouTube",
	} {
		if n := len(name); len(s) >= n && string(s[:n]) == name && !startsLower(s, n) {
			return n
		}
	}
	return 0
}
