package dev

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/dev/process"
	"github.com/bowline-mcp/bowline/internal/jsonrpc"
)

// A new program gets what the client has told the programs before: the handshake, the level of
// the log, and the subscriptions that the client hasn't ended.
func TestANewProgramGetsTheStateOfASession(t *testing.T) {
	t.Parallel()
	var got []string
	newer := serving(t, 2, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, r.Header.Get("Mcp-Session-Id")+" "+r.Header.Get("Mcp-Protocol-Version")+" "+string(body))
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Mcp-Session-Id", "new")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":"x","result":{"protocolVersion":"2025-06-18"}}`)
	})
	messages := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"older"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"info"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"logging/setLevel","params":{"level":"error"}}`,
		`{"jsonrpc":"2.0","id":4,"method":"resources/subscribe","params":{"uri":"a://b"}}`,
		`{"jsonrpc":"2.0","id":5,"method":"resources/subscribe","params":{"uri":"a://a"}}`,
		`{"jsonrpc":"2.0","id":6,"method":"resources/subscribe","params":{"uri":"a://c"}}`,
		`{"jsonrpc":"2.0","id":7,"method":"resources/unsubscribe","params":{"uri":"a://c"}}`,
	}
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", nil)
	older := &program{Process: &process.Process{Exited: make(chan struct{})}, generation: 1}
	var s *session
	for _, message := range messages {
		var m jsonrpc.Message
		if err := m.Scan([]byte(message)); err != nil {
			t.Fatal(err)
		}
		if s == nil {
			s = newSession("old", request, &m, older)
		}
		s.begin(&m, nil)
	}
	for moves := range 2 { // the second time the program knows the session
		id, moved, err := s.connect(t.Context(), newer, request)
		if err != nil || id != "new" || moved != (moves == 0) {
			t.Errorf("the session is %q, moved %v, %v", id, moved, err)
		}
	}
	want := []string{
		`  {"id":"mcp-dev:initialize","method":"initialize","params":{"clientInfo":{"name":"older"}}}`,
		`new 2025-06-18 {"method":"notifications/initialized"}`,
		`new 2025-06-18 {"id":"mcp-dev:logging/setLevel","method":"logging/setLevel","params":{"level":"error"}}`,
		`new 2025-06-18 {"id":"mcp-dev:resources/subscribe","method":"resources/subscribe","params":{"uri":"a://a"}}`,
		`new 2025-06-18 {"id":"mcp-dev:resources/subscribe","method":"resources/subscribe","params":{"uri":"a://b"}}`,
	}
	for i := range got {
		got[i] = strings.Replace(got[i], `"jsonrpc":"2.0",`, "", 1)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the program got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
