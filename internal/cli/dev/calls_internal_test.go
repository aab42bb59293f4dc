package dev

import (
	"bytes"
	"cmp"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/internal/cli/dev/process"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// Control characters in a JSON string, and how a terminal gets them. CSI is U+009B in 8 bits, and
// U+202E turns the direction of the text.
const (
	control = `\u001b]0;owned\u0007\r\n\u009b2J\u202e`
	shown   = `"\x1b]0;owned\a \u009b2J\u202e"`
)

// A client and a program choose texts of the log. None of them is a control sequence or another line.
func TestTheLineOfACallHasNoControlCharacters(t *testing.T) {
	t.Parallel()
	const failed, refused = `"result":{"isError":true,"content":[{"type":"text","text":"` + control + `"}]}`, `"error":{"code":-32603,"message":"` + control + `"}`
	for of, c := range map[string]struct {
		method, params, client, answer string // of the messages; CALL and CLIENT for short, and "result":{}
		name, by, outcome              string // in the line; call, client and ok for short
	}{
		"tool":        {params: `"name":"` + control + `"`, name: shown},
		"prompt":      {method: "prompts/get", params: `"name":"` + control + `"`, name: shown},
		"resource":    {method: "resources/read", params: `"uri":"` + control + `"`, name: shown},
		"client":      {client: control, by: shown},
		"failed tool": {answer: failed, outcome: "tool error: " + shown},
		"error":       {answer: refused, outcome: "error -32603: " + shown},
	} {
		request := `{"jsonrpc":"2.0","id":1,"method":"` + cmp.Or(c.method, "tools/call") + `","params":{` + cmp.Or(c.params, `"name":"call"`) +
			`,"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"` + cmp.Or(c.client, "client") + `"}}}}`
		answer := `{"jsonrpc":"2.0","id":1,` + cmp.Or(c.answer, `"result":{}`) + `}`
		x, logged := proxyFor(t, serving(t, 1, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, answer)
		}))
		roundTrip(x, postRequest(t.Context(), "", request))
		want := regexp.MustCompile(`^\d\d:\d\d:\d\d  ` + regexp.QuoteMeta(cmp.Or(c.name, "call")) + ` +` + regexp.QuoteMeta(cmp.Or(c.by, "client")) + ` +\d+ ms  ` + regexp.QuoteMeta(cmp.Or(c.outcome, "ok")) + `\n$`)
		if !want.MatchString(logged.String()) {
			t.Errorf("the %s makes the line %q, want %s", of, logged, want)
		}
	}
}

// A program need not escape characters outside ASCII, such as U+009B, which begins a control sequence.
func TestTheCodeOfAnErrorIsShortAndHasNoControlCharacters(t *testing.T) {
	t.Parallel()
	m := jsonrpc.Message{Error: []byte(`{"code":["` + "\u009b2J" + `",` + "\n" + `"` + strings.Repeat("x", 2*limits.MaxLogged) + `"],"message":"m"}`)}
	if got := outcome(&m); strings.ContainsAny(got, "\u009b\n") || len(got) > 2*limits.MaxLogged {
		t.Errorf("the outcome is %q", got)
	}
}

// A client before 2026-07-28 names itself once. Its name is also in messages about its session.
func TestTheNameInAHandshakeHasNoControlCharacters(t *testing.T) {
	t.Parallel()
	h := handshake{initialize: []byte(`{"clientInfo":{"name":"` + control + `"}}`)}
	if got := h.client(); got != shown {
		t.Errorf("the client is %s, want %s", got, shown)
	}
}

func TestTheRefusalOfAHandshakeHasNoControlCharacters(t *testing.T) {
	t.Parallel()
	var logged bytes.Buffer
	x := newRelay(t.TempDir(), "demo", io.Discard, io.Discard, log{&logged})
	x.handshake.initialize = []byte(`{}`)
	p := newStdioProgram(2, x.backlog)
	p.Process = &process.Process{Exited: make(chan struct{})}
	go func() {
		p.answers <- &jsonrpc.Message{Result: []byte(`{}`)}
		p.answers <- &jsonrpc.Message{Error: []byte(`{"code":1,"message":"` + "\u009b2J" + `"}`)}
	}()
	if err := x.introduce(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	const want = `mcp: the new program refuses the client's initialize: "{\"code\":1,\"message\":\"\u009b2J\"}"` + "\n"
	if x.running.Wait(); !strings.HasPrefix(logged.String(), want) {
		t.Errorf("the log has %q, want %q", &logged, want)
	}
}

func TestTheOutcomeOfACallIsThatOfItsAnswer(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		`"result":{}`: "ok",
		`"result":{"isError":false,"content":[]}`:      "ok",
		`"result":{"isError":true,"content":[]}`:       "tool error: ",
		`"result":{"resultType":"complete"}`:           "ok",
		`"result":{"resultType":"input_required"}`:     "asks the client",
		`"error":{"code":-32602,"message":"No\nsuch"}`: "error -32602: No such",
		`"result":{"isError":true,"content":[{"type":"text","text":"Not\n today."},{"type":"text","text":"Sorry."}]}`: "tool error: Not today.",
	} {
		var m jsonrpc.Message
		if err := m.Scan([]byte(`{"jsonrpc":"2.0","id":1,` + answer + `}`)); err != nil {
			t.Fatal(err)
		}
		if got := outcome(&m); got != want {
			t.Errorf("the outcome of %s is %q, want %q", answer, got, want)
		}
	}
}

// A program that refuses a request before it has read it doesn't know its id.
func TestAnErrorWithoutAnIDIsTheOutcomeOfTheOnlyCall(t *testing.T) {
	t.Parallel()
	call := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"call"}}`
	}
	for _, id := range []string{"", `"id":null,`} {
		x, logged := proxyFor(t, serving(t, 1, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0",`+id+`"error":{"code":-32600,"message":"No."}}`)
		}))
		roundTrip(x, postRequest(t.Context(), "", call("1")))
		roundTrip(x, postRequest(t.Context(), "", "["+call("1")+","+call("2")+"]"))
		lines := strings.Split(logged.String(), "\n")
		if len(lines) != 4 || !strings.HasSuffix(lines[0], "error -32600: No.") || !strings.HasSuffix(lines[1], "HTTP 400") || !strings.HasSuffix(lines[2], "HTTP 400") {
			t.Errorf("with %q the log has %q", id, lines)
		}
	}
}

// A text is cut between two characters.
func TestALongTextIsCut(t *testing.T) {
	t.Parallel()
	for n := range 3 {
		text := strings.Repeat("a", n) + strings.Repeat("€", limits.MaxLogged)
		kept, isCut := strings.CutSuffix(short(text), "…")
		if !isCut || !utf8.ValidString(kept) || !strings.HasPrefix(text, kept) || len(kept) < limits.MaxLogged-2 || len(kept) > limits.MaxLogged {
			t.Errorf("%d bytes of the text are left: %q", len(kept), kept)
		}
	}
	if whole := strings.Repeat("a", limits.MaxLogged); short(whole) != whole {
		t.Error("a text of the greatest length is cut")
	}
}
