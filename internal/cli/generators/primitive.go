package generators

import (
	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

func tool() primitive {
	return primitive{kind: "tool", role: "Tool", doc: "MCP tools", before: "&", after: "{}",
		list: scaffold.List{Method: "Tools", Type: "Tool", Doc: "returns the server's tools."}}
}

func resource() primitive {
	return primitive{kind: "resource", role: "Resource", doc: "MCP resources", before: "&", after: "{}",
		list: scaffold.List{Method: "Resources", Type: "Resource", Doc: "returns the server's resources and templates."}}
}

func prompt() primitive {
	return primitive{kind: "prompt", role: "Prompt", doc: "MCP prompts", before: "&", after: "{}",
		list: scaffold.List{Method: "Prompts", Type: "Prompt", Doc: "returns the server's prompts."}}
}

func guardrail() primitive {
	return primitive{kind: "guardrail", role: "Guardrail", doc: "guardrails", after: "()",
		list: scaffold.List{Method: "Guardrails", Type: "Guardrail", Doc: "run around everything that the server offers, the first outermost."}}
}

// A primitive is a kind of feature that a server has a list of, such as a tool. Each has a
// make command.
type primitive struct {
	kind          string // as in make:tool and tool.stub; the folder and the package have its plural
	role          string // the suffix of type names
	doc           string // what the package has
	before, after string // what surrounds the type or function in a list
	list          scaffold.List
}

func (p primitive) folder() string { return "app/mcp/" + p.kind + "s" }

// element returns a value for the list of a server.
func (p primitive) element(module string, name scaffold.Name) scaffold.Element {
	return scaffold.Element{Import: module + "/" + p.folder(), Name: name.Type, Before: p.before, After: p.after}
}

func (p primitive) command(i *invocation.Invocation, examples string) *cobra.Command {
	m := &making{Invocation: i}
	template := false
	command := &cobra.Command{
		Use:   "make:" + p.kind + " NAME",
		Short: "Write a new " + p.kind + " and its test",
		Long: "Write a new " + p.kind + " and its test into " + p.folder() + ", and add it to " + p.list.Method + " of a server.\n" +
			"A stubs/" + p.kind + ".stub or stubs/" + p.kind + "_test.stub in the app is used instead of the built-in one; see mcp stubs:publish.\n" +
			"Code in a form that mcp can't edit stays as it is, and mcp prints the line to paste." + makeHelp,
		Example:           examples,
		Args:              invocation.AtMost(1),
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	m.addRegistrationFlags(command)
	if p.kind == "resource" {
		command.Flags().BoolVar(&template, "template", false, "write a template for many resources, such as app://user-profile/{id}")
	}
	return m.prepare(command, func(args []string) error {
		stub := p.kind
		if template {
			stub += "_template"
		}
		return p.write(m, args, stub)
	})
}

// write adds a new type, and registers it.
func (p primitive) write(m *making, args []string, stub string) error {
	name, err := m.name(args, p.role)
	if err != nil {
		return err
	}
	if err := m.addType(p.folder(), stub, "Package "+p.kind+"s has the app's "+p.doc+".", name); err != nil {
		return err
	}
	return m.register(p.list, p.element(m.app.Module, name))
}
