package tools

import (
	"context"
	"time"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/schema"
)

// Interface is a tool as a server sees it. Embed [Tool] to satisfy everything but
// Description and Handle. One value serves concurrent calls, as an http.Handler does.
type Interface interface {
	// Name is the tool's name for the model. The default is the type's name in
	// kebab case: EchoTool is echo-tool. A tool's name is part of your API: define
	// Name before renaming the type.
	Name() string

	// Title is the tool's display name. The default is the headline of the type's name:
	// EchoTool is Echo Tool.
	Title() string

	// Description tells the model what the tool does and when to use it.
	Description() string

	// Schema describes the arguments. They are checked before Handle is called.
	// The default is a tool without arguments.
	Schema(schema *schema.Object)

	// OutputSchema describes the structured result. A result that breaks it is
	// logged, and the model reads that the tool failed. The default is none.
	OutputSchema(schema *schema.Object)

	// Icons are pictures for clients to show. The default is none.
	Icons() []content.Icon

	// Meta is metadata for client programs, sent as _meta. The default is none.
	Meta() map[string]any

	// Timeout is how long a call may take. The default, 0, is the server's:
	// Config.CallTimeout, 60 seconds.
	Timeout() time.Duration

	// Guardrails run around calls of the tool, inside the server's. The method is
	// called once. The default is none.
	Guardrails() []guardrails.Guardrail

	// VisibleTo reports whether the caller may see the tool. The context says who that
	// is: see exchange.PrincipalFrom. For other callers the tool doesn't exist: lists
	// leave it out, and a call gets the answer of an unknown name. VisibleTo runs several
	// times a request, so it should be fast. The default is true.
	VisibleTo(ctx context.Context) bool

	// OwnMethods names exported methods of the type that the framework would take for
	// misspellings of its own, such as "Guard", and refuse. The default is none.
	OwnMethods() []string

	// Handle runs the tool. The context ends when the call times out, when the
	// client cancels it, or when the program stops.
	Handle(ctx context.Context, request *Request) (Result, error)

	mustEmbedTool()
}

// Tool is the base of every tool. Its methods are the defaults. Embed it by value.
type Tool struct{ defaults }

var _ interface{ mustEmbedTool() } = Tool{}

// Name returns "", which means: derived from the type's name.
func (Tool) Name() string { return "" }

// Title returns "", which means: derived from the type's name.
func (Tool) Title() string { return "" }

// Schema describes no arguments.
func (Tool) Schema(*schema.Object) {}

// OutputSchema describes no structured result.
func (Tool) OutputSchema(*schema.Object) {}

// Icons returns none.
func (Tool) Icons() []content.Icon { return nil }

// Meta returns none.
func (Tool) Meta() map[string]any { return nil }

// Timeout returns 0, which means: the server's.
func (Tool) Timeout() time.Duration { return 0 }

// Guardrails returns none.
func (Tool) Guardrails() []guardrails.Guardrail { return nil }

func (Tool) mustEmbedTool() {}

// defaults has the methods that a struct embedded beside Tool may override: they are
// one level deeper than that struct's methods, which Go prefers.
type defaults struct{}

// VisibleTo returns true.
//
//go:noinline
func (defaults) VisibleTo(ctx context.Context) bool { return true } // internal/methods says why it isn't inlined

// OwnMethods returns none.
func (defaults) OwnMethods() []string { return nil }

// Confirmed makes a tool run only if the user has agreed. Embed it beside [Tool]:
//
//	type DeletePageTool struct {
//		tools.Tool
//		tools.Confirmed
//		annotations.IsDestructive
//	}
//
//	func (*DeletePageTool) Confirmation(request *tools.Request) string {
//		return "Delete page " + request.String("pageId") + "? This can't be undone."
//	}
//
// A call first asks the user through the client, by the key "confirmed", whatever
// arguments the model has sent. Handle runs once the user has accepted. Otherwise the
// model gets
//
//	{"status":"declined","message":"…"}
//
// as structured content. A client that can't be asked gets
//
//	{"status":"confirmation_required","message":"…"}
//
// whose message tells the model to ask the user and to call again with the argument
// confirmed set to true, which Confirmed adds to the tool's schema. That argument is
// only the model's claim that the user agreed, so it counts for these clients alone: a
// client that can be asked is always asked. A tool with an output schema returns the
// message as a tool error instead.
type Confirmed struct{}

// Confirmation is the question to the user, such as "Delete page 7?". The default, "",
// names the tool's title and all arguments, with texts cut at 200 characters. If that
// takes more than 4000 characters, too many to read, the call is refused.
func (Confirmed) Confirmation(request *Request) string { return "" }
