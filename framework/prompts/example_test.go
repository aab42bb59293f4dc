package prompts_test

import (
	"context"
	"encoding/json"
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

func Example() {
	prompt := &ExplainPrompt{}
	compiled, _ := prompts.Compile(prompt)
	fmt.Println(string(compiled.JSON))

	request, _ := prompts.NewRequest(nil, compiled, []byte(`{"topic":"knots"}`))
	result, _ := prompt.Handle(context.Background(), &request)
	printResult(result)

	_, err := prompts.NewRequest(nil, compiled, []byte(`{"style":"funny"}`))
	fmt.Println(err)
	// Output:
	// {"name":"explain-prompt","title":"Explain Prompt","description":"Explains a topic.","arguments":[{"name":"topic","description":"What to explain.","required":true},{"name":"style"}]}
	// {"role":"user","content":{"type":"text","text":"Your answers are short.","_meta":{"originalRole":"system"}}}
	// {"role":"user","content":{"type":"text","text":"Explain knots."}}
	// The arguments of the prompt explain-prompt are not valid: "topic" is missing; "style" must be one of "short", "long", not "funny".
}

// A message with several blocks is sent as several messages.
func ExampleUser() {
	printResult(prompts.User("What is this?", content.Image([]byte("…"), "image/png")))
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
	printResult(result)
	// Output:
	// {"role":"user","content":{"type":"text","text":"Hello."}}
	// {"role":"assistant","content":{"type":"text","text":"Hi."}}
}

func printResult(result prompts.Result) {
	finished, err := prompts.Finish(result)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, message := range finished.Messages {
		encoded, _ := json.Marshal(message)
		fmt.Println(string(encoded))
	}
}
