package prompts_test

import (
	"fmt"

	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/internal/engine/server/servertest"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// show prints the listed form of a prompt, and its results for the arguments, for the
// examples.
func show(prompt prompts.Interface, arguments ...string) {
	client := servertest.Of(&servertest.Server{PromptList: []prompts.Interface{prompt}})
	fmt.Println(client.List("prompts"))
	for _, raw := range arguments {
		showMessages(client.Get(naming.Prompt.NameOf(prompt), raw))
	}
}

// showResult prints the messages of a result.
func showResult(result prompts.Result) {
	showMessages(servertest.Of(&servertest.Server{PromptList: []prompts.Interface{giving(result)}}).Get("give", "{}"))
}

// showMessages prints a line for each message of a raw result, or the error.
func showMessages(result string) {
	messages := spec.ParseArray(spec.Lookup([]byte(result), "messages"))
	if messages == nil {
		fmt.Println(result)
	}
	for _, message := range messages {
		fmt.Println(string(message))
	}
}
