package tools_test

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

func TestDefinitionsMarshalToTheWireFormAndBack(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		definition tools.Definition
		want       string
	}{
		{"all that can be absent is", tools.Definition{Name: "a"}, `{"name":"a"}`},
		{
			"everything",
			tools.Definition{
				Name: "a", Title: "A", Description: "d", Icons: []content.Icon{{Src: "data:,", MIMEType: "image/png", Sizes: []string{"any"}, Theme: "light"}},
				InputSchema: json.RawMessage(`{"type":"object"}`), OutputSchema: json.RawMessage(`true`),
				Annotations: annotations.Hints{Title: "T", ReadOnly: new(false), Destructive: new(true), Idempotent: new(false), OpenWorld: new(true)},
				Meta:        map[string]any{"k": "v"},
			},
			`{"name":"a","title":"A","description":"d","icons":[{"src":"data:,","mimeType":"image/png","sizes":["any"],"theme":"light"}],` +
				`"inputSchema":{"type":"object"},"outputSchema":true,` +
				`"annotations":{"title":"T","readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true},"_meta":{"k":"v"}}`,
		},
		{"the timeout stays here", tools.Definition{Name: "a", Timeout: time.Second}, `{"name":"a"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			for name, codec := range map[string]struct {
				marshal   func(any) ([]byte, error)
				unmarshal func([]byte, any) error
			}{"codec": {codec.Marshal, codec.Unmarshal}, "encoding/json": {json.Marshal, json.Unmarshal}} {
				got, err := codec.marshal(test.definition)
				if err != nil || string(got) != test.want {
					t.Errorf("%s: got\n%s, %v\nwant\n%s", name, got, err, test.want)
				}
				var back tools.Definition
				want := test.definition
				want.Timeout = 0
				if err := codec.unmarshal(got, &back); err != nil || !reflect.DeepEqual(back, want) {
					t.Errorf("%s: came back as %+v, %v", name, back, err)
				}
			}
		})
	}
}

func TestAToolMadeAtRunTimeIsLikeAnyOther(t *testing.T) {
	t.Parallel()
	tool := tools.New(tools.Definition{
		Name: "greet", Description: "Greets.",
		InputSchema:  json.RawMessage(`{"type":"object","properties":{"name":{"type":"string","minLength":2}},"required":["name"]}`),
		OutputSchema: json.RawMessage(`{"type":"object","properties":{"greeting":{"type":"string"}},"required":["greeting"]}`),
	}, func(_ context.Context, request *tools.Request) (tools.Result, error) {
		if request.String("name") == "nobody" {
			return tools.Structured(map[string]any{"greeting": 7}), nil
		}
		return tools.Structured(map[string]any{"greeting": "Hello " + request.String("name")}), nil
	})
	client := mcptest.New(t, &server{tools: []servers.Tool{tool}})
	client.Tool(tool, mcptest.Args{"name": "Ann"}).AssertOK().AssertStructured(map[string]any{"greeting": "Hello Ann"})
	client.Call("greet", mcptest.Args{"name": "A"}).AssertError("/name: ")
	client.Call("greet", nil).AssertError("/name: required")
	client.Call("greet", mcptest.Args{"name": "nobody"}).AssertError("The tool greet failed.")
}

func TestAToolWithoutASchemaTakesNoArguments(t *testing.T) {
	t.Parallel()
	tool := tools.New(tools.Definition{Name: "now", Description: "Tells the time."}, func(context.Context, *tools.Request) (tools.Result, error) {
		return tools.Text("noon"), nil
	})
	mcptest.Tool(t, tool, nil).AssertOK().AssertSee("noon")
	mcptest.Tool(t, tool, mcptest.Args{"zone": "UTC"}).AssertError("/zone: ")
}

func TestAToolsOwnTimeoutEndsItsCall(t *testing.T) {
	t.Parallel()
	tool := tools.New(tools.Definition{Name: "slow", Description: "Sleeps.", Timeout: time.Millisecond},
		func(ctx context.Context, _ *tools.Request) (tools.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
	mcptest.Tool(t, tool, nil).AssertError("The tool slow timed out after 1ms (request ")
}
