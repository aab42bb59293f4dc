package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/bowline-mcp/bowline/internal/cli/arguments"
	"github.com/bowline-mcp/bowline/internal/cli/client"
	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/questions"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// request makes the request that the arguments describe, and prints the result.
func (c *call) request(ctx context.Context, connected *client.Client) (int, error) {
	switch {
	case c.command.Flags().Changed("resource"):
		result, err := connected.ReadResource(ctx, c.resource)
		if err != nil {
			return 0, c.suggestResource(ctx, connected, err)
		}
		return exitOK, c.output.resource(result)
	case c.prompt:
		return exitOK, c.getPrompt(ctx, connected)
	}
	tools, err := connected.Tools(ctx)
	if err != nil {
		return 0, err
	}
	var names []string
	var options []questions.Option
	for _, tool := range tools {
		names, options = append(names, tool.Name), append(options, option(tool.Name, tool.Description))
	}
	if err := c.chooseName("tool", names, options); err != nil {
		return 0, err
	}
	for _, tool := range tools {
		if tool.Name != c.words[0] {
			continue
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
	return 0, unknownName("tool", c.words[0], names)
}

func (c *call) getPrompt(ctx context.Context, connected *client.Client) error {
	prompts, err := connected.Prompts(ctx)
	if err != nil {
		return err
	}
	var names []string
	var options []questions.Option
	for _, prompt := range prompts {
		names, options = append(names, prompt.Name), append(options, option(prompt.Name, prompt.Description))
	}
	if err := c.chooseName("prompt", names, options); err != nil {
		return err
	}
	for _, prompt := range prompts {
		if prompt.Name != c.words[0] {
			continue
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
	return unknownName("prompt", c.words[0], names)
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

// unknownName returns the error for a name that isn't in a list.
func unknownName(kind, name string, names []string) error {
	switch nearest := naming.Nearest(name, names); {
	case len(names) == 0:
		return fmt.Errorf("there is no %s %q: there are none", kind, name)
	case nearest != "":
		return fmt.Errorf("there is no %s %q; did you mean %q?", kind, name, nearest)
	}
	return fmt.Errorf("there is no %s %q; there are: %s", kind, name, naming.Quoted(names))
}
