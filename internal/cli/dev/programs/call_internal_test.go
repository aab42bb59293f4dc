package programs

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// Control characters in a JSON string, and how a terminal gets them. CSI is U+009B in 8 bits, and
// U+202E turns the direction of the text.
const (
	control = `\u001b]0;owned\u0007\r\n\u009b2J\u202e`
	shown   = `"\x1b]0;owned\a \u009b2J\u202e"`
)

// A client before 2026-07-28 names itself once. Its name is also in messages about its session.
func TestTheNameInAHandshakeHasNoControlCharacters(t *testing.T) {
	t.Parallel()
	h := handshake{initialize: []byte(`{"clientInfo":{"name":"` + control + `"}}`)}
	if got := h.client(); got != shown {
		t.Errorf("the client is %s, want %s", got, shown)
	}
}

func TestTheOutcomeOfACallIsThatOfItsAnswer(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]Outcome{
		`"result":{}`: {Name: "ok"},
		`"result":{"isError":false,"content":[]}`:          {Name: "ok"},
		`"result":{"isError":true,"content":[]}`:           {Name: "refused"},
		`"result":{"resultType":"complete"}`:               {Name: "ok"},
		`"result":{"resultType":"input_required"}`:         {Name: "input required"},
		`"error":{"code":-32602,"message":"No\nsuch"}`:     {Name: "refused", Reason: "No\nsuch"},
		`"error":{"code":-32603,"message":"It is broken"}`: {Name: "failed", Reason: "It is broken"},
		`"error":{"code":[-32603],"message":{}}`:           {Name: "refused"},
		`"result":{"isError":true,"content":[{"type":"text","text":"Not\n today."},{"type":"text","text":"Sorry."}]}`: {Name: "refused", Reason: "Not\n today."},
		`"error":{"code":1,"message":"` + strings.Repeat("x", 2*limits.MaxCause) + `"}`:                               {Name: "refused", Reason: strings.Repeat("x", limits.MaxCause) + "…"},
	} {
		want.Reported = true
		var m jsonrpc.Message
		if err := m.Scan([]byte(`{"jsonrpc":"2.0","id":1,` + answer + `}`)); err != nil {
			t.Fatal(err)
		}
		if got := outcome(&m); got != want {
			t.Errorf("the outcome of %s is %+v, want %+v", answer, got, want)
		}
	}
}

// Programs log what they have answered, but successful requests for resources and prompts at level debug
// only.
func TestMCPDevLogsWhatProgramsDoNot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method  string
		outcome Outcome
		want    bool // whether the program logs it
	}{
		{"tools/call", Outcome{Name: "ok", Reported: true}, true},
		{"tools/call", Outcome{Name: "refused", Reported: true}, true},
		{"resources/read", Outcome{Name: "ok", Reported: true}, false},
		{"prompts/get", Outcome{Name: "ok", Reported: true}, false},
		{"prompts/get", Outcome{Name: "refused", Reported: true}, true},
		{"tools/call", Canceled(), true},
		{"tools/call", Left(), true},
		{"tools/call", Lost(), false},
	} {
		var m jsonrpc.Message
		if err := m.Scan([]byte(`{"jsonrpc":"2.0","id":1,"method":"` + c.method + `","params":{"name":"a","uri":"a:"}}`)); err != nil {
			t.Fatal(err)
		}
		if got := newCall(&m, "").ended(c.outcome); got.Reported != c.want {
			t.Errorf("the program logs %s %+v: %t, want %t", c.method, c.outcome, got.Reported, c.want)
		}
	}
}

// A text is cut between two characters.
func TestALongTextIsCut(t *testing.T) {
	t.Parallel()
	for n := range 3 {
		text := strings.Repeat("a", n) + strings.Repeat("€", limits.MaxLogged)
		kept, isCut := strings.CutSuffix(Short(text), "…")
		if !isCut || !utf8.ValidString(kept) || !strings.HasPrefix(text, kept) || len(kept) < limits.MaxLogged-2 || len(kept) > limits.MaxLogged {
			t.Errorf("%d bytes of the text are left: %q", len(kept), kept)
		}
	}
	if whole := strings.Repeat("a", limits.MaxLogged); Short(whole) != whole {
		t.Error("a text of the greatest length is cut")
	}
}
