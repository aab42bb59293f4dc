package proxy

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// A new program gets what the client has told the programs before: the handshake, the level of
// the log, and the subscriptions that the client hasn't ended.
func TestANewProgramGetsTheStateOfASession(t *testing.T) {
	t.Parallel()
	var got []string
	x, _ := newProxy(t)
	older := refusing(t, x)
	newer := serving(t, x, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		for _, name := range []string{"Last-Event-Id", "Content-Encoding", "Accept-Encoding", "Connection"} {
			if value, ok := r.Header[name]; ok {
				t.Errorf("the program gets %s: %s", name, value)
			}
		}
		if r.Header.Get("Authorization") != "Bearer of-the-client" || r.Host != "example.com" || r.URL.Path != "/mcp" || int(r.ContentLength) != len(body) {
			t.Errorf("the program gets %v of %d bytes at %s%s", r.Header, r.ContentLength, r.Host, r.URL)
		}
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
	for name, value := range map[string]string{ // of the session at the program before
		"Mcp-Session-Id": "old", "Mcp-Protocol-Version": "2025-03-26", "Last-Event-Id": "7", "Content-Length": "1", "Content-Encoding": "gzip", "Accept-Encoding": "br", "Connection": "close",
	} {
		request.Header.Set(name, value)
	}
	request.Header.Set("Authorization", "Bearer of-the-client")
	s := newSession("old", request, x.NewClient(), older)
	for _, message := range messages {
		var m jsonrpc.Message
		if err := m.Scan([]byte(message)); err != nil {
			t.Fatal(err)
		}
		s.client.Begin(older, &m, nil)
	}
	for moves := range 2 { // the second time the program knows the session
		id, moved, err := x.connect(t.Context(), s, newer, request)
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

// Every program declares all lists. A client that hears of an empty one would ask for nothing.
func TestAClientHearsOfListsThatHaveOrHadItems(t *testing.T) {
	t.Parallel()
	const every = `{"listChanged":true}`
	answers := map[string]string{
		"initialize":               `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":` + every + `,"resources":` + every + `,"prompts":` + every + `}}`,
		"tools/list":               `"result":{"tools":[]}`,
		"resources/list":           `"result":{"resources":[]}`,
		"resources/templates/list": `"result":{"resourceTemplates":[]}`,
		"prompts/list":             `"result":{"prompts":[]}`,
	}
	var asked []string
	x, _ := newProxy(t)
	next := func() *program {
		return serving(t, x, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			var m jsonrpc.Message
			_ = m.Scan(body)
			asked = append(asked, string(m.Method))
			w.Header().Set("Content-Type", "application/json")
			if answer := answers[string(m.Method)]; answer != "" {
				_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":"x",`+answer+`}`)
			}
		})
	}
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", nil)
	first := refusing(t, x)
	s := newSession("old", request, x.NewClient(), first)
	s.client.Begin(first, &jsonrpc.Message{Method: []byte("initialize"), Params: []byte(`{}`)}, nil)
	moves := func(generation int, want []string, methods ...string) {
		t.Helper()
		asked = nil
		if _, _, err := x.connect(t.Context(), s, next(), request); err != nil {
			t.Fatal(err)
		}
		var hears []string
		for _, message := range s.client.ListChanges() {
			hears = append(hears, strings.TrimSuffix(strings.TrimPrefix(string(message), `{"jsonrpc":"2.0","method":"notifications/`), `/list_changed"}`))
		}
		if !slices.Equal(hears, want) {
			t.Errorf("with program %d, the client hears of %q, want %q", generation, hears, want)
		}
		if methods = append([]string{"initialize", "notifications/initialized"}, methods...); !slices.Equal(asked, methods) {
			t.Errorf("program %d is asked for %q, want %q", generation, asked, methods)
		}
	}
	moves(2, nil, "tools/list", "resources/list", "resources/templates/list", "prompts/list")
	answers["resources/templates/list"] = `"result":{"resourceTemplates":[{"uriTemplate":"a://{b}"}]}`
	moves(3, []string{"resources"}, "tools/list", "resources/list", "resources/templates/list", "prompts/list")
	list := s.client.Requests(&jsonrpc.Message{Kind: jsonrpc.Request, Method: []byte("tools/list"), ID: []byte("1")})[0]
	list.Answer(&jsonrpc.Message{Kind: jsonrpc.Response, Result: []byte(`{"tools":[{"name":"a"}]}`)})
	answers["prompts/list"] = `"error":{"code":-32603,"message":"no"}`
	moves(4, []string{"tools", "resources", "prompts"}, "prompts/list")
	moves(5, []string{"tools", "resources", "prompts"})
}
