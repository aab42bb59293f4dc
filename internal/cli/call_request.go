package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/bowline-mcp/bowline/internal/cli/arguments"
	"github.com/bowline-mcp/bowline/internal/cli/client"
	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// request makes the request that the arguments describe, and prints the result.
func (c *call) request(ctx context.Context, connected *client.Client) (int, error) {
	switch {
	case c.resource != "":
		result, err := connected.ReadResource(ctx, c.resource)
		if err != nil {
			return 0, c.suggestResource(ctx, connected, err)
		}
		return invocation.ExitOK, c.output.resource(result)
	case c.prompt:
		return invocation.ExitOK, c.getPrompt(ctx, connected)
	}
	tools, err := connected.Tools(ctx)
	if err != nil {
		return 0, err
	}
	tool, err := choose(c, "tool", tools, func(t client.Tool) (string, string) { return t.Name, t.Description })
	if err != nil {
		return 0, err
	}
	args, err := c.arguments(tool.InputSchema)
	if err != nil {
		return 0, err
	}
	result, err := connected.CallTool(ctx, tool, args)
	if err != nil {
		return 0, err
	}
	return c.output.tool(tool.Name, result)
}

func (c *call) getPrompt(ctx context.Context, connected *client.Client) error {
	prompts, err := connected.Prompts(ctx)
	if err != nil {
		return err
	}
	prompt, err := choose(c, "prompt", prompts, func(p client.Prompt) (string, string) { return p.Name, p.Description })
	if err != nil {
		return err
	}
	var texts []arguments.Text
	for _, argument := range prompt.Arguments {
		texts = append(texts, arguments.Text(argument))
	}
	args, err := c.arguments(arguments.Texts(texts))
	if err != nil {
		return err
	}
	result, err := connected.GetPrompt(ctx, prompt.Name, args)
	if err != nil {
		return err
	}
	return c.output.prompt(result)
}

// arguments returns the arguments in the words after the name, and asks for those that are
// missing. Mistakes in the words come first, so that nobody answers for nothing.
func (c *call) arguments(schema []byte) ([]byte, error) {
	given, err := arguments.Parse(schema, c.words[1:])
	if err != nil {
		return nil, invocation.NewUsageError("%s: %w", c.words[0], err)
	}
	words, err := c.complete(schema, c.words[1:])
	if err != nil || len(words) == len(c.words)-1 {
		return given, err
	}
	return arguments.Parse(schema, words)
}

// suggestResource adds the nearest URI to the error for a resource that the server may not
// know.
func (c *call) suggestResource(ctx context.Context, connected *client.Client, problem error) error {
	answered := new(client.Error)
	if !errors.As(problem, &answered) || !answered.IsUnknown() {
		return problem
	}
	resources, err := connected.Resources(ctx)
	if err != nil {
		return problem // it says more
	}
	var uris []string
	for _, resource := range resources {
		uris = append(uris, resource.URI)
	}
	if nearest := naming.Nearest(c.resource, uris); nearest != "" && nearest != c.resource {
		return fmt.Errorf("%w; did you mean %s?", problem, naming.Printable(nearest))
	}
	return problem
}
