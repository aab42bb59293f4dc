package ecma262_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/internal/json/jsonschema/ecma262"
)

// The third column is the result of ECMA-262, from node 22 with the flag u.
func TestPatternsMeanWhatECMA262Says(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ pattern, matching, other string }{
		{`^\s$`, "\t|\n|\v|\f|\r| |\u00a0|\u1680|\u2000|\u200a|\u2028|\u2029|\u202f|\u205f|\u3000|\ufeff", "\u0085|\u180e|\u200b|x|\x1c"},
		{`^\S$`, "\u0085|\u180e|\u200b|x|\x1c|!|\u2027|\u206f|😀|\U0010ffff", "\t|\v|\u00a0|\u2028|\ufeff"},
		{`^[\s,]$`, ",|\u00a0|\v", "x"},
		{`^[\S]$`, "x|\u200b", "\u00a0| "},
		{`^[^\s]$`, "x|\u200b", "\u00a0| "},
		{`^.$`, "x|\u0085|\v|😀|.", "\n|\r|\u2028|\u2029"},
		{`^[.]$`, ".", "x"},
		{`^a\.b$`, "a.b", "axb"},
		{`^\d$`, "0|9", "٣|x"},
		{`^\w$`, "a|_|9", "é|-"},
		{`^\W$`, "é|-", "a"},
		{`a$`, "a|ba", "a\n"},
		{`^a`, "ab", "\na"},
		{`^\u0041\u{1F600}\uD83D\uDE00\x42\cJ\cj\0$`, "A😀😀B\n\n\x00", "A"},
		{`^\u{10FFFF}\cA\ca\cz$`, "\U0010ffff\x01\x01\x1a", "\ufffd\x01\x01\x1a"},
		{`^\cZ`, "\x1a", "Z"},
		{`^x\0`, "x\x00", "x0"},
		{`^[\u0041-\u0043\b\cI\]]$`, "B|\b|\t|]", "D|b"},
		{`^[[:alpha:]]$`, "a]|:]|[]", "b|z"},
		{`^[[]$`, "[", "]"},
		{`^a[]$|b`, "b", "a|a]"},
		{`^[^]$`, "\n|x|\u2028", "ab"},
		{`^[^]]$`, "x]", "x"},
		{`^\p{Lu}\P{Letter}\p{Script=Greek}\p{gc=Nd}$`, "A1α1", "a1α1"},
		{`^\/\-\$$`, "/-$", "/"},
		{`^(?:a|(?<n>b))+$`, "ab", "c"},
		{`\bfoo\b`, "a foo|foo", "afoo|foo_"},
		{`^[\w-]+@[a-z\d.]{2,}$`, "a-b@c.1", "a b@c.1"},
	} {
		pattern, err := ecma262.Compile(test.pattern)
		if err != nil {
			t.Errorf("%s: %v", test.pattern, err)
			continue
		}
		for want, list := range map[bool]string{true: test.matching, false: test.other} {
			for text := range strings.SplitSeq(list, "|") {
				if got := pattern.MatchString(text); got != want {
					t.Errorf("%s matches %q: %t", test.pattern, text, got)
				}
			}
		}
	}
}

func TestPatternsThatCannotBeTranslatedAreRefused(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		`\Aa`: `ECMA-262 has no \A; write ^ and $`, `a\z`: `ECMA-262 has no \z`, `\a`: `ECMA-262 has no \a`, `\Qa.\E`: `ECMA-262 has no \Q`, `\C`: `ECMA-262 has no \C`,
		`\pL`: `write \p{L}`, `\p`: `ECMA-262 needs braces`, `\p{scx=Greek}`: `no property "scx"`, `\p{Nope}`: "invalid character class range",
		`(?i)a`: "ECMA-262 has no (?i)", `(?s:.)`: "ECMA-262 has no (?s:", `(?P<n>a)`: "a name as (?<name>…)", `(a)\1`: "no references to a group", `(?<n>a)\k<n>`: "no references to a group",
		`\u12`: "four hexadecimal digits", `\uD83D`: "half a character", `\uD83Dx`: "half a character", `\u{110000}`: "is no character", `\u{}`: "is no character",
		`\c`: `\c needs a letter`, `\c1`: `\c needs a letter`, `\c@`: `\c needs a letter`, `\c{`: `\c needs a letter`, `\00`: "no octal escapes", `\01`: "no octal escapes", `\09`: "no octal escapes",
		`(?`: "invalid or unsupported Perl syntax", `\p}`: "needs braces", `\pL}`: "needs braces", `\p{L`: "needs braces", `\x{41}`: `write more as \u{…}`, `\`: "a backslash ends it", `(?=a)`: "invalid or unsupported Perl syntax", `[`: "missing closing ]", `\y`: "invalid escape",
	} {
		if _, err := ecma262.Compile(pattern); !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%s: %v, want %s", pattern, err, want)
		}
	}
}

// FuzzPattern compares patterns with package regexp if both have the same syntax for them.
func FuzzPattern(f *testing.F) {
	for _, pattern := range []string{"^a[b-d]*$", `\s`, `[\S\s]`, "[]", "[^]", `[^\]a]`, `\uD83D\uDE00`, `\u{41}`, "(?:a|b){2,3}", `[[:alpha:]]`, `\cA`, `\p{L}`} {
		f.Add(pattern, "a b")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		translated, problem := ecma262.Compile(pattern)
		if !utf8.ValidString(pattern) || !utf8.ValidString(text) || strings.ContainsAny(pattern, `\[.`) || strings.Contains(pattern, "(?") {
			return
		}
		same, err := regexp.Compile(pattern)
		if (err == nil) != (problem == nil) {
			t.Fatalf("%q: %v, but package regexp says %v", pattern, problem, err)
		}
		if err != nil {
			return
		}
		if got := translated.MatchString(text); got != same.MatchString(text) {
			t.Fatalf("%q matches %q: %t", pattern, text, got)
		}
	})
}

func BenchmarkPattern(b *testing.B) {
	pattern, err := ecma262.Compile(`^[\w.-]+@[a-z\d.-]+\.[a-z]{2,}$`)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if !pattern.MatchString("someone.else@mail.example.com") {
			b.Fatal("the text doesn't match")
		}
	}
}
