package dev

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// The acknowledgement is the first message of a stream, also if the program that got the request
// never sent it.
func TestAStreamOnStdioThatBeginsDuringASwitchIsAcknowledgedFirst(t *testing.T) {
	t.Parallel()
	const acknowledgement = `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}`
	var out bytes.Buffer
	x := newRelay(t.TempDir(), "demo", &out, io.Discard, log{io.Discard})
	older, newer := newStdioProgram(1, x.backlog), newStdioProgram(2, x.backlog)
	older.over = true
	x.current = older
	x.streams["7"] = &stream{message: []byte("{}"), wanted: lists{tools: true}, program: older}
	x.lock.Lock()
	x.adopt(newer, &jsonrpc.Message{}) // which unlocks
	if out.Len() > 0 || len(newer.outgoing) != 1 {
		t.Errorf("before the acknowledgement the client gets %s, and the program %d messages", &out, len(newer.outgoing))
	}
	for range 2 { // the second one is of no meaning
		x.returned(newer, []byte(acknowledgement))
	}
	got := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(got) != 2 || got[0] != acknowledgement || !strings.Contains(got[1], "notifications/tools/list_changed") || !strings.Contains(got[1], `"io.modelcontextprotocol/subscriptionId":7`) {
		t.Errorf("the client gets %q", got)
	}
}

// An answer to a second request with the id of a stream would end the stream.
func TestAnIDOfAnOpenStreamIsRefusedOnStdio(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	x := newRelay(t.TempDir(), "demo", &out, io.Discard, log{io.Discard})
	x.current = newStdioProgram(1, x.backlog)
	x.receive([]byte(`{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{}}`))
	for _, method := range []string{"subscriptions/listen", "tools/list"} {
		out.Reset()
		x.receive([]byte(`{"jsonrpc":"2.0","id":7,"method":"` + method + `"}`))
		if want := `"code":-32600,"message":"Invalid request: the id 7 belongs to a request that is still running"`; !strings.Contains(out.String(), want) {
			t.Errorf("%s gets %q, want %s", method, &out, want)
		}
	}
	if n := len(x.current.outgoing); n != 1 {
		t.Errorf("the program gets %d messages, want one", n)
	}
}

// Every program declares all lists. A client that hears of an empty one would ask for nothing.
func TestAnOlderClientOnStdioHearsOfListsThatHaveOrHadItems(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	x := newRelay(t.TempDir(), "demo", &out, io.Discard, log{io.Discard})
	older, newer := newStdioProgram(1, x.backlog), newStdioProgram(2, x.backlog)
	older.over = true
	x.current = older
	x.handshake.initialize = []byte("{}")
	for id, result := range map[string]string{"1": `{"tools":[{"name":"a"}]}`, "2": `{"prompts":[]}`, "3": `{"capabilities":{"prompts":{"listChanged":true}}}`} {
		x.requests[id] = &request{program: older}
		x.returned(older, []byte(`{"jsonrpc":"2.0","id":`+id+`,"result":`+result+`}`))
	}
	hears := func(what string, want ...string) {
		t.Helper()
		x.running.Wait()
		got := strings.Fields(strings.ReplaceAll(strings.ReplaceAll(out.String(), `{"jsonrpc":"2.0","method":"notifications/`, ""), `/list_changed"}`, ""))
		if out.Reset(); !slices.Equal(got, want) {
			t.Errorf("%s: the client hears of %q, want %q", what, got, want)
		}
	}
	out.Reset()
	const every = `{"listChanged":true}`
	x.lock.Lock()
	x.adopt(newer, &jsonrpc.Message{Result: []byte(`{"capabilities":{"tools":` + every + `,"resources":` + every + `,"prompts":` + every + `}}`)}) // which unlocks
	hears("the list of which it has seen items", "tools")
	var asked []string
	for _, message := range newer.outgoing {
		var m jsonrpc.Message
		if err := m.Scan(message); err != nil {
			t.Fatal(err)
		}
		asked = append(asked, string(m.Method))
	}
	if want := []string{"notifications/initialized", "resources/list", "resources/templates/list", "prompts/list"}; !slices.Equal(asked, want) {
		t.Errorf("the program is asked for %q, want %q", asked, want)
	}
	own := func(p *stdioProgram, method, rest string) {
		x.returned(p, []byte(`{"jsonrpc":"2.0","id":"mcp-dev:`+method+`",`+rest+`}`))
	}
	own(newer, "resources/list", `"result":{"resources":[]}`)
	hears("an empty list")
	own(newer, "resources/templates/list", `"result":{"resourceTemplates":[{"uriTemplate":"a://{b}"}]}`)
	hears("a list with items", "resources")
	own(newer, "resources/list", `"result":{"resources":[{"uri":"a://c"}]}`)
	hears("a list of which it has heard")

	last := newStdioProgram(3, x.backlog)
	newer.over = true
	x.lock.Lock()
	x.adopt(last, &jsonrpc.Message{Result: []byte(`{"capabilities":{"prompts":` + every + `}}`)})
	hears("lists that had items", "tools", "resources")
	own(newer, "prompts/list", `"result":{"prompts":[{"name":"b"}]}`)
	hears("a list of a program that was replaced")
	own(last, "prompts/list", `"error":{"code":-32603,"message":"no"}`)
	hears("a list that the program doesn't return", "prompts")
}
