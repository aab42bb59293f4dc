package auth_test

import (
	"context"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// shelfServer has a tool and a prompt, with guardrails of the server and of both.
type shelfServer struct {
	servers.Server
	all, own []guardrails.Guardrail
}

func (s *shelfServer) Guardrails() []guardrails.Guardrail { return s.all }

func (s *shelfServer) Tools() []servers.Tool {
	return []servers.Tool{tools.New(tools.Definition{Name: "take", Description: "Takes a book.", Guardrails: s.own}, func(context.Context, *tools.Request) (tools.Result, error) {
		return tools.Text("taken"), nil
	})}
}

func (s *shelfServer) Prompts() []servers.Prompt { return []servers.Prompt{&bookPrompt{own: s.own}} }

type bookPrompt struct {
	prompts.Prompt
	own []guardrails.Guardrail
}

func (*bookPrompt) Name() string                         { return "book" }
func (*bookPrompt) Description() string                  { return "A book." }
func (p *bookPrompt) Guardrails() []guardrails.Guardrail { return p.own }
func (*bookPrompt) Arguments(arguments *prompts.Arguments) {
	arguments.Argument("title").Complete(completion.Values("secret"))
}
func (*bookPrompt) Handle(context.Context, *prompts.Request) (prompts.Result, error) {
	return prompts.User("book"), nil
}

func TestCompletionsRequireTheScopesOfTheirPrompt(t *testing.T) {
	t.Parallel()
	client := mcptest.New(t, &shelfServer{own: []guardrails.Guardrail{auth.Require("shelf:read")}})
	client.As(exchange.Principal{ID: "ana"}).CompletePrompt("book", "title", "", nil).AssertForbidden("shelf:read")
	client.As(exchange.Principal{ID: "bo", Scopes: []string{"shelf:read"}}).CompletePrompt("book", "title", "", nil).AssertSee("secret")
}

func TestAnErrorOfTheFunctionForScopesRefusesTheOperation(t *testing.T) {
	t.Parallel()
	fails := auth.RequireFunc(func(context.Context, *guardrails.Operation) ([]string, error) {
		return nil, &exchange.Error{Code: exchange.CodeInvalidParams, Message: "There is no such shelf"}
	})
	client := mcptest.New(t, &shelfServer{own: []guardrails.Guardrail{fails}})
	client.As(exchange.Principal{ID: "me", Local: true}).Call("take", nil).AssertError("There is no such shelf")
}

// validate returns the mistakes of an app that serves a server at a route.
func validate(server servers.Interface, guards ...mcp.Guard) error {
	app := mcp.New(mcp.Config{})
	route := app.Router.Web("/shelf", server)
	if len(guards) > 0 {
		route.Guard(guards...)
	}
	return app.Validate()
}

func TestScopesOfAServerNeedAGuard(t *testing.T) {
	t.Parallel()
	all := []guardrails.Guardrail{auth.Require("shelf:read")}
	err := validate(&shelfServer{all: all})
	if err == nil || !strings.Contains(err.Error(), `the tool take has Require("shelf:read"), but the route /shelf has no guard`) {
		t.Errorf("without a guard the error is %v", err)
	}
	if err := validate(&shelfServer{all: all}, auth.Bearer(readerVerifier{})); err != nil {
		t.Errorf("with a guard the error is %v", err)
	}
}

func TestScopesThatNoHeaderCanCarryAreMistakes(t *testing.T) {
	t.Parallel()
	for _, scope := range []string{"", "a b", "a\n", `a"b`, `a\b`, "é"} {
		err := validate(&shelfServer{own: []guardrails.Guardrail{auth.Require("shelf:read", scope)}}, auth.Bearer(readerVerifier{}))
		if err == nil || !strings.Contains(err.Error(), "must be one word of printable ASCII characters") {
			t.Errorf("%q: the error is %v", scope, err)
		}
	}
}
