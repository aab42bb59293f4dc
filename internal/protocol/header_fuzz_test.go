package protocol

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/internal/codec"
)

// encodeHeader writes a text as a client has to (spec.md §1.15).
func encodeHeader(text string) string {
	if visible(text) && strings.TrimSpace(text) == text && text != "" && !strings.HasPrefix(text, sentinelStart) {
		return text
	}
	return sentinelStart + base64.StdEncoding.EncodeToString([]byte(text)) + sentinelEnd
}

// FuzzDecodeHeader takes any header value: it stands for one text or for none, and
// that text written by the rules stands for itself.
func FuzzDecodeHeader(f *testing.F) {
	for _, seed := range []string{
		"", "echo", "two words", " padded ", "zürich", "=?base64?SGVsbG8=?=", "=?base64?SGVsbG8?=", "=?base64??=", "=?base64?=",
		"=?base64?/w==?=", "=?base64?SGVs\r\nbG8=?=", "=?BASE64?SGVsbG8=?=", "=?base64?SGVsbG9=?=", "\x00", "a\tb", "\u2028",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		text, ok := decodeHeader(value)
		switch {
		case ok && !utf8.ValidString(text):
			t.Fatalf("%q stands for %q, which is not UTF-8", value, text)
		case ok && text != value && sentinelStart+base64.StdEncoding.EncodeToString([]byte(text))+sentinelEnd != value:
			t.Fatalf("%q and another value both stand for %q", value, text)
		}
		if !utf8.ValidString(value) {
			return
		}
		if back, ok := decodeHeader(encodeHeader(value)); !ok || back != value {
			t.Fatalf("%q comes back as %q, %v", value, back, ok)
		}
		h := http.Header{"Mcp-Param-X": {encodeHeader(value)}}
		arguments := append(codec.AppendQuote([]byte(`{"x":`), value), '}')
		if fault := NewParamHeader("X", []string{"x"}).check(h, arguments); fault != nil {
			t.Fatalf("%q mirrors %s, and is refused: %v", h, arguments, fault)
		}
	})
}

func TestNumbersInHeadersAreComparedByValue(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		header, argument string
		same             bool
	}{
		{"42", "42", true}, {"42.0", "42", true}, {"42", "42.000", true}, {"-7", "-7", true}, {"-0", "0", true},
		{"0.1", "0.10", true}, {"1e2", "1e2", true}, {"true", "true", true},
		{"43", "42", false}, {"1e2", "100", false}, {"+42", "42", false}, {"0x2a", "42", false}, {"0b101010", "42", false},
		{"4_2", "42", false}, {"84/2", "42", false}, {"42.", "42", false}, {"", "42", false}, {"TRUE", "true", false}, {"1", "true", false},
		{"-", "0", false}, {"1-1", "0", false}, {"9007199254740993", "9007199254740992", false}, {"1" + strings.Repeat("0", 99), "1", false},
	} {
		if got := sameValue(tt.header, []byte(tt.argument)); got != tt.same {
			t.Errorf("%q is the argument %s: %v, want %v", tt.header, tt.argument, got, tt.same)
		}
	}
}
