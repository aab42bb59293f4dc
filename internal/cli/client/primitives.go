package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A Tool is a tool of the server, with the raw schema of its arguments.
type Tool struct {
	Name        string      `json:"name"`
	Description string      `json:"description"`
	InputSchema codec.Value `json:"inputSchema"`
}

// A Prompt is a prompt of the server.
type Prompt struct {
	Name        string           `json:"name"`
	Description string           `json:"description"`
	Arguments   []PromptArgument `json:"arguments"`
}

// A PromptArgument is an argument of a prompt.
type PromptArgument struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
}

// A Resource is a resource of the server.
type Resource struct {
	URI string `json:"uri"`
}

// Tools lists the tools.
func (c *Client) Tools(ctx context.Context) ([]Tool, error) {
	return list[Tool](ctx, c, "tools", "tools/list")
}

// Prompts lists the prompts.
func (c *Client) Prompts(ctx context.Context) ([]Prompt, error) {
	return list[Prompt](ctx, c, "prompts", "prompts/list")
}

// Resources lists the resources, without templates.
func (c *Client) Resources(ctx context.Context) ([]Resource, error) {
	return list[Resource](ctx, c, "resources", "resources/list")
}

// Lists are the raw entries of all lists of a server.
type Lists struct{ Tools, Resources, Templates, Prompts [][]byte }

// Lists reads all lists of the server. A list that it doesn't know is empty.
func (c *Client) Lists(ctx context.Context) (lists Lists, err error) {
	for _, list := range []struct {
		entries                    *[][]byte
		capability, member, method string
	}{
		{&lists.Tools, "tools", "tools", "tools/list"},
		{&lists.Resources, "resources", "resources", "resources/list"},
		{&lists.Templates, "resources", "resourceTemplates", "resources/templates/list"},
		{&lists.Prompts, "prompts", "prompts", "prompts/list"},
	} {
		*list.entries, err = c.entries(ctx, list.capability, list.member, list.method)
		if answered := new(Error); errors.As(err, &answered) && answered.Code == codeMethodNotFound {
			continue
		}
		if err != nil {
			return Lists{}, err
		}
	}
	return lists, nil
}

// list reads all pages of a list. The list of a capability that the server lacks is empty.
func list[T any](ctx context.Context, c *Client, capability, method string) (all []T, err error) {
	entries, err := c.entries(ctx, capability, capability, method)
	if err != nil {
		return nil, err
	}
	for _, raw := range entries {
		var item T
		if err := codec.Unmarshal(raw, &item); err != nil {
			return nil, fmt.Errorf("the answer to %s has an invalid entry: %w", method, err)
		}
		all = append(all, item)
	}
	return all, nil
}

// entries reads the raw entries on all pages of a list.
func (c *Client) entries(ctx context.Context, capability, member, method string) (all [][]byte, err error) {
	if !c.Has(capability) {
		return nil, nil
	}
	var params spec.Object
	size := 0
	for range maxPages {
		result, err := c.call(ctx, method, params, "", nil)
		if err != nil {
			return nil, err
		}
		for _, raw := range spec.ParseArray(spec.Lookup(result, member)) {
			all = append(all, raw)
			size += len(raw)
		}
		if len(all) > maxEntries || size > maxMessage {
			return nil, fmt.Errorf("the list of %s is too long: this client reads %d entries and %d MiB", member, maxEntries, maxMessage>>20)
		}
		cursor := spec.Lookup(result, "nextCursor")
		if text, ok := codec.Unquote(cursor); !ok || text == "" {
			return all, nil
		}
		params = spec.Object{{Name: "cursor", Value: cursor}}
	}
	return nil, fmt.Errorf("the list of %s has more than %d pages", member, maxPages)
}

// CallTool calls a tool with raw arguments and returns the raw result.
func (c *Client) CallTool(ctx context.Context, tool Tool, arguments []byte) ([]byte, error) {
	params := spec.Object{{Name: "name", Value: codec.AppendQuote(nil, tool.Name)}, {Name: "arguments", Value: arguments}}
	return c.call(ctx, methodCall, params, tool.Name, tool.InputSchema)
}

// GetPrompt gets a prompt with raw arguments and returns the raw result.
func (c *Client) GetPrompt(ctx context.Context, name string, arguments []byte) ([]byte, error) {
	params := spec.Object{{Name: "name", Value: codec.AppendQuote(nil, name)}, {Name: "arguments", Value: arguments}}
	return c.call(ctx, "prompts/get", params, name, nil)
}

// ReadResource reads a resource and returns the raw result.
func (c *Client) ReadResource(ctx context.Context, uri string) ([]byte, error) {
	params := spec.Object{{Name: "uri", Value: codec.AppendQuote(nil, uri)}}
	return c.call(ctx, "resources/read", params, uri, nil)
}

// A Server is what a server says about itself.
type Server struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Version     string `json:"version"`
	Description string `json:"description"`
}

// Server returns what the server says about itself.
func (c *Client) Server() Server {
	var server Server
	_ = codec.Unmarshal(c.server, &server) // what isn't as it should be stays empty
	return server
}

// RawServer returns what the server says about itself as raw JSON, or nil.
func (c *Client) RawServer() []byte { return c.server }

// Instructions returns how the server says that models use it, or "".
func (c *Client) Instructions() string {
	text, _ := codec.Unquote(c.instructions)
	return text
}

// serverIn returns the raw description of the server in the result of server/discover.
func serverIn(discovered []byte) []byte {
	return spec.Lookup(spec.Lookup(discovered, "_meta"), spec.MetaServerInfo)
}
