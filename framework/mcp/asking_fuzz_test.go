package mcp_test

import (
	"log/slog"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
)

// FuzzRequestState sends arbitrary states and answers. Only a state from the server (its
// key is random) continues the call; with any other state the server asks the first
// question.
func FuzzRequestState(f *testing.F) {
	p := probeServer(f, mcp.Config{Logger: slog.New(slog.DiscardHandler)}, &booking{})
	var first round
	p.ask("tools/call", can(able(), params{"name": "book"})).decode(&first)
	f.Add(first.RequestState, "name", "Ada")
	f.Add(first.RequestState+"x", "name", "Ada")
	f.Add("", "sure", "")
	f.Add(first.RequestState[1:], "name", "\x00")
	f.Fuzz(func(t *testing.T, state, key, name string) {
		p := *p
		p.t, p.ctx = t, t.Context()
		r := p.ask("tools/call", can(able(), params{
			"name": "book", "requestState": state, "inputResponses": params{key: accept(params{"name": name})},
		}))
		if state == first.RequestState {
			r.round(t)
		} else if r.err == nil || r.err.Code != -32602 {
			t.Fatalf("the state %q gets %s", state, r.body)
		}
	})
}
