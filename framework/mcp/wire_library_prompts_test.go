package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/servers"
)

func (s *wireLibrary) Prompts() []servers.Prompt {
	fails := func(name string, err error) servers.Prompt {
		return wirePrompt(name, func(context.Context, *prompts.Request) (prompts.Result, error) { return nil, err })
	}
	return []servers.Prompt{
		&wireReview{},
		&wireForms{},
		&wirePicks{},
		wirePrompt("blocks", func(context.Context, *prompts.Request) (prompts.Result, error) {
			return prompts.Say(content.User, wireBlocks().Content...), nil
		}),
		fails("locked", prompts.Errorf("The repository %q is locked.", "x")),
		fails("broken", errors.New("secret failure")),
		fails("lost", exchange.ErrPromptNotFound),
		fails("paper", &exchange.Error{Code: 7, Message: "Out of paper"}),
		wirePrompt("boom", func(context.Context, *prompts.Request) (prompts.Result, error) { panic("secret boom") }),
		prompts.New(prompts.Definition{Name: "slow", Timeout: time.Second}, func(ctx context.Context, _ *prompts.Request) (prompts.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}),
		&hiddenPrompt{wirePrompt("hidden", saysPrompt("found")), &s.revealed},
	}
}

// wireReview has every field of a definition.
type wireReview struct{ prompts.Prompt }

func (*wireReview) Name() string         { return "review" }
func (*wireReview) Title() string        { return "Code review" }
func (*wireReview) Description() string  { return "Asks for a review." }
func (*wireReview) Meta() map[string]any { return map[string]any{"example.com/tier": 1} }
func (*wireReview) Icons() []content.Icon {
	return []content.Icon{{Src: "https://example.com/review.png", Theme: "dark"}}
}

func (*wireReview) Arguments(arguments *prompts.Arguments) {
	arguments.Argument("code").Title("Code").Description("What to review.").Required()
	arguments.Argument("style").Title("Style").Enum("casual", "formal").Default("casual")
	arguments.Argument("lines")
}

func (*wireReview) Handle(_ context.Context, r *prompts.Request) (prompts.Result, error) {
	in := struct {
		Lines int `json:"lines"`
	}{3}
	if err := r.Bind(&in); err != nil {
		return nil, err
	}
	return prompts.User(fmt.Sprintf("Review %s, %s, in %d lines.", r.String("code"), r.String("style"), in.Lines)), nil
}

// wireForms returns its result in the form that the argument names.
type wireForms struct{ prompts.Prompt }

func (*wireForms) Name() string        { return "forms" }
func (*wireForms) Description() string { return "Has every form." }

func (*wireForms) Arguments(arguments *prompts.Arguments) { arguments.Argument("form") }

func (*wireForms) Handle(_ context.Context, r *prompts.Request) (prompts.Result, error) {
	type object = map[string]any
	image := content.Image([]byte{1}, "image/png")
	forms := map[string]any{
		"message":            prompts.Assistant("hi"),
		"messages":           prompts.Messages{prompts.User("a"), prompts.Assistant("b")},
		"list":               []prompts.Message{prompts.User("a"), prompts.Assistant("b")},
		"mixed list":         []any{prompts.User("a"), object{"role": "assistant", "content": "b"}, prompts.Pair{User: "c"}},
		"pair":               prompts.Pair{User: "q", Assistant: image},
		"half a pair":        prompts.Pair{Assistant: "a"},
		"result":             &prompts.GetResult{Description: "Described.", Messages: prompts.Messages{prompts.User("a")}, Meta: object{"example.com/a": 1}},
		"role and content":   object{"role": "user", "content": "a"},
		"user, assistant":    object{"user": "q", "assistant": "a"},
		"messages, in a map": object{"description": "Described.", "messages": []any{object{"role": "user", "content": "a"}}},
		"block as a map":     object{"role": "user", "content": object{"type": "text", "text": "a"}},
		"blocks":             object{"role": "user", "content": []any{content.Text("a"), image}},
		"nil content":        object{"role": "user", "content": nil},
		"JSON content":       object{"role": "user", "content": []int{1, 2}},
		"several blocks":     prompts.User("look:", image, content.Link("https://example.com/doc", "doc")),
		"system":             prompts.Messages{prompts.User("a"), prompts.System("be kind", image.WithMeta(object{"example.com/a": 1})), prompts.Assistant("b")},
		"unknown role":       object{"role": "tool", "content": "a"},
		"no message":         prompts.Messages{},
		"nothing":            nil,
		"a number":           7,
	}
	return prompts.Wrap(forms[r.String("form")])
}

// wirePicks has arguments to complete.
type wirePicks struct{ prompts.Prompt }

func (*wirePicks) Name() string        { return "picks" }
func (*wirePicks) Description() string { return "Has arguments to complete." }

func (*wirePicks) Arguments(arguments *prompts.Arguments) {
	arguments.Argument("language").Complete(completion.Values("go", "Go!", "php", "python"))
	arguments.Argument("folded").Complete(completion.Values("go", "Go!", "php").Fold())
	arguments.Argument("style").Enum("casual", "formal")
	arguments.Argument("city").Complete(completion.Func(func(_ context.Context, r *completion.Request) ([]string, error) {
		return []string{r.Argument("country") + "/" + r.Value}, nil
	}))
	arguments.Argument("country")
	arguments.Argument("number").Complete(completion.Func(func(context.Context, *completion.Request) ([]string, error) {
		var values []string
		for i := range 250 {
			values = append(values, fmt.Sprint(i))
		}
		return values, nil
	}))
	arguments.Argument("broken").Complete(completion.Func(func(context.Context, *completion.Request) ([]string, error) {
		return nil, errors.New("secret failure")
	}))
	arguments.Argument("boom").Complete(completion.Func(func(context.Context, *completion.Request) ([]string, error) {
		panic("secret boom")
	}))
}

func (*wirePicks) Handle(context.Context, *prompts.Request) (prompts.Result, error) {
	return prompts.User("picked"), nil
}

// hiddenPrompt is hidden from all clients until it is revealed.
type hiddenPrompt struct {
	servers.Prompt
	revealed *atomic.Bool
}

func (h *hiddenPrompt) VisibleTo(context.Context) bool { return h.revealed.Load() }

// wirePrompt returns a prompt that calls a function.
func wirePrompt(name string, handle func(context.Context, *prompts.Request) (prompts.Result, error)) servers.Prompt {
	return prompts.New(prompts.Definition{Name: name}, handle)
}

func saysPrompt(text string) func(context.Context, *prompts.Request) (prompts.Result, error) {
	return func(context.Context, *prompts.Request) (prompts.Result, error) { return prompts.User(text), nil }
}

// wireItems has items of one kind, without completion.
type wireItems struct {
	servers.Server
	prompts   []servers.Prompt
	resources []servers.Resource
}

func (*wireItems) Version() string                 { return "1.2.3" }
func (s *wireItems) Prompts() []servers.Prompt     { return s.prompts }
func (s *wireItems) Resources() []servers.Resource { return s.resources }
