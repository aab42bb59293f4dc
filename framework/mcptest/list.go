package mcptest

import (
	"slices"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// Tools lists the tools that the client sees, from all pages.
func (c *Client) Tools() []tools.Definition {
	c.t.Helper()
	return list[tools.Definition](c, "tools/list", "tools")
}

// Resources lists the resources that the client sees, from all pages, without templates.
func (c *Client) Resources() []resources.Definition {
	c.t.Helper()
	return list[resources.Definition](c, "resources/list", "resources")
}

// ResourceTemplates lists the templates that the client sees, from all pages.
func (c *Client) ResourceTemplates() []resources.TemplateDefinition {
	c.t.Helper()
	return list[resources.TemplateDefinition](c, "resources/templates/list", "resourceTemplates")
}

// Prompts lists the prompts that the client sees, from all pages.
func (c *Client) Prompts() []prompts.Definition {
	c.t.Helper()
	return list[prompts.Definition](c, "prompts/list", "prompts")
}

// AssertRegistered asserts that the lists that the client gets have each tool, resource,
// template and prompt.
func (c *Client) AssertRegistered(things ...interface{ Name() string }) *Client {
	c.t.Helper()
	for _, thing := range things {
		if what, why, listed := c.isListed(thing); !listed {
			c.t.Errorf("the client doesn't see %s%s", what, why)
		}
	}
	return c
}

// AssertNotRegistered asserts that the lists that the client gets have none of the tools,
// resources, templates and prompts. VisibleTo and guardrails.Permission hide them.
func (c *Client) AssertNotRegistered(things ...interface{ Name() string }) *Client {
	c.t.Helper()
	for _, thing := range things {
		if what, _, listed := c.isListed(thing); listed {
			c.t.Errorf("the client sees %s", what)
		}
	}
	return c
}

// isListed reports whether the client's lists have an item, and why they may lack it. It ends
// the test if the item is not a tool, resource or prompt.
func (c *Client) isListed(thing interface{ Name() string }) (what, why string, listed bool) {
	c.t.Helper()
	switch thing := thing.(type) {
	case servers.Tool:
		name := c.subject(naming.Tool, thing, "&tools.EchoTool{}")
		return "the tool " + name, c.absent("Tools", name, namesOf(naming.Tool, c.server.Tools())),
			slices.ContainsFunc(c.Tools(), func(d tools.Definition) bool { return d.Name == name })
	case servers.Prompt:
		name := c.subject(naming.Prompt, thing, "&prompts.ReviewPrompt{}")
		return "the prompt " + name, c.absent("Prompts", name, namesOf(naming.Prompt, c.server.Prompts())),
			slices.ContainsFunc(c.Prompts(), func(d prompts.Definition) bool { return d.Name == name })
	case servers.Resource:
		c.subject(naming.Resource, thing, "&resources.KnotResource{}")
		uri := thing.URI()
		return "the resource " + uri, c.absent("Resources", uri, urisOf(c.server.Resources())),
			slices.ContainsFunc(c.Resources(), func(d resources.Definition) bool { return d.URI == uri }) ||
				slices.ContainsFunc(c.ResourceTemplates(), func(d resources.TemplateDefinition) bool { return d.URITemplate == uri })
	}
	c.t.Fatalf("%s is not a tool, resource or prompt; pass a pointer to one, such as &tools.EchoTool{}", naming.TypeName(thing))
	return "", "", false
}

// list returns the members of all pages of a list.
func list[T any](c *Client, method, member string) (all []T) {
	c.t.Helper()
	for params := map[string]any{}; ; {
		var page struct {
			Result map[string]codec.Value `json:"result"`
			Error  *exchange.Error        `json:"error"`
		}
		data := answerOf(c.send(1, method, "", params))
		if err := codec.Unmarshal(data, &page); err != nil {
			c.t.Fatalf("the answer to %s does not decode: %v\n%s", method, err, data)
		}
		if page.Error != nil {
			c.t.Fatalf("%s failed with the JSON-RPC error %d: %s", method, page.Error.Code, page.Error.Message)
		}
		var some []T
		if err := codec.Unmarshal(page.Result[member], &some); err != nil {
			c.t.Fatalf("the answer to %s does not decode: %v\n%s", method, err, data)
		}
		all = append(all, some...)
		cursor, more := codec.Unquote(page.Result["nextCursor"])
		if !more {
			return all
		}
		params = map[string]any{"cursor": cursor}
	}
}
