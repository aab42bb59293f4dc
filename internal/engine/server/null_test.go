package server_test

import (
	"context"
	"io"
	"testing"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/engine/server/servertest"
)

// Some clients send null for absent members, and an empty cursor for the first page.
func TestNullCountsAsAbsentInBothEras(t *testing.T) {
	t.Parallel()
	suggest := completion.Func(func(_ context.Context, request *completion.Request) ([]string, error) {
		return []string{request.Argument("country")}, nil
	})
	newest, err := servertest.New(&servertest.Server{
		ToolList: []servers.Tool{
			tools.New(tools.Definition{
				Name: "echo", Description: "Echoes.", InputSchema: []byte(`{"type":"object","properties":{"text":{"type":"string","default":"ho"}}}`),
			}, func(_ context.Context, request *tools.Request) (tools.Result, error) {
				return tools.Text(request.String("text")), nil
			}),
			tools.New(tools.Definition{
				Name: "strict", Description: "Is strict.", InputSchema: []byte(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`),
			}, func(context.Context, *tools.Request) (tools.Result, error) { return tools.Text("ok"), nil }),
		},
		PromptList: []servers.Prompt{&declaring{declare: func(a *prompts.Arguments) {
			a.Argument("a")
			a.Argument("b").Default("bee")
			a.Argument("city").Complete(suggest)
		}}},
	}, servertest.Config(io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	const declaring = `{"ref":{"type":"ref/prompt","name":"declaring","title":null},"argument":{"name":"city","value":"O"}`
	for _, client := range []*servertest.Client{newest, old(newest)} {
		for _, test := range []struct{ method, null, absent string }{
			{"tools/call", `{"name":"echo","arguments":null}`, `{"name":"echo","arguments":{}}`},
			{"tools/call", `{"name":"strict","arguments":null}`, `{"name":"strict","arguments":{}}`},
			{"tools/call", `{"name":"echo","inputResponses":null,"requestState":null}`, `{"name":"echo"}`},
			{"prompts/get", `{"name":"declaring","arguments":null}`, `{"name":"declaring"}`},
			{"prompts/get", `{"name":"declaring","arguments":{"a":null,"b":null}}`, `{"name":"declaring"}`},
			{"tools/list", `{"cursor":null}`, `{}`},
			{"tools/list", `{"cursor":""}`, `{}`},
			{"tools/list", `{"per_page":null}`, `{}`},
			{"completion/complete", declaring + `,"context":null}`, declaring + `}`},
			{"completion/complete", declaring + `,"context":{"arguments":null}}`, declaring + `}`},
			{"completion/complete", declaring + `,"context":{"arguments":{"country":null}}}`, declaring + `}`},
		} {
			if got, want := client.Result(test.method, test.null), client.Result(test.method, test.absent); got != want {
				t.Errorf("%s with %s: got\n%s\nwant that of %s:\n%s", test.method, test.null, got, test.absent, want)
			}
		}
	}
}
