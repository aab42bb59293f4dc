package rawjson_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/rawjson"
)

// Bytes are read eight at a time, so each mistake is tried at every offset.
func TestStringsAreReadToTheirEnd(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		``, `a`, `ä`, `😀`, `\n`, `\"`, `\u00e4`, `\ud83d\ude00`, "\x7f", "\xff", "\xc3", "\n", "\x00", `\x`, `\`, `\u12`, `\u12g4`, `\ud800`, `\ud800x`, `\ud83d\u0041`, `\udc00`,
	} {
		for before := range 20 {
			data := []byte(`["` + strings.Repeat("x", before) + text + `z"`)
			want := codec.Valid(data[1:])
			end, escaped := rawjson.ScanString(data, 1)
			if (end == len(data)) != want || want && escaped != strings.Contains(text, `\`) {
				t.Errorf("ScanString(%q) = %d, %t, want valid = %t", data, end, escaped, want)
			}
			if got := rawjson.ScanText(data, 1); got.Valid != want && utf8.ValidString(text) || got.Valid && got.ASCII && !isASCII(data) {
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

func isASCII(data []byte) bool {
	return !slices.ContainsFunc(data, func(c byte) bool { return c >= utf8.RuneSelf })
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
