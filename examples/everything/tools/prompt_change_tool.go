package tools

import (
	"context"
	"sync"

	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// PromptChangeTool changes the server's list of prompts while it serves.
type PromptChangeTool struct {
	tools.Tool
	Server *servers.Server
	lock   sync.Mutex // two calls at once don't both add it
}

// Name is the one that the official conformance suite looks for.
func (*PromptChangeTool) Name() string { return "test_trigger_prompt_change" }

// Description tells the model what the tool does.
func (*PromptChangeTool) Description() string {
	return "Adds a prompt to the server, or removes it again."
}

// Handle runs the tool.
func (t *PromptChangeTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.Server.RemovePrompt("test_sometimes_prompt") {
		return tools.Text("The prompt test_sometimes_prompt is gone."), nil
	}
	sometimes := prompts.New(prompts.Definition{Name: "test_sometimes_prompt", Description: "Is there sometimes."},
		func(context.Context, *prompts.Request) (prompts.Result, error) {
			return prompts.User("I am here."), nil
		})
	return tools.Text("The prompt test_sometimes_prompt is there."), t.Server.AddPrompt(sometimes)
}
