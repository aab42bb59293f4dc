package wire

import (
	"encoding/json"
	"fmt"
	"net/http"
)

const (
	// Modern is the stateless protocol version.
	Modern = "2026-07-28"
	// Legacy is the newest version with a handshake and sessions.
	Legacy = "2025-11-25"
	// Notifications is how many notifications the stream tool sends before its result.
	Notifications = 100
	// Tools is how many tools the tools/list path lists.
	Tools = 100
)

// Request is one encoded message: its body on one line, and its HTTP headers.
type Request struct {
	Header http.Header
	Body   []byte
}

// ModernCall returns a tools/call of a tool with the sample arguments, in version 2026-07-28.
func ModernCall(id int, tool string) Request {
	return modern(id, "tools/call", tool, map[string]any{"name": tool, "arguments": sample()})
}

// ModernStream returns a tools/call of a tool that asks for progress, in version 2026-07-28.
func ModernStream(id int, tool string) Request {
	return modern(id, "tools/call", tool, map[string]any{"name": tool, "arguments": sample(),
		"_meta": map[string]any{"progressToken": "bench"}})
}

// ModernArguments returns a tools/call of a tool with the given arguments, in version 2026-07-28.
func ModernArguments(id int, tool string, arguments any) Request {
	return modern(id, "tools/call", tool, map[string]any{"name": tool, "arguments": arguments})
}

// ModernList returns a tools/list for the first page, in version 2026-07-28.
func ModernList(id int) Request {
	return modern(id, "tools/list", "", map[string]any{})
}

// ModernListen returns a subscriptions/listen for changes of the list of tools, in version
// 2026-07-28.
func ModernListen(id int) Request {
	return modern(id, "subscriptions/listen", "", map[string]any{"notifications": map[string]any{"toolsListChanged": true}})
}

// ModernPage returns a tools/list for the page of a cursor, or the first one if that is "", in
// version 2026-07-28.
func ModernPage(id int, cursor string) Request {
	if cursor == "" {
		return ModernList(id)
	}
	return modern(id, "tools/list", "", map[string]any{"cursor": cursor})
}

// LegacyCall returns a tools/call of a tool with the sample arguments, for a session.
func LegacyCall(id int, tool string) Request {
	return legacy(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call",
		"params": map[string]any{"name": tool, "arguments": sample()}})
}

// Initialize returns the first message of a legacy session.
func Initialize() Request {
	return legacy(map[string]any{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": map[string]any{
		"protocolVersion": Legacy, "capabilities": map[string]any{}, "clientInfo": client()}})
}

// Initialized returns the notification that ends the legacy handshake.
func Initialized() Request {
	return legacy(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

// InSession returns the request with the headers of a session: its id and its negotiated version.
func (r Request) InSession(id, version string) Request {
	header := r.Header.Clone()
	header["Mcp-Session-Id"] = []string{id}
	header["Mcp-Protocol-Version"] = []string{version}
	return Request{Header: header, Body: r.Body}
}

// WithToken returns the request with an access token.
func (r Request) WithToken(token string) Request {
	r.Header = r.Header.Clone()
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

func modern(id int, method, name string, params map[string]any) Request {
	meta, ok := params["_meta"].(map[string]any)
	if !ok {
		meta = map[string]any{}
	}
	meta["io.modelcontextprotocol/protocolVersion"] = Modern
	meta["io.modelcontextprotocol/clientInfo"] = client()
	meta["io.modelcontextprotocol/clientCapabilities"] = map[string]any{}
	params["_meta"] = meta
	header := header()
	header["Mcp-Protocol-Version"] = []string{Modern}
	header["Mcp-Method"] = []string{method}
	if name != "" {
		header["Mcp-Name"] = []string{name}
	}
	return Request{Header: header, Body: encode(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})}
}

func legacy(message map[string]any) Request {
	return Request{Header: header(), Body: encode(message)}
}

func header() http.Header {
	return http.Header{
		"Content-Type": {"application/json"},
		"Accept":       {"application/json, text/event-stream"},
		"User-Agent":   {"bench"},
	}
}

func client() map[string]any {
	return map[string]any{"name": "bench", "version": "1.0.0"}
}

func encode(message any) []byte {
	body, err := json.Marshal(message)
	if err != nil {
		panic(fmt.Sprintf("bench: a request does not encode: %v", err)) // can't happen: it is constant
	}
	return body
}
