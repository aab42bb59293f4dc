package prompts

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/prompts"
)

// EmbeddedResourcePrompt holds a resource.
type EmbeddedResourcePrompt struct {
	prompts.Prompt
}

// Name pins the name that the conformance suite asks for.
func (*EmbeddedResourcePrompt) Name() string { return "test_prompt_with_embedded_resource" }

// Description tells what the prompt is for.
func (*EmbeddedResourcePrompt) Description() string { return "Asks for something about a resource." }

// Arguments describes the prompt's arguments.
func (*EmbeddedResourcePrompt) Arguments(arguments *prompts.Arguments) {
	arguments.Argument("resourceUri").Description("The URI of the resource.").Required()
}

// Handle gets the prompt.
func (*EmbeddedResourcePrompt) Handle(ctx context.Context, request *prompts.Request) (prompts.Result, error) {
	uri := request.String("resourceUri")
	if parsed, err := url.Parse(uri); err != nil || !parsed.IsAbs() || strings.Contains(uri, " ") {
		return nil, &exchange.Error{Code: exchange.CodeInvalidParams, Message: fmt.Sprintf("resourceUri must be a URI, not %.60q", uri)}
	}
	return prompts.Messages{
		prompts.Say(content.User, content.EmbedText(uri, content.MIMEPlain, "Embedded resource content for testing.")),
		prompts.User("Please process the embedded resource above."),
	}, nil
}
