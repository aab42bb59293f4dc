package prompts_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

func TestAPromptMadeAtRunTimeCallsItsFunction(t *testing.T) {
	t.Parallel()
	prompt := prompts.New(prompts.Definition{Name: "greet", Arguments: []prompts.ArgumentDefinition{{Name: "who"}}},
		func(_ context.Context, request *prompts.Request) (prompts.Result, error) {
			return prompts.User("Hello, " + request.String("who")), nil
		})
	mcptest.Prompt(t, prompt, mcptest.Args{"who": "Ada"}).AssertOK().AssertSee("Hello, Ada")
}

func TestDefinitionsRoundTrip(t *testing.T) {
	t.Parallel()
	for wire, want := range map[string]prompts.Definition{
		`{"name":"n"}`: {Name: "n"},
		`{"name":"n","title":"N","description":"d","icons":[{"src":"data:,x","theme":"dark"}],` +
			`"arguments":[{"name":"a","title":"A","description":"b","required":true},{"name":"c"}],"_meta":{"k":"v"}}`: {
			Name: "n", Title: "N", Description: "d", Icons: []content.Icon{{Src: "data:,x", Theme: "dark"}},
			Arguments: []prompts.ArgumentDefinition{{Name: "a", Title: "A", Description: "b", Required: true}, {Name: "c"}}, Meta: map[string]any{"k": "v"},
		},
	} {
		encoded, err := codec.Marshal(want)
		if err != nil || string(encoded) != wire {
			t.Fatalf("got\n%s, %v\nwant\n%s", encoded, err, wire)
		}
		var got prompts.Definition
		if err := codec.Unmarshal(encoded, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s came back as %+v, %v", wire, got, err)
		}
	}
}
