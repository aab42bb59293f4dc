package interop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"testing"
	"time"
)

// A client is one connection of another project's MCP client to the app. It has the methods
// that behaviour_test.go needs. Each library has an adapter.
type client interface {
	// Version returns the negotiated protocol version.
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
	// Complete returns the suggested values for an argument.
	Complete(ctx context.Context, ref reference, argument, value string) ([]string, error)
	// Watch subscribes to changes of the list of tools and of the contents of a resource,
	// as the connection's version defines it.
	Watch(ctx context.Context, uri string) error
	// Notifications returns the notifications received so far, oldest first.
	Notifications() []notification
	// Close ends the connection. Over stdio, it also reports a server that didn't exit
	// cleanly, if the library reports that.
	Close() error
}

// A toolCall is one tools/call. Progress asks for progress notifications.
type toolCall struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
	Progress  bool           `json:"progress"`
}

// A reference names the prompt or template whose argument is completed: a prompt by its
// name, a template by its URI.
type reference struct {
	Type string `json:"type"`
	Name string `json:"name,omitempty"`
	URI  string `json:"uri,omitempty"`
}

// A toolResult is the part of a result that the tests check.
type toolResult struct {
	// Texts are the texts of the text blocks, in order.
	Texts []string `json:"texts"`
	// Structured is structuredContent, or empty.
	Structured json.RawMessage `json:"structured"`
	IsError    bool            `json:"isError"`
}

// A notification is one notification of the server.
type notification struct {
	Method string         `json:"method"`
	Params map[string]any `json:"params"`
}

// A rpcError is a JSON-RPC error, as the client reports it.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return fmt.Sprintf("JSON-RPC error %d: %s", e.Code, e.Message) }

// A target is the server of a client: a URL over HTTP, Events over HTTP with SSE, or a
// Command over stdio.
type target struct {
	Name    string
	URL     string
	Events  string
	Command []string
	Dir     string
	Env     []string
	// Answers means that the client can be asked: it accepts every form with answeredForm,
	// samples answeredText, and has the root answeredRoot.
	Answers bool
	// Login is what a client does if the server is guarded. Only some clients can log in.
	Login login
	// Extension is the extension that the client declares, if any.
	Extension string
}

// program returns the server on stdio, to be started.
func (t target) program() *exec.Cmd {
	cmd := exec.Command(t.Command[0], t.Command[1:]...)
	cmd.Dir, cmd.Env = t.Dir, t.Env
	return cmd
}

// A login is how a client logs in to the authorization server of a guarded server.
type login string

// A client registers for refresh tokens with codeAndRefresh, but not with codeOnly. With
// byDocument it doesn't register: its ID is documentURL.
const (
	codeAndRefresh login = "refresh"
	codeOnly       login = "code"
	byDocument     login = "document"
)

// documentURL is the URL of the metadata document of clients. The program of guarded routes
// knows the client at this URL, so that nobody fetches the document.
const documentURL = "https://interop.example/client.json"

// The answers of clients that can be asked.
const (
	answeredName  = "Ada"
	answeredEmail = "ada@example.com"
	answeredText  = "Paris"
	answeredRoot  = "file:///work"
)

// answeredForm returns the values for all fields of the fixture's forms.
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

// testContext limits the time of one client.
func testContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}
