package codec_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

func TestEncodingFollowsStructTags(t *testing.T) {
	t.Parallel()
	type inner struct {
		N int `json:"n,omitempty"`
	}
	for want, value := range map[string]any{
		`{"text":"","list":[],"map":{},"took":1500000000}`: struct {
			Text  string         `json:"text"`
			Empty string         `json:"empty,omitempty"`
			Zero  int            `json:"zero,omitempty"`
			No    bool           `json:"no,omitempty"`
			None  *inner         `json:"none,omitempty"`
			List  []string       `json:"list"`
			Map   map[string]int `json:"map"`
			Took  time.Duration  `json:"took"`
			Out   string         `json:"-"`
		}{Took: 1500 * time.Millisecond, Out: "no"},
		`{"a":1,"b":2,"c":3}`:   map[string]int{"c": 3, "a": 1, "b": 2},
		`"` + "\uFFFD" + `<&>"`: "\xff<&>",
		`[{},{"n":1},null]`:     []*inner{{}, {N: 1}, nil},
		`{"raw":{"b":1,"a":2}}`: map[string]codec.Value{"raw": codec.Value(`{"b":1, "a":2}`)},
	} {
		got, err := codec.Marshal(value)
		if err != nil || string(got) != want {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
	if got, err := codec.Marshal(make(chan int)); err == nil {
		t.Errorf("a channel is encoded as %s", got)
	}
}

func TestDecodingIsStrict(t *testing.T) {
	t.Parallel()
	type into struct {
		Name string        `json:"name"`
		Took time.Duration `json:"took"`
	}
	var v into
	if err := codec.Unmarshal([]byte(` {"name":"a","took":5,"other":[1]} `), &v); err != nil || v != (into{"a", 5}) {
		t.Errorf("got %+v, %v", v, err)
	}
	v = into{}
	if err := codec.Unmarshal([]byte(`{"Name":"a"}`), &v); err != nil || v.Name != "" {
		t.Errorf("a name of another case is taken: %+v, %v", v, err)
	}
	for _, data := range []string{``, `{"name":"a"}{}`, `{"name":"a",}`, `{"name":"` + "\xff" + `"}`, `{"name":"\ud83d"}`, `{"took":"5s"}`} {
		if err := codec.Unmarshal([]byte(data), &v); err == nil {
			t.Errorf("%s is taken", data)
		}
	}
	if err := codec.Unmarshal([]byte(`{"name":"a","name":"b"}`), &v); !errors.Is(err, codec.ErrDuplicateName) {
		t.Errorf("a repeated name results in %v", err)
	}
}

func TestCompactKeepsNamesAndNumbers(t *testing.T) {
	t.Parallel()
	const data = " { \"b\\u0041\" : [ 1.50 , 1e3 , \"\\/\" ] ,\n\"a\" : { } } "
	if got, err := codec.Compact([]byte(data)); err != nil || string(got) != `{"b\u0041":[1.50,1e3,"\/"],"a":{}}` {
		t.Errorf("got %s, %v", got, err)
	}
	for _, data := range []string{``, `{`, `1 2`, `{"a":1,"a":2}`, `[1,]`} {
		if got, err := codec.Compact([]byte(data)); err == nil {
			t.Errorf("Compact(%s) = %s", data, got)
		}
	}
}

func TestEqualValuesHaveTheSameCanonicalText(t *testing.T) {
	t.Parallel()
	want := `key:{"a":[1.0,{"c":2,"d":3}],"b":null}`
	for _, data := range []string{`{"a":[1.0,{"c":2,"d":3}],"b":null}`, ` {"b" : null, "a" : [ 1.0, {"d":3,"c":2} ] } `} {
		if got, err := codec.AppendCanonical([]byte("key:"), []byte(data)); err != nil || string(got) != want {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
	if _, err := codec.AppendCanonical(nil, []byte(`{"a"}`)); err == nil {
		t.Error("a text that is no JSON has a canonical form")
	}
}

func TestValidIsOneValueWithoutRepeatedNames(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]bool{
		`1`: true, ` {"a":[{}]} `: true, `"\ud83d\ude00"`: true,
		``: false, `1 2`: false, `{"a":1,"a":2}`: false, `{"a":1,"\u0061":2}`: false, `nul`: false, "\"\xff\"": false,
	} {
		if got := codec.Valid([]byte(data)); got != want {
			t.Errorf("Valid(%s) = %t, want %t", data, got, want)
		}
	}
}

func TestUnquoteInvertsQuote(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "plain", `"quoted" \ and /`, "line\nends\r\tand \x00\x1f", "é😀\u2028<&>"} {
		quoted := codec.AppendQuote([]byte("x"), text)
		var decoded string
		if err := json.Unmarshal(quoted[1:], &decoded); err != nil || decoded != text || quoted[0] != 'x' {
			t.Errorf("%q is quoted as %s, which encoding/json reads as %q, %v", text, quoted, decoded, err)
		}
		if got, ok := codec.Unquote(quoted[1:]); !ok || got != text {
			t.Errorf("Unquote(%s) = %q, %t", quoted[1:], got, ok)
		}
	}
	if got := codec.AppendQuote(nil, []byte("a\xffb")); string(got) != "\"a\uFFFDb\"" {
		t.Errorf("invalid UTF-8 is quoted as %s", got)
	}
	for _, data := range []string{``, `"`, `1`, `"a`, `"a\"`, `a"b"`, `"\x"`, `null`} {
		if got, ok := codec.Unquote([]byte(data)); ok {
			t.Errorf("Unquote(%s) = %q", data, got)
		}
	}
}

func TestUnquoteInvertsAppendQuotedJSON(t *testing.T) {
	t.Parallel()
	for _, value := range []string{`{}`, `{"a":"b\"c\\","d":[1,"é"]}`, `""`, `12`} {
		quoted := codec.AppendQuotedJSON([]byte(`"text":`), []byte(value))
		got, ok := codec.Unquote(bytes.TrimPrefix(quoted, []byte(`"text":`)))
		if !ok || got != value {
			t.Errorf("%s is quoted as %s", value, quoted)
		}
	}
}

func TestIndentedJSONIsTheSameValue(t *testing.T) {
	t.Parallel()
	got, err := codec.Indent(map[string]any{"b": []int{1}, "a": "x"})
	if want := "{\n  \"a\": \"x\",\n  \"b\": [\n    1\n  ]\n}"; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestADecoderReadsValuesOneByOne(t *testing.T) {
	t.Parallel()
	d := codec.NewDecoder([]byte(`{"a":[1, 2],"b":"c"}`))
	var read []string
	for {
		if kind := d.PeekKind(); kind == '{' || kind == '}' {
			if _, err := d.ReadToken(); err != nil {
				t.Fatal(err)
			}
			if kind == '}' {
				break
			}
			continue
		}
		value, err := d.ReadValue()
		if err != nil {
			t.Fatal(err)
		}
		read = append(read, string(value))
	}
	if got := strings.Join(read, "|"); got != `"a"|[1, 2]|"b"|"c"` {
		t.Errorf("it reads %s", got)
	}
}
