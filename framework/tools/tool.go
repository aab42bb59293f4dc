package tools

import (
	"context"
	"time"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/schema"
)

// Interface is the interface of a tool. Embed [Typed] to implement all methods but
// Description, or [Tool] to implement all but Description and Handle. One value serves
// concurrent calls, as an http.Handler does.
type Interface interface {
	// Name is the tool's name for the model. The default is the type's name in kebab
	// case without Tool at its end: echo for EchoTool. A tool's name is part of your API:
	// define Name before renaming the type.
	Name() string

	// Title is the tool's display name. The default is the type's name as words without
	// Tool at its end: Echo for EchoTool.
	Title() string

	// Description tells the model what the tool does and when to use it.
	Description() string

	// Schema describes the arguments, which are validated before Handle is called. The
	// default is no arguments.
	Schema(s *schema.Object)

	// OutputSchema describes the structured result. A result that violates it is logged,
	// and the model learns that the tool failed. The default is none.
	OutputSchema(s *schema.Object)

	// Icons are pictures for clients to show. The default is none.
	Icons() []content.Icon

	// Meta is metadata for client programs, sent as _meta. The default is none.
	Meta() map[string]any

	// Timeout limits how long a call may take. The default, 0, means Config.CallTimeout,
	// which is 60 seconds by default.
	Timeout() time.Duration

	// Guardrails run around calls of the tool, inside the server's guardrails. The method
	// is called once. The default is none.
	Guardrails() []guardrails.Guardrail

	// VisibleTo reports whether the caller may see the tool; exchange.PrincipalFrom(ctx)
	// returns the caller. For other callers the tool doesn't exist: lists omit it, and a
	// call is answered like a call of an unknown tool. VisibleTo runs several times per
	// request, so it should be fast. When it would answer otherwise than before, call
	// VisibilityChanged of the server. The default is true.
	VisibleTo(ctx context.Context) bool

	// CacheHint limits how long clients may reuse a list that has the tool: the shortest TTL
	// of its tools counts, and it is public only if all of them are. Results of calls are
	// never reused. The default, nil, means the server's.
	CacheHint() *exchange.CacheHint

	// OwnMethods lists exported methods of the type, such as "Guard", that the framework
	// would otherwise refuse as misspellings of its own. The default is none.
	OwnMethods() []string

	// Handle runs the tool. The context ends when the call times out, when the
	// client cancels it, or when the program stops.
	Handle(ctx context.Context, request *Request) (Result, error)

	mustEmbedTool()
}

// Tool is the base of a tool that describes its arguments by calls and reads them from the
// request. Its methods are the defaults. Embed it by value. [Typed] is the base of a tool
// whose arguments are a Go struct.
type Tool struct{ defaults }

var _ interface{ mustEmbedTool() } = Tool{}

// Name returns "", for a name derived from the type's name.
func (Tool) Name() string { return "" }

// Title returns "", for a title derived from the type's name.
func (Tool) Title() string { return "" }

// Schema describes no arguments.
func (Tool) Schema(*schema.Object) {}

// OutputSchema describes no structured result.
func (Tool) OutputSchema(*schema.Object) {}

// Icons returns none.
func (Tool) Icons() []content.Icon { return nil }

// Meta returns none.
func (Tool) Meta() map[string]any { return nil }

// Timeout returns 0, for Config.CallTimeout.
func (Tool) Timeout() time.Duration { return 0 }

// Guardrails returns none.
func (Tool) Guardrails() []guardrails.Guardrail { return nil }

func (Tool) mustEmbedTool() {}

// defaults has the methods that a struct embedded next to Tool may override. They are one
// level deeper than that struct's methods, so Go selects the struct's.
type defaults struct{}

// VisibleTo returns true.
//
//go:noinline
func (defaults) VisibleTo(ctx context.Context) bool { return true } // internal/engine/methods says why it isn't inlined

// CacheHint returns nil, for the server's.
func (defaults) CacheHint() *exchange.CacheHint { return nil }

// OwnMethods returns none.
func (defaults) OwnMethods() []string { return nil }

// Confirmed makes a tool run only after the user has confirmed the call. Embed it next to
// [Tool] or [Typed]:
//
//	type DeletePageTool struct {
//		tools.Tool
//		tools.Confirmed
//		annotations.IsDestructive
//	}
//
//	func (t *DeletePageTool) Confirmation(ctx context.Context, request *tools.Request) (string, error) {
//		page, err := t.pages.Find(ctx, request.String("pageId"))
//		if err != nil {
//			return "", err // the user isn't asked about a page that doesn't exist
//		}
//		return "Delete the page " + page.Title + "? This can't be undone.", nil
//	}
//
// A call first asks the user through the client, by the key "confirmed", whatever
// arguments the model sends. Handle runs if the user accepts. Otherwise the model gets
//
//	{"status":"declined","message":"…"}
//
// as structured content. A client that doesn't support questions gets
//
//	{"status":"confirmation_required","message":"…"}
//
// The message tells the model to ask the user and to call again with the argument
// confirmed set to true, which Confirmed adds to the tool's schema. That argument is only
// the model's claim that the user agreed, so it counts for these clients alone: a client
// that supports questions is always asked. A tool with an output schema returns the
// message as a tool error instead.
type Confirmed struct{}

// Confirmation returns the question to the user, such as "Delete page 7?". The default, "",
// asks with the tool's title and all arguments, with strings cut at 200 characters. If
// that takes more than 4000 characters, too many to read, the call is refused.
//
// An error ends the call, as one of Handle does, and the user isn't asked. Confirmation runs
// again when the answer arrives. If the question has changed by then, the user is asked again.
func (Confirmed) Confirmation(ctx context.Context, request *Request) (string, error) { return "", nil }
