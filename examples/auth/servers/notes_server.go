// Package servers has the server of the examples of authorization.
package servers

import (
	"context"
	"slices"
	"sync"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// NotesServer keeps notes in memory.
type NotesServer struct {
	servers.Server

	mu    sync.Mutex
	notes []string
}

// Tools lists what the server offers.
func (s *NotesServer) Tools() []servers.Tool {
	return []servers.Tool{
		tools.Func("list-notes", "Lists the notes.", func(context.Context, struct{}) (Notes, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			return Notes{slices.Clone(s.notes)}, nil
		}),
		&AddNoteTool{server: s},
	}
}

// Notes are the result of list-notes.
type Notes struct {
	Notes []string `json:"notes"`
}

// AddNoteTool adds a note. Clients see it without the scope notes:write; when they call it,
// they are asked to get the scope.
type AddNoteTool struct {
	tools.Tool
	server *NotesServer
}

// Name names the tool.
func (*AddNoteTool) Name() string { return "add-note" }

// Description tells the model what the tool does.
func (*AddNoteTool) Description() string { return "Adds a note." }

// Schema describes the tool's arguments.
func (*AddNoteTool) Schema(s *schema.Object) {
	s.String("text").Description("The note.").Required()
}

// Guardrails require the scope.
func (*AddNoteTool) Guardrails() []guardrails.Guardrail {
	return []guardrails.Guardrail{auth.Require("notes:write")}
}

// Handle runs the tool.
func (t *AddNoteTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	t.server.mu.Lock()
	defer t.server.mu.Unlock()
	t.server.notes = append(t.server.notes, request.String("text"))
	return tools.Text(nameOf(request.Principal()) + " added the note."), nil
}

// nameOf returns the name of a user, or else the subject of the token.
func nameOf(principal exchange.Principal) string {
	if name, ok := principal.Claims["name"].(string); ok {
		return name
	}
	return principal.Subject
}
