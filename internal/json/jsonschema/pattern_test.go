package jsonschema_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/internal/json/jsonschema"
)

func withPattern(t testing.TB, pattern string) (*jsonschema.Validator, []*jsonschema.Problem) {
	t.Helper()
	quoted, err := json.Marshal(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return jsonschema.Compile(fmt.Appendf(nil, `{"pattern":%s}`, quoted), jsonschema.Options{})
}

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
		v, problems := withPattern(t, test.pattern)
		if problems != nil {
			t.Errorf("%s: %v", test.pattern, problems)
			continue
		}
		for want, list := range map[bool]string{true: test.matching, false: test.other} {
			for text := range strings.SplitSeq(list, "|") {
				data, err := json.Marshal(text)
				if err != nil {
					t.Fatal(err)
				}
				if got := v.Validate(data) == nil; got != want {
					t.Errorf("%s matches %q: %t", test.pattern, text, got)
				}
			}
		}
	}
	names, problems := jsonschema.Compile([]byte(`{"patternProperties":{"^\\u0061\\s$":{"type":"string"}},"additionalProperties":false}`), jsonschema.Options{})
	if problems != nil || names.Validate([]byte(`{"a\u00a0":""}`)) != nil || names.Validate([]byte(`{"b ":""}`)) == nil {
		t.Errorf("the pattern of names is %v", problems)
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
		`(?`: `the pattern "(?" is not valid`, `\p}`: "needs braces", `\pL}`: "needs braces", `\p{L`: "needs braces", `\x{41}`: `write more as \u{…}`, `\`: "a backslash ends it", `(?=a)`: "has no look-around", `[`: "missing closing ]", `\y`: "invalid escape",
	} {
		if _, problems := withPattern(t, pattern); !strings.Contains(fmt.Sprint(problems), want) {
			t.Errorf("%s: %v, want %s", pattern, problems, want)
		}
	}
}

// FuzzPattern compares patterns with package regexp if both have the same syntax for them.
func FuzzPattern(f *testing.F) {
	for _, pattern := range []string{"^a[b-d]*$", `\s`, `[\S\s]`, "[]", "[^]", `[^\]a]`, `\uD83D\uDE00`, `\u{41}`, "(?:a|b){2,3}", `[[:alpha:]]`, `\cA`, `\p{L}`} {
		f.Add(pattern, "a b")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		v, problems := withPattern(t, pattern)
		if !utf8.ValidString(pattern) || !utf8.ValidString(text) || strings.ContainsAny(pattern, `\[.`) || strings.Contains(pattern, "(?") {
			return
		}
		same, err := regexp.Compile(pattern)
		if (err == nil) != (problems == nil) {
			t.Fatalf("%q: %v, but package regexp says %v", pattern, problems, err)
		}
		data, encoding := json.Marshal(text)
		if err != nil || encoding != nil {
			return
		}
		if got := v.Validate(data) == nil; got != same.MatchString(text) {
			t.Fatalf("%q matches %q: %t", pattern, text, got)
		}
	})
}

// The time of a match is proportional to the text and to the 1805 instructions of the pattern.
const costly = `,[^;]{0,900};$`

func TestWorkOfPatternsIsLimited(t *testing.T) {
	t.Parallel()
	commas := strings.Repeat(",", 2_000_000)
	var names []string
	for i := range 5_000 {
		names = append(names, fmt.Sprintf(`"%d%s":1`, i, commas[:20]))
	}
	for name, test := range map[string]struct{ schema, data string }{
		"a text":            {`{"pattern":"` + costly + `"}`, `"` + commas + `"`},
		"many texts":        {`{"items":{"pattern":"` + costly + `"}}`, `["` + strings.Repeat(`,;","`, 100_000) + `,;"]`},
		"empty texts":       {`{"items":{"not":{"pattern":"` + costly + `"}}}`, `[` + strings.Repeat(`"",`, 200_000) + `""]`},
		"contains":          {`{"contains":{"pattern":"` + costly + `"}}`, `[1,"` + commas + `"]`},
		"a member":          {`{"anyOf":[{"pattern":"` + costly + `"},true]}`, `"` + commas + `"`},
		"patternProperties": {`{"patternProperties":{"` + costly + `":true}}`, "{" + strings.Join(names, ",") + "}"},
		"propertyNames":     {`{"propertyNames":{"not":{"pattern":"` + costly + `"}}}`, "{" + strings.Join(names, ",") + "}"},
	} {
		got := compile(t, test.schema).Validate([]byte(test.data))
		if len(got) != 1 || got[0].Rule != "work" || !strings.Contains(got[0].Expected, "the pattern "+costly) {
			t.Errorf("%s: the work of a pattern results in %.300v, want one violation of work", name, got)
		}
	}
}

func TestAPatternOfUsualSizeMatchesAnyText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 4<<20)
	for _, test := range []struct{ schema, data string }{
		{`{"pattern":"^data:[a-z]+/[a-z]{1,9};base64,[A-Za-z0-9+/]*={0,2}$"}`, `"data:image/png;base64,` + long + `"`},
		{`{"items":{"pattern":"^[a-zA-Zäöü -]{1,255}$"}}`, `["` + strings.Repeat(long[:250]+`","`, 200) + `a"]`},
		{`{"items":{"pattern":"^([a-z0-9]{1,20}-?)?$"}}`, `["` + strings.Repeat(`","`, 1<<20) + `"]`},
	} {
		if got := compile(t, test.schema).Validate([]byte(test.data)); got != nil {
			t.Errorf("%s: %v", test.schema, got)
		}
	}
}

func TestATextThatIsTooLongIsNotMatched(t *testing.T) {
	t.Parallel()
	v, problems := jsonschema.Compile([]byte(`{"type":"string","maxLength":100,"pattern":"^a+$"}`), jsonschema.Options{
		Checks: map[string]jsonschema.Checks{"": {Format: "date", String: func(string) error {
			t.Error("a check runs for a text that is too long")
			return nil
		}}},
	})
	if problems != nil {
		t.Fatal(problems)
	}
	got := v.Validate([]byte(`"` + strings.Repeat("b", 200) + `"`))
	if len(got) != 1 || got[0].Rule != "maxLength" {
		t.Errorf("a text that is too long results in %v, want only maxLength", got)
	}
}

func BenchmarkPattern(b *testing.B) {
	v, problems := withPattern(b, `^[\w.-]+@[a-z\d.-]+\.[a-z]{2,}$`)
	if problems != nil {
		b.Fatal(problems)
	}
	data := []byte(`"someone.else@mail.example.com"`)
	b.ReportAllocs()
	for b.Loop() {
		if v.Validate(data) != nil {
			b.Fatal("the data is refused")
		}
	}
}
