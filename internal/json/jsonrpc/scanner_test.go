package jsonrpc_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/limits"
)

func TestTheDepthOfAMessageIsLimited(t *testing.T) {
	t.Parallel()
	for _, kind := range []struct{ begin, end string }{{`{"a":`, "}"}, {"[", "]"}} {
		nested := func(levels int) []byte {
			return []byte(`{"jsonrpc":"2.0","id":1,"method":"ping","x":` + strings.Repeat(kind.begin, levels-1) + "1" + strings.Repeat(kind.end, levels-1) + `}`)
		}
		for _, limit := range []int{2, 3, limits.MaxDepth} {
			var m jsonrpc.Message
			if err := m.ScanTo(limit, nested(limit), nil); err != nil {
				t.Errorf("%d levels of %s are refused: %v", limit, kind.begin, err)
			}
			err := m.ScanTo(limit, nested(limit+1), nil)
			var scan *jsonrpc.ScanError
			if !errors.As(err, &scan) || scan.Malformed {
				t.Errorf("%d levels of %s give %v, want an invalid request", limit+1, kind.begin, err)
			}
		}
	}
}

func TestAbsentValuesAreNoObjects(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{"": false, "[]": false, "{}": true, `{"a":1}`: true} {
		if got := jsonrpc.IsObject([]byte(value)); got != want {
			t.Errorf("IsObject(%s) = %t", value, got)
		}
	}
}

func TestReasonsSayWhatIsWrongAndWhere(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		``:                                       "the message is empty",
		`{"a":tru}`:                              "the message is not valid JSON: at byte 5 there should be a value",
		`{"a" 1}`:                                "the message is not valid JSON: at byte 5 there should be a colon",
		`{"a":1 "b":2}`:                          "the message is not valid JSON: at byte 7 there should be a comma or the end of the object",
		`{"a":[1 2]}`:                            "the message is not valid JSON: at byte 8 there should be a comma or the end of the array",
		`{"a":"\x"}`:                             "the message is not valid JSON: at byte 6 there should be an escape",
		"{\"a\":\"\x01\"}":                       "the message is not valid JSON: at byte 6 there should be no control character in a string",
		`{"a":-}`:                                "the message is not valid JSON: at byte 6 there should be a digit",
		`{"a":1e}`:                               "the message is not valid JSON: at byte 7 there should be a digit",
		`{1:2}`:                                  "the message is not valid JSON: at byte 1 there should be a member's name",
		`{"a":"b`:                                "the message ends after 7 bytes, where the end of a string should be",
		`{"jsonrpc":"2.0","method":"ping"} {}`:   "there is more after the end of the message, at byte 34",
		`{"a":1,"a":2}`:                          "a member's name is repeated before byte 10",
		`{"jsonrpc":"2.0","id":[],"method":"m"}`: `the member "id" must be a string or an integer`,
	} {
		var m jsonrpc.Message
		if err := m.Scan([]byte(data)); err == nil || err.Error() != want {
			t.Errorf("%s results in %v, want %s", data, err, want)
		}
	}
}

func TestEscapesAreChecked(t *testing.T) {
	t.Parallel()
	for escape, valid := range map[string]bool{
		`\"\\\/\b\f\n\r\t`: true, `\u0041\u00E9\uffff`: true, `\ud83d\ude00`: true, `\uD83D\uDE00`: true,
		`\`: false, `\u12`: false, `\u12G4`: false, `\ud83d`: false, `\ude00`: false, `\ud83d\u0041`: false, `\ud83dxude00`: false, `\ud83d\udg00`: false,
	} {
		var m jsonrpc.Message
		err := m.Scan([]byte(`{"jsonrpc":"2.0","method":"ping","params":{"a":"` + escape + `"}}`))
		if (err == nil) != valid {
			t.Errorf("%s results in %v, want valid: %t", escape, err, valid)
		}
	}
}

func TestTextDecodesAString(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{`""`: "", `"a b"`: "a b", `"a\u0041\n"`: "aA\n", `"\ud83d\ude00"`: "😀"} {
		if got, ok := jsonrpc.Text([]byte(value)); !ok || string(got) != want {
			t.Errorf("Text(%s) = %q, %t, want %q", value, got, ok, want)
		}
	}
	for _, value := range []string{``, `"`, `1`, `12`, `null`, `{}`, `["a"]`} {
		if got, ok := jsonrpc.Text([]byte(value)); ok {
			t.Errorf("Text(%s) = %q, want that it is no string", value, got)
		}
	}
}

func TestOnlyRequestsAreAnsweredByTheirID(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`{"jsonrpc":"2.0","id":"a","method":"ping"}`:     `"a"`,
		`{"jsonrpc":"2.0","id":7,"result":{}}`:           "",
		`{"jsonrpc":"2.0","method":"notifications/any"}`: "",
	} {
		var m jsonrpc.Message
		if err := m.Scan([]byte(data)); err != nil {
			t.Fatal(err)
		}
		if got := string(m.AnswerID()); got != want {
			t.Errorf("the answer to %s has the id %s, want %s", data, got, want)
		}
	}
}
