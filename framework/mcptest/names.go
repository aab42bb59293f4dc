package mcptest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/internal/engine/declaration"
	"github.com/bowline-mcp/bowline/internal/engine/seam"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// check ends the test if the name isn't known, since a misspelled name would otherwise
// look like an empty value.
func (c *Client) check(what, name string, known []string) {
	c.t.Helper()
	if slices.Contains(known, name) {
		return
	}
	if nearest := naming.Nearest(name, known); nearest != "" {
		c.t.Fatalf("%s %q; did you mean %q?", what, name, nearest)
	}
	if len(known) == 0 {
		c.t.Fatalf("%s %q, and no other one", what, name)
	}
	c.t.Fatalf("%s %q; the known names are: %s", what, name, strings.Join(known, ", "))
}

// checkArguments checks the names of arguments for a prompt, if the server lists it.
func (c *Client) checkArguments(prompt string, arguments ...string) {
	c.t.Helper()
	for _, listed := range c.server.Prompts() {
		if naming.Prompt.NameOf(listed) != prompt {
			continue
		}
		var described prompts.Arguments
		listed.Arguments(&described)
		var known []string
		for _, declared := range *(*seam.Cell[declaration.Arguments])(&described).Get() {
			known = append(known, declared.Name)
		}
		for _, argument := range arguments {
			c.check("the prompt "+prompt+" has no argument", argument, known)
		}
	}
}

// checkVariable checks the name of a variable that is completed.
func (c *Client) checkVariable(template, variable string) {
	c.t.Helper()
	if parsed, err := resources.ParseTemplate(template); err == nil {
		c.check("the template "+template+" has no variable", variable, parsed.Variables())
	}
}

// checkFields checks the names of the fields of an answer to a form.
func (r *Result) checkFields(key string, answer any) {
	r.t.Helper()
	encoded, err := codec.Marshal(answer)
	if err != nil {
		return // the request reports it
	}
	known := names(spec.Lookup(r.Questions[key].Params, "requestedSchema", "properties"))
	for _, name := range names(encoded) {
		r.client.check(fmt.Sprintf("the form %q has no field", key), name, known)
	}
}

// names returns the names of the members of an object, sorted.
func names(object []byte) (names []string) {
	for name := range rawjson.Members(object) {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// checkCapability checks the name of a capability, unless it is experimental or an
// extension.
func (c *Client) checkCapability(name string) {
	c.t.Helper()
	if first, _, _ := strings.Cut(name, "."); first == "experimental" || first == "extensions" {
		return
	}
	c.check("clients have no capability", name, []string{
		"elicitation", "elicitation.form", "elicitation.url", "sampling", "sampling.tools", "sampling.context", "roots", "roots.listChanged",
	})
}
