package dev

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
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
