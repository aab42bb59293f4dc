package proxy

import (
	"cmp"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// Control characters in a JSON string, and how a terminal gets them. CSI is U+009B in 8 bits, and
// U+202E turns the direction of the text.
const (
	control = `\u001b]0;owned\u0007\r\n\u009b2J\u202e`
	shown   = `"\x1b]0;owned\a \u009b2J\u202e"`
	lines   = `"\x1b]0;owned\a"` + "\n          " + `"\u009b2J\u202e"` // as a reason, which may have several
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
		"failed tool": {answer: failed, outcome: "refused: " + lines},
		"error":       {answer: refused, outcome: "failed: " + lines},
	} {
		request := `{"jsonrpc":"2.0","id":1,"method":"` + cmp.Or(c.method, "tools/call") + `","params":{` + cmp.Or(c.params, `"name":"call"`) +
			`,"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"` + cmp.Or(c.client, "client") + `"}}}}`
		answer := `{"jsonrpc":"2.0","id":1,` + cmp.Or(c.answer, `"result":{}`) + `}`
		x, logged := proxyFor(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, answer)
		})
		roundTrip(x, postRequest(t.Context(), "", request))
		want := regexp.MustCompile(`^\d\d:\d\d:\d\d  ` + regexp.QuoteMeta(cmp.Or(c.name, "call")) + ` +` + regexp.QuoteMeta(cmp.Or(c.by, "client")) + ` +\d+ ms  ` + regexp.QuoteMeta(cmp.Or(c.outcome, "ok")) + `\n$`)
		if !want.MatchString(logged.String()) {
			t.Errorf("the %s makes the line %q, want %s", of, logged, want)
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
		x, logged := proxyFor(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0",`+id+`"error":{"code":-32600,"message":"No."}}`)
		})
		roundTrip(x, postRequest(t.Context(), "", call("1")))
		roundTrip(x, postRequest(t.Context(), "", "["+call("1")+","+call("2")+"]"))
		lines := strings.Split(logged.String(), "\n")
		if len(lines) != 4 || !strings.HasSuffix(lines[0], "refused: No.") || !strings.HasSuffix(lines[1], "refused: HTTP 400") || !strings.HasSuffix(lines[2], "refused: HTTP 400") {
			t.Errorf("with %q the log has %q", id, lines)
		}
	}
}
