package prompts_test

import (
	"context"
	"fmt"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/prompts"
)

// ExplainPrompt asks for an explanation in a style.
type ExplainPrompt struct{ prompts.Prompt }

func (*ExplainPrompt) Description() string { return "Explains a topic." }

func (*ExplainPrompt) Arguments(arguments *prompts.Arguments) {
	arguments.Argument("topic").Description("What to explain.").Required()
	arguments.Argument("style").Enum("short", "long").Default("short")
}

func (*ExplainPrompt) Handle(ctx context.Context, request *prompts.Request) (prompts.Result, error) {
	return prompts.Messages{
		prompts.User("Explain " + request.String("topic") + "."),
		prompts.System("Your answers are " + request.String("style") + "."),
	}, nil
}

// A prompt is a type that embeds prompts.Prompt. Its arguments are checked before Handle
// is called.
func Example() {
	show(&ExplainPrompt{}, `{"topic":"knots"}`, `{"style":"funny"}`)
	// Output:
	// {"name":"explain","title":"Explain","description":"Explains a topic.","arguments":[{"name":"topic","description":"What to explain.","required":true},{"name":"style"}]}
	// {"role":"user","content":{"type":"text","text":"Your answers are short.","_meta":{"originalRole":"system"}}}
	// {"role":"user","content":{"type":"text","text":"Explain knots."}}
	// error -32602: The arguments of the prompt explain are not valid: "topic" is missing; "style" must be one of "short", "long", not "funny".
}

// A message with several blocks is sent as several messages.
func ExampleUser() {
	showResult(prompts.User("What is this?", content.Image([]byte("…"), "image/png")))
	// Output:
	// {"role":"user","content":{"type":"text","text":"What is this?"}}
	// {"role":"user","content":{"type":"image","data":"4oCm","mimeType":"image/png"}}
}

func ExampleWrap() {
	result, err := prompts.Wrap(map[string]any{"user": "Hello.", "assistant": "Hi."})
	if err != nil {
		fmt.Println(err)
		return
	}
	showResult(result)
	// Output:
	// {"role":"user","content":{"type":"text","text":"Hello."}}
	// {"role":"assistant","content":{"type":"text","text":"Hi."}}
}
