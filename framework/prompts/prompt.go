package prompts

import (
	"context"
	"time"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
)

// Interface is the interface of a prompt. Embed [Prompt] to implement all methods but
// Description and Handle. One value serves concurrent requests, as an http.Handler does.
type Interface interface {
	// Name is the prompt's name for programs. The default is the type's name in kebab
	// case without Prompt at its end: code-review for CodeReviewPrompt. A prompt's name is
	// part of your API: define Name before renaming the type.
	Name() string

	// Title is the prompt's display name. The default is the type's name as words
	// without Prompt at its end: Code Review for CodeReviewPrompt.
	Title() string

	// Description tells the person who picks the prompt what it does.
	Description() string

	// Arguments describes the arguments, which are always strings. The default is no
	// arguments.
	Arguments(arguments *Arguments)

	// Icons are pictures for clients to show. The default is none.
	Icons() []content.Icon

	// Meta is metadata for client programs, sent as _meta. The default is none.
	Meta() map[string]any

	// Timeout limits how long a request may take. The default, 0, means
	// Config.CallTimeout, which is 60 seconds by default.
	Timeout() time.Duration

	// Guardrails run around gets and completions of the prompt, inside the server's
	// guardrails. The method is called once. The default is none.
	Guardrails() []guardrails.Guardrail

	// VisibleTo reports whether the caller may see the prompt;
	// exchange.PrincipalFrom(ctx) returns the caller. For other callers the prompt
	// doesn't exist: lists omit it, and a request is answered like a request for an
	// unknown prompt. VisibleTo runs several times per request, so it should be fast. When
	// it would answer otherwise than before, call VisibilityChanged of the server. The
	// default is true.
	VisibleTo(ctx context.Context) bool

	// CacheHint limits how long clients may reuse a list that has the prompt: the shortest TTL
	// of its prompts counts, and it is public only if all of them are. The messages of a
	// prompt are never reused. The default, nil, means the server's.
	CacheHint() *exchange.CacheHint

	// OwnMethods lists exported methods of the type, such as "Guard", that the framework
	// would otherwise refuse as misspellings of its own. The default is none.
	OwnMethods() []string

	// Handle returns the messages. The context ends when the request times out, when the
	// client cancels it, or when the program stops.
	Handle(ctx context.Context, request *Request) (Result, error)

	mustEmbedPrompt()
}

// Prompt is the base of every prompt. Its methods are the defaults. Embed it by value.
type Prompt struct{ defaults }

var _ interface{ mustEmbedPrompt() } = Prompt{}

// Name returns "", for a name derived from the type's name.
func (Prompt) Name() string { return "" }

// Title returns "", for a title derived from the type's name.
func (Prompt) Title() string { return "" }

// Arguments describes no arguments.
func (Prompt) Arguments(*Arguments) {}

// Icons returns none.
func (Prompt) Icons() []content.Icon { return nil }

// Meta returns none.
func (Prompt) Meta() map[string]any { return nil }

// Timeout returns 0, for Config.CallTimeout.
func (Prompt) Timeout() time.Duration { return 0 }

// Guardrails returns none.
func (Prompt) Guardrails() []guardrails.Guardrail { return nil }

func (Prompt) mustEmbedPrompt() {}

// defaults has the methods that a struct embedded next to Prompt may override. They are
// one level deeper than that struct's methods, so Go selects the struct's.
type defaults struct{}

// VisibleTo returns true.
//
//go:noinline
func (defaults) VisibleTo(ctx context.Context) bool { return true } // internal/engine/methods says why it isn't inlined

// CacheHint returns nil, for the server's.
func (defaults) CacheHint() *exchange.CacheHint { return nil }

// OwnMethods returns none.
func (defaults) OwnMethods() []string { return nil }
