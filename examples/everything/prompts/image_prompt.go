package prompts

import (
	"context"
	_ "embed"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/prompts"
)

//go:embed square.png
var square []byte

// ImagePrompt holds a picture.
type ImagePrompt struct {
	prompts.Prompt
}

// Name pins the name that the conformance suite asks for.
func (*ImagePrompt) Name() string { return "test_prompt_with_image" }

// Description tells what the prompt is for.
func (*ImagePrompt) Description() string { return "Asks for something about a picture." }

// Handle gets the prompt.
func (*ImagePrompt) Handle(ctx context.Context, request *prompts.Request) (prompts.Result, error) {
	return prompts.Messages{
		prompts.Say(content.User, content.Image(square, content.MIMEPNG)),
		prompts.User("Please analyze the image above."),
	}, nil
}
