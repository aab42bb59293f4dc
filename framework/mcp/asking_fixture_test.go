package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// A booking is a server whose tools, prompt and resource ask the client.
type booking struct {
	servers.Server
	charged atomic.Int32 // how often a card was charged
}

func (*booking) Name() string { return "booking" }

func (b *booking) Tools() []servers.Tool {
	return []servers.Tool{
		wireTool("book", `{"type":"object","properties":{"room":{"type":"integer"},"note":{"type":"object"}}}`, b.book),
		wireTool("early", ``, func(ctx context.Context, request *tools.Request) (tools.Result, error) {
			answer, err := request.Ask(ctx, "name", nameForm().Early())
			if err != nil {
				return nil, err
			}
			return tools.Text("early " + answer.String("name")), nil
		}),
		wireTool("several", ``, func(ctx context.Context, request *tools.Request) (tools.Result, error) {
			answers, err := request.AskAll(ctx, map[string]ask.Question{
				"name": nameForm(), "capital": ask.Sample(ask.User("What is the capital of France?")), "roots": ask.Roots(),
			})
			if err != nil {
				return nil, err
			}
			return tools.Text(fmt.Sprint(answers["name"].String("name"), answers["capital"].Text(), len(answers["roots"].Roots()))), nil
		}),
		wireTool("swallows", ``, func(ctx context.Context, request *tools.Request) (tools.Result, error) {
			_, _ = request.Ask(ctx, "name", nameForm())
			return tools.Text("I don't care."), nil
		}),
		wireTool("pretends", ``, func(context.Context, *tools.Request) (tools.Result, error) {
			return nil, exchange.ErrInputRequired
		}),
		wireTool("alone", ``, func(ctx context.Context, request *tools.Request) (tools.Result, error) {
			_, err := request.Ask(ctx, "name", nameForm())
			if errors.Is(err, exchange.ErrCannotAsk) {
				return tools.Text("I'll manage."), nil
			}
			return nil, err
		}),
		wireTool("forever", ``, func(ctx context.Context, request *tools.Request) (tools.Result, error) {
			for i := range 100 {
				if _, err := request.Ask(ctx, fmt.Sprint("q", i), nameForm()); err != nil {
					return nil, err
				}
			}
			return tools.Text("at last"), nil
		}),
		wireTool("stray", ``, func(_ context.Context, request *tools.Request) (tools.Result, error) {
			go func() { _, _ = request.Ask(context.Background(), "name", nameForm()) }()
			time.Sleep(time.Millisecond)
			return tools.Text("done"), nil
		}),
		wireTool("hasty", ``, func(ctx context.Context, request *tools.Request) (tools.Result, error) {
			ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
			defer cancel()
			_, err := request.Ask(ctx, "name", nameForm())
			if !errors.Is(err, context.DeadlineExceeded) {
				return nil, fmt.Errorf("Ask returns %w", err)
			}
			return nil, err
		}),
		wireTool("works", `{"type":"object","properties":{"seconds":{"type":"integer"}}}`, works),
		wireTool("samekey", ``, func(ctx context.Context, request *tools.Request) (tools.Result, error) {
			for _, question := range []string{"First?", "Second?"} {
				if _, err := request.Confirm(ctx, "sure", question); err != nil {
					return nil, err
				}
			}
			return tools.Text("done"), nil
		}),
		wireTool("dearer", ``, func(ctx context.Context, request *tools.Request) (tools.Result, error) {
			sure, err := request.Confirm(ctx, "sure", fmt.Sprintf("Pay %d?", b.charged.Add(1)))
			if err != nil {
				return nil, err
			}
			return tools.Text(fmt.Sprint("paid: ", sure)), nil
		}),
		wireTool("wrong", ``, func(ctx context.Context, request *tools.Request) (tools.Result, error) {
			_, err := request.Ask(ctx, "name", ask.Form("", nil))
			return nil, err
		}),
	}
}

// works waits before it asks, and the same time afterwards.
func works(ctx context.Context, request *tools.Request) (tools.Result, error) {
	work := time.Duration(request.Int("seconds")) * time.Second
	time.Sleep(work)
	if _, err := request.Ask(ctx, "name", nameForm()); err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(work):
	}
	deadline, _ := ctx.Deadline()
	return tools.Text(fmt.Sprint("left: ", time.Until(deadline))), nil
}

func nameForm() *ask.FormQuestion {
	return ask.Form("What is your name?", func(form *ask.Fields) { form.String("name").Required() })
}

// book asks twice, and charges once.
func (b *booking) book(ctx context.Context, request *tools.Request) (tools.Result, error) {
	answer, err := request.Ask(ctx, "name", nameForm())
	if err != nil {
		return nil, err
	}
	if !answer.Accepted() {
		return tools.Text("Never mind: " + string(answer.Action())), nil
	}
	price, err := exchange.Once(request, "price", func() (int, error) { return 40 + int(b.charged.Add(1)), nil })
	if err != nil {
		return nil, err
	}
	sure, err := request.Confirm(ctx, "sure", fmt.Sprintf("Book room %d for %d?", request.Int("room"), price))
	if err != nil {
		return nil, err
	}
	return tools.Text(fmt.Sprintf("%s, %d, %t", answer.String("name"), price, sure)), nil
}

func (b *booking) Prompts() []servers.Prompt {
	return []servers.Prompt{prompts.New(prompts.Definition{Name: "letter"}, func(ctx context.Context, request *prompts.Request) (prompts.Result, error) {
		answer, err := request.Ask(ctx, "name", nameForm())
		if err != nil {
			return nil, err
		}
		return prompts.User("Write to " + answer.String("name")), nil
	})}
}

func (b *booking) Resources() []servers.Resource {
	return []servers.Resource{resources.New(resources.Definition{URI: "booking://invoice", Name: "invoice"}, func(ctx context.Context, request *resources.Request) (resources.Result, error) {
		answer, err := request.Ask(ctx, "name", nameForm())
		if err != nil {
			return nil, err
		}
		return resources.Text("Invoice for " + answer.String("name")), nil
	})}
}

func (b *booking) Boot(context.Context) error {
	return b.AddMethod("acme/ask", func(ctx context.Context, request *exchange.Request) (any, error) {
		_, err := request.Ask(ctx, "name", nameForm())
		return nil, err
	})
}

// A round has the questions to a client.
type round struct {
	ResultType    string `json:"resultType"`
	RequestState  string `json:"requestState"`
	InputRequests map[string]struct {
		Method string      `json:"method"`
		Params codec.Value `json:"params"`
	} `json:"inputRequests"`
}

// able are the capabilities of a client that supports all questions.
func able() params {
	return params{"elicitation": params{"form": params{}, "url": params{}}, "sampling": params{"tools": params{}}, "roots": params{}}
}

// can returns params of a request of a client with capabilities.
func can(capabilities, given params) params {
	out := params{"_meta": params{"io.modelcontextprotocol/clientCapabilities": capabilities}}
	for name, value := range given {
		out[name] = value
	}
	return out
}

// round returns the questions to the client.
func (r reply) round(t testing.TB) round {
	t.Helper()
	var asked round
	if r.result == "" {
		t.Fatalf("there is no result: %d %s", r.status, r.body)
	}
	r.decode(&asked)
	if asked.ResultType != "input_required" || asked.RequestState == "" {
		t.Fatalf("the client is not asked: %s", r.body)
	}
	return asked
}

// accept is an accepted form.
func accept(content params) params { return params{"action": "accept", "content": content} }
