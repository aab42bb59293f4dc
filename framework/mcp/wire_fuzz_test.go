package mcp_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// fuzzServer has no slow tool.
func fuzzServer() *wireServer {
	server := newWireServer()
	server.boot = bootWire
	for _, tool := range newWireServer().Tools() {
		if name := tool.Name(); name != "wait" && name != "stubborn" {
			server.tools = append(server.tools, tool)
		}
	}
	return server
}

// FuzzServeHTTP sends arbitrary requests. The server doesn't panic, and answers with a
// message, a stream of messages, or nothing.
func FuzzServeHTTP(f *testing.F) {
	call := modernCall(`1`, "region", `{"region":"eu","shard":42}`)
	f.Add("POST", call, "2026-07-28", "tools/call", "region", "", "application/json", "*/*", "127.0.0.1", "", "eu")
	f.Add("POST", initialize("2025-06-18"), "", "", "", "", "application/json", "", "localhost:80", "http://localhost", "")
	f.Add("POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, "2025-11-25", "", "", "x", "application/json", "text/event-stream", "127.0.0.1", "", "")
	f.Add("DELETE", "", "2025-11-25", "", "", "x", "", "", "[::1]:1", "null", "=?base64?ZQ==?=")
	f.Add("GET", "[]", "v1", "", "", "", "text/plain", "application/json;q=0", "evil.example", "https://evil.example", "")
	f.Add("POST", modernCall(`"s"`, "stream", `{}`), "2026-07-28", "tools/call", "stream", "", "application/json", "application/json, text/event-stream", "127.0.0.1", "", "")
	handler := wireHandler(f, mcp.Config{MaxBody: 1 << 16}, fuzzServer())
	client := &wireClient{handler: handler}
	session := client.post(f.Context(), initialize("2025-06-18"), "").Header().Get("Mcp-Session-Id")
	f.Fuzz(func(t *testing.T, method, body, version, mirror, name, id, kind, accept, host, origin, region string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(body))
		r.Method, r.Host = method, host
		for header, value := range map[string]string{
			"Mcp-Protocol-Version": version, "Mcp-Method": mirror, "Mcp-Name": name, "Content-Type": kind, "Accept": accept,
			"Origin": origin, "Mcp-Param-Region": region, "Mcp-Session-Id": strings.ReplaceAll(id, "x", session),
		} {
			if value != "" {
				r.Header[header] = []string{value}
			}
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		checkReply(t, w)
	})
}

// checkReply checks that an answer over HTTP is valid.
func checkReply(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	body := w.Body.Bytes()
	switch kind := w.Header().Get("Content-Type"); {
	case kind == "application/json":
		checkMessage(t, body)
	case kind == "text/event-stream":
		rest := w.Body.String()
		for _, event := range readEvents(rest) {
			checkMessage(t, []byte(event.data))
			rest = strings.TrimPrefix(rest, "data: "+event.data+"\n\n")
		}
		if rest != "" {
			t.Fatalf("%q is no whole event", rest)
		}
	case len(body) > 0 && (w.Code < 400 || !strings.HasPrefix(kind, "text/plain")):
		t.Fatalf("%d %s has the body %q", w.Code, kind, body)
	case len(body) == 0 && w.Code != http.StatusAccepted && w.Code != http.StatusNoContent:
		t.Fatalf("%d has no body", w.Code)
	}
	if w.Code >= 500 && w.Code != http.StatusServiceUnavailable {
		t.Fatalf("the status is %d: %s", w.Code, body)
	}
}

// checkMessage checks that bytes are one message of a server, on one line.
func checkMessage(t *testing.T, data []byte) {
	t.Helper()
	var message struct {
		Version string      `json:"jsonrpc"`
		ID      codec.Value `json:"id"`
		Method  string      `json:"method"`
		Params  codec.Value `json:"params"`
		Result  codec.Value `json:"result"`
		Error   *struct {
			Code    int         `json:"code"`
			Message string      `json:"message"`
			Data    codec.Value `json:"data"`
		} `json:"error"`
	}
	if err := json.Unmarshal(data, &message, json.RejectUnknownMembers(true)); err != nil || message.Version != "2.0" {
		t.Fatalf("%q is no message: %v", data, err)
	}
	kinds := 0
	for _, is := range []bool{message.Method != "", message.Result != nil, message.Error != nil && message.Error.Message != ""} {
		if is {
			kinds++
		}
	}
	if kinds != 1 || bytes.ContainsAny(data, "\r\n") || message.Result != nil && message.ID == nil {
		t.Fatalf("%q is no message of a server", data)
	}
	if bytes.Contains(data, []byte("secret")) || bytes.Contains(data, []byte("goroutine ")) {
		t.Fatalf("%q tells what is inside", data)
	}
}

// FuzzStdioLine sends arbitrary bytes to a program on stdio. The program writes only
// messages, one per line, and still answers afterwards.
func FuzzStdioLine(f *testing.F) {
	for _, bad := range badLines {
		f.Add([]byte(bad.line))
	}
	f.Add([]byte(initialize("2024-11-05") + "\r\n" + legacyCall(`1`, "blocks", `{}`) + "\n\n" + cancelled(`1`)))
	f.Add([]byte(modernCall(`1`, "stream", `{}`) + "\n" + modernCall(`1`, "boom", `{}`)))
	f.Add([]byte(strings.Repeat("x", 5000) + "\n[]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.Contains(data, []byte(`still there`)) {
			return // the ID by which the test recognizes the answer
		}
		app := mcp.New(mcp.Config{MaxLine: 4096, Logger: slog.New(slog.DiscardHandler)})
		app.Router.Local("fixture", fuzzServer())
		in := io.MultiReader(bytes.NewReader(data), strings.NewReader("\n"+`{"jsonrpc":"2.0","id":"still there","method":"ping"}`+"\n"))
		var out bytes.Buffer
		if code := app.Run(t.Context(), []string{"start", "fixture"}, in, &out, io.Discard); code != 0 {
			t.Fatalf("the program ends with %d", code)
		}
		pong := false
		for line := range bytes.Lines(out.Bytes()) {
			checkMessage(t, bytes.TrimSuffix(line, []byte("\n")))
			pong = pong || bytes.Contains(line, []byte(`still there`))
		}
		if !pong {
			t.Fatalf("afterwards ping gets nothing, but:\n%s", out.Bytes())
		}
	})
}
