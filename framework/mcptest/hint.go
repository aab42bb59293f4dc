package mcptest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// hint explains why a tool, prompt or template is unknown; it returns "" for other
// errors. The server doesn't reveal the reason to a client, but the test may show it.
func (r *Result) hint() string {
	if r.Err.Code != exchange.CodeInvalidParams {
		return ""
	}
	c := r.client
	switch {
	case strings.HasPrefix(r.Err.Message, "Unknown tool"):
		return c.absent("Tools", r.name, namesOf(naming.Tool, c.server.Tools()))
	case strings.HasPrefix(r.Err.Message, "Unknown prompt"):
		return c.absent("Prompts", r.name, namesOf(naming.Prompt, c.server.Prompts()))
	}
	if ref, ok := r.params["ref"].(map[string]any); ok && ref["type"] == "ref/resource" {
		uri := fmt.Sprint(ref["uri"])
		templates := slices.DeleteFunc(urisOf(c.server.Resources()), func(uri string) bool { return !strings.Contains(uri, "{") })
		if !slices.Contains(templates, uri) && len(templates) > 0 {
			return "; the server's templates are " + strings.Join(templates, ", ")
		}
		return c.absent("Resources", uri, templates)
	}
	return ""
}

// absent says why the caller doesn't see the name: it is hidden from the caller, or the
// method doesn't list it.
func (c *Client) absent(method, name string, listed []string) string {
	if slices.Contains(listed, name) {
		return fmt.Sprintf("; %s.%s lists it, so it was removed or is hidden from this caller: use As with a principal that may see it", naming.Label(c.server), method)
	}
	return fmt.Sprintf("; %s.%s doesn't list it", naming.Label(c.server), method)
}

// namesOf returns the names of tools or prompts.
func namesOf[T interface{ Name() string }](kind naming.Kind, things []T) (names []string) {
	for _, thing := range things {
		names = append(names, kind.NameOf(thing))
	}
	return names
}

// urisOf returns the URIs of resources and templates.
func urisOf(listed []servers.Resource) (uris []string) {
	for _, resource := range listed {
		uris = append(uris, resource.URI())
	}
	return uris
}

// subject returns the name of a tool, prompt or resource.
func (c *Client) subject(kind naming.Kind, thing interface{ Name() string }, example string) string {
	c.t.Helper()
	if value := reflect.ValueOf(thing); thing == nil || value.Kind() == reflect.Pointer && value.IsNil() {
		c.t.Fatalf("the tool or prompt is nil; pass a pointer, such as %s", example)
	}
	return kind.NameOf(thing)
}
