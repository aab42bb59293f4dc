package mcp_test

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

type gateIn struct {
	Message string   `json:"message"`
	Repeat  int      `json:"repeat"`
	Tags    []string `json:"tags"`
}

type gateOut struct {
	Message string   `json:"message"`
	Count   int      `json:"count"`
	Tags    []string `json:"tags"`
}

// gateServer has the typed echo of the benchmarks.
type gateServer struct{ servers.Server }

func (*gateServer) Tools() []servers.Tool {
	return []servers.Tool{tools.Func("echo", "Echoes.", func(_ context.Context, in gateIn) (gateOut, error) {
		return gateOut{in.Message, in.Repeat, in.Tags}, nil
	})}
}

func (*gateServer) Resources() []servers.Resource {
	return []servers.Resource{
		resources.New(resources.Definition{URI: "docs://one", Name: "one"}, gateRead),
		resources.New(resources.Definition{URI: "docs://{id}/many", Name: "many"}, gateRead),
	}
}

func gateRead(context.Context, *resources.Request) (resources.Result, error) {
	return resources.Text("text"), nil
}

func (*gateServer) Prompts() []servers.Prompt { return []servers.Prompt{&gatePrompt{}} }

type gatePrompt struct{ prompts.Prompt }

func (*gatePrompt) Name() string        { return "ask" }
func (*gatePrompt) Description() string { return "Asks." }
func (*gatePrompt) Arguments(arguments *prompts.Arguments) {
	arguments.Argument("language").Complete(completion.Values("go", "php"))
}

func (*gatePrompt) Handle(context.Context, *prompts.Request) (prompts.Result, error) {
	return prompts.User("text"), nil
}

const gateArguments = `{"message":"hello","repeat":2,"tags":["a","b"]}`
