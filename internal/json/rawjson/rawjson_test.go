package rawjson_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
)

// Bytes are read eight at a time, so each mistake is tried at every offset.
func TestStringsAreReadToTheirEnd(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		``, `a`, `ä`, `😀`, `\n`, `\"`, `\u00e4`, `\ud83d\ude00`, "\x7f", "\xff", "\xc3", "\n", "\x00", `\x`, `\`, `\u12`, `\u12g4`, `\ud800`, `\ud800x`, `\ud83d\u0041`, `\udc00`,
		`\ud7ff`, `\ue000`, `\udfff`, `\ud800\udc00`, `\udbff\udfff`, `\ud83d\udbff`, `\ud83d\ue000`, `\uabcd`, `\uFA09`, `\u/000`, `\u:000`, `\u@000`, `\uG000`, "\\u`000",
		`\n\n`, `\u00e4\n`, `\ud83dxude00`, `\ud83d\xde00`, `\ud83d\ude`, "ä" + strings.Repeat("y", 20), `\ ` + strings.Repeat("y", 20),
	} {
		for before := range 20 {
			data := []byte(`["` + strings.Repeat("x", before) + text + `z"`)
			want := codec.Valid(data[1:])
			end, escaped := rawjson.ScanString(data, 1)
			if (end == len(data)) != want || (end < 0) == want || want && escaped != strings.Contains(text, `\`) {
				t.Errorf("ScanString(%q) = %d, %t, want valid = %t", data, end, escaped, want)
			}
			if got := rawjson.ScanText(data, 1); got.Valid != want && utf8.ValidString(text) || got.Valid && got.ASCII != isASCII(data) {
				t.Errorf("ScanText(%q) = %+v", data, got)
			}
			if decoded, ok := codec.Unquote(data[1:]); want && ok && rawjson.Length(data[1:]) != utf8.RuneCountInString(decoded) {
				t.Errorf("Length(%s) = %d", data[1:], rawjson.Length(data[1:]))
			}
			if got := rawjson.ScanText(data[:len(data)-1], 1); got.Valid && !strings.HasSuffix(text, `\`) {
				t.Errorf("ScanText(%q) = %+v, want no end", data[:len(data)-1], got)
			}
		}
	}
}

func TestTheFirstWrongByteOfAStringIsFound(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]int{`"`: 1, `"a`: 2, `"\n`: 3, `"\u00e4`: 7, `"\ud83d\ude00`: 13, `"\`: 1, `"a\x"`: 2, "\"ab\n\"": 3, `"abcdefghij\n\u12"`: 13} {
		if got := rawjson.ScanText([]byte(data), 0); got.Valid || got.End != want {
			t.Errorf("ScanText(%q) = %+v, want the position %d", data, got, want)
		}
	}
}

func TestOnlyWhiteSpaceIsSkipped(t *testing.T) {
	t.Parallel()
	for c := range 256 {
		want := 0
		if strings.ContainsRune(" \n\t\r", rune(c)) {
			want = 1
		}
		if got := rawjson.SkipSpace([]byte{byte(c)}, 0); got != want {
			t.Errorf("of the byte %#x, %d are skipped", c, got)
		}
	}
	if got := rawjson.SkipSpace([]byte("x \n\t\r "), 1); got != 6 {
		t.Errorf("the white space ends at %d", got)
	}
}

func isASCII(data []byte) bool {
	return !slices.ContainsFunc(data, func(c byte) bool { return c >= utf8.RuneSelf })
}

func TestNumbersAreReadToTheirEnd(t *testing.T) {
	t.Parallel()
	type result struct {
		end       int
		plain, ok bool
	}
	for text, want := range map[string]result{
		"": {}, "-": {1, false, false}, "x": {}, "0": {1, true, true}, "-0,": {2, true, true}, "01": {1, true, true}, "9019]": {4, true, true}, "1.": {2, false, false},
		"9.09 ": {4, false, true}, "1e": {2, false, false}, "1E+": {3, false, false}, "9e-90x": {5, false, true}, "-1.5e09": {7, false, true},
	} {
		var got result
		if got.end, got.plain, got.ok = rawjson.ScanNumber([]byte(text), 0); got != want {
			t.Errorf("ScanNumber(%s) = %+v, want %+v", text, got, want)
		}
	}
}

func TestValuesAreReadToTheirEnd(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`0`, `-1`, `1.50e+3`, `01`, `-`, `1.`, `.1`, `1e`, `1e-`, `true`, `tru`, `null`, `false`, `falsy`, `[]`, `[1,]`, `[1 2]`, `[,]`, `{}`, `{"a":1,"b":[{}]}`, `{"a"}`, `{a:1}`, `{"a":1,}`, `{"a" : 1 , "b":2 }`, `[`, `{`, `]`, ``,
	} {
		if got, want := rawjson.ScanValue([]byte(text), 0, 9) == len(text) && text != "", codec.Valid([]byte(text)); got != want {
			t.Errorf("ScanValue(%s) reads all: %t, want %t", text, got, want)
		}
	}
	if rawjson.ScanValue([]byte(`[[1]]`), 0, 2) < 0 || rawjson.ScanValue([]byte(`[[[1]]]`), 0, 2) >= 0 {
		t.Error("ScanValue doesn't respect the depth")
	}
}

// The standard library accepts repeated names too.
func TestShortTextsAreReadAsTheStandardLibraryReadsThem(t *testing.T) {
	t.Parallel()
	var try func(text []byte, more int)
	try = func(text []byte, more int) {
		want := json.Valid(text)
		if end := rawjson.ScanValue(text, 0, 9); len(text) > 0 && text[0] != ' ' && (end == len(text)) != want && !bytes.HasSuffix(text, []byte(" ")) {
			t.Errorf("ScanValue(%s) = %d, want valid: %t", text, end, want)
		}
		if got := rawjson.Broken(text); got < 0 != want {
			t.Errorf("Broken(%s) = %d, want valid: %t", text, got, want)
		}
		if more > 0 {
			for _, c := range []byte(`[]{}",: 1`) {
				try(append(text, c), more-1)
			}
		}
	}
	try(make([]byte, 0, 9), 4)
	for _, begin := range []string{`{"":`, `{"" :1`, `["",`, `[{"":[`} {
		try(append(make([]byte, 0, 16), begin...), 4)
	}
}

func TestOtherValuesHaveNoParts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "1", `"ab"`, "null"} {
		for name := range rawjson.Members([]byte(text)) {
			t.Errorf("%s has the member %s", text, name)
		}
		for i := range rawjson.Elements([]byte(text)) {
			t.Errorf("%s has the element %d", text, i)
		}
	}
	for range rawjson.Members([]byte(`["a",1]`)) {
		t.Error("an array has a member")
	}
	for range rawjson.Elements([]byte(`{"a":1}`)) {
		t.Error("an object has an element")
	}
}

func TestAPointerIsFollowed(t *testing.T) {
	t.Parallel()
	const value = `{"a":[1,{"b/c":2,"d~e":[3]}],"0":4}`
	for pointer, want := range map[string]string{"/a/0": "1", "/a/1/b~1c": "2", "/a/1/d~0e/0": "3", "/0": "4", "/a/2": "", "/a/00": "", "/a/-": "", "/b": "", "/0/0": "", "/": ""} {
		if got := string(rawjson.Follow([]byte(value), pointer)); got != want {
			t.Errorf("at %s is %q, want %q", pointer, got, want)
		}
	}
}

func TestCursorsYieldPartsInOrder(t *testing.T) {
	t.Parallel()
	var names, values []string
	for name, value := range rawjson.Members([]byte(`{"b":1 , "\u0061":[2]}`)) {
		names, values = append(names, name), append(values, string(value))
	}
	for i, value := range rawjson.Elements([]byte(`[3, "x"]`)) {
		names, values = append(names, string(rune('0'+i))), append(values, string(value))
	}
	if got := strings.Join(names, " ") + " " + strings.Join(values, " "); got != `b a 0 1 1 [2] 3 "x"` {
		t.Errorf("the parts are %s", got)
	}
}

func TestACursorFindsNoValueBehindTheEnd(t *testing.T) {
	t.Parallel()
	for _, data := range []string{`[`, `[ `, `{`, `{"a`, `{"a"`, `{"a":`, `{"a": `} {
		if c := rawjson.Enter([]byte(data), 0, rawjson.MaxNesting); c.Find() || c.After >= 0 {
			t.Errorf("%s has a value at %d, and ends at %d", data, c.Start, c.After)
		}
	}
	if c := rawjson.Enter([]byte(`[1,`), 0, rawjson.MaxNesting); !c.Next() || c.Find() || c.After >= 0 {
		t.Errorf("after its first value, [1, has one at %d, and ends at %d", c.Start, c.After)
	}
}
