package prompts

import (
	"context"
	"time"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/guardrails"
)

// Interface is a prompt as a server sees it. Embed [Prompt] to satisfy everything but
// Description and Handle. One value serves concurrent requests, as an http.Handler
// does.
type Interface interface {
	// Name is the prompt's name for programs. The default is the type's name in
	// kebab case: CodeReviewPrompt is code-review-prompt. A prompt's name is part of
	// your API: define Name before renaming the type.
	Name() string

	// Title is the prompt's display name. The default is the headline of the type's
	// name: CodeReviewPrompt is Code Review Prompt.
	Title() string

	// Description tells the person who picks the prompt what it does.
	Description() string

	// Arguments describes the arguments, which are always texts. The default is a
	// prompt without arguments.
	Arguments(arguments *Arguments)

	// Icons are pictures for clients to show. The default is none.
	Icons() []content.Icon

	// Meta is metadata for client programs, sent as _meta. The default is none.
	Meta() map[string]any

	// Timeout is how long a request may take. The default, 0, is the server's:
	// Config.CallTimeout, 60 seconds.
	Timeout() time.Duration

	// Guardrails run around getting and completing the prompt, inside the server's. The
	// method is called once. The default is none.
	Guardrails() []guardrails.Guardrail

	// VisibleTo reports whether the caller may see the prompt. The context says who that
	// is: see exchange.PrincipalFrom. For other callers the prompt doesn't exist: lists
	// leave it out, and a request gets the answer of an unknown name. VisibleTo runs several
	// times a request, so it should be fast. The default is true.
	VisibleTo(ctx context.Context) bool

	// OwnMethods names exported methods of the type that the framework would take for
	// misspellings of its own, such as "Guard", and refuse. The default is none.
	OwnMethods() []string

	// Handle makes the messages. The context ends when the request times out, when
	// the client cancels it, or when the program stops.
	Handle(ctx context.Context, request *Request) (Result, error)

	mustEmbedPrompt()
}

// Prompt is the base of every prompt. Its methods are the defaults. Embed it by value.
type Prompt struct{ defaults }

var _ interface{ mustEmbedPrompt() } = Prompt{}

// Name returns "", which means: derived from the type's name.
func (Prompt) Name() string { return "" }

// Title returns "", which means: derived from the type's name.
func (Prompt) Title() string { return "" }

// Arguments describes no arguments.
func (Prompt) Arguments(*Arguments) {}

// Icons returns none.
func (Prompt) Icons() []content.Icon { return nil }

// Meta returns none.
func (Prompt) Meta() map[string]any { return nil }

// Timeout returns 0, which means: the server's.
func (Prompt) Timeout() time.Duration { return 0 }

// Guardrails returns none.
func (Prompt) Guardrails() []guardrails.Guardrail { return nil }

func (Prompt) mustEmbedPrompt() {}

// defaults has the methods that a struct embedded beside Prompt may override: they are
// one level deeper than that struct's methods, which Go prefers.
type defaults struct{}

// VisibleTo returns true.
//
//go:noinline
func (defaults) VisibleTo(ctx context.Context) bool { return true } // internal/methods says why it isn't inlined

// OwnMethods returns none.
func (defaults) OwnMethods() []string { return nil }
