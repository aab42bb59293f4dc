package interop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// A client is one connection of somebody else's MCP client to the app. Its
// methods are what the behaviours in behaviour_test.go need; an adapter turns
// them into calls of the library behind it.
type client interface {
	// Version is the protocol version that the connection settled on.
	Version() string
	// ListTools returns the names of all tools, from all pages.
	ListTools(ctx context.Context) ([]string, error)
	// CallTool calls a tool. A JSON-RPC error is returned as a *rpcError.
	CallTool(ctx context.Context, call toolCall) (*toolResult, error)
	// ListResources, ListTemplates and ListPrompts return the URIs, templates and
	// names of all pages.
	ListResources(ctx context.Context) ([]string, error)
	ListTemplates(ctx context.Context) ([]string, error)
	ListPrompts(ctx context.Context) ([]string, error)
	// ReadResource returns the texts of a resource's contents.
	ReadResource(ctx context.Context, uri string) ([]string, error)
	// GetPrompt returns a prompt's messages, each as its role, a colon and its text.
	GetPrompt(ctx context.Context, name string, arguments map[string]string) ([]string, error)
	// Complete returns the values that are suggested for an argument.
	Complete(ctx context.Context, ref reference, argument, value string) ([]string, error)
	// Watch asks to be told of other lists of tools, and of other contents of a
	// resource, as the connection's version does that.
	Watch(ctx context.Context, uri string) error
	// Notifications returns what the server has notified so far, oldest first.
	Notifications() []notification
	// Close ends the connection. Over stdio it also reports a server that did
	// not exit cleanly, as far as the library tells.
	Close() error
}

// A toolCall is one tools/call. With Progress the client asks for progress.
type toolCall struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
	Progress  bool           `json:"progress"`
}

// A reference names what has an argument to complete: a prompt by its name, or a
// template by its URI.
type reference struct {
	Type string `json:"type"`
	Name string `json:"name,omitempty"`
	URI  string `json:"uri,omitempty"`
}

// A toolResult is the part of a result that the behaviours look at.
type toolResult struct {
	// Texts are the texts of the text blocks, in order.
	Texts []string `json:"texts"`
	// Structured is structuredContent, or empty.
	Structured json.RawMessage `json:"structured"`
	IsError    bool            `json:"isError"`
}

// A notification is one message that the server sent without being asked.
type notification struct {
	Method string         `json:"method"`
	Params map[string]any `json:"params"`
}

// A rpcError is a JSON-RPC error as the client shows it.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return fmt.Sprintf("JSON-RPC error %d: %s", e.Code, e.Message) }

// A target says where a client connects to: URL over HTTP, Events over HTTP with SSE,
// Command over stdio.
type target struct {
	Name    string
	URL     string
	Events  string
	Command []string
	Dir     string
	Env     []string
	// Answers says that the client can be asked, and how: it accepts every form
	// with answeredForm, samples answeredText and has the root answeredRoot.
	Answers bool
}

// What clients answer that can be asked.
const (
	answeredName  = "Ada"
	answeredEmail = "ada@example.com"
	answeredText  = "Paris"
	answeredRoot  = "file:///work"
)

// answeredForm has all fields that the forms of the fixture ask for.
func answeredForm() map[string]any {
	return map[string]any{"name": answeredName, "username": answeredName, "email": answeredEmail}
}

// targets returns a program's endpoint and its command.
func (p *program) targets(t *testing.T, path, handle string) []target {
	dir := t.TempDir()
	return []target{
		{Name: "http", URL: "http://" + p.addr + path},
		{Name: "stdio", Command: []string{p.binary, "start", handle}, Dir: dir, Env: appEnv(dir)},
	}
}

// testContext bounds everything that one client does.
func testContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}
