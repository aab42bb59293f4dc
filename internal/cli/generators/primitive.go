package generators

import (
	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

func newMakeToolCommand() *cobra.Command {
	return tool().command("  mcp make:tool Weather\n  mcp make:tool current-weather --server Shop")
}

func newMakeResourceCommand() *cobra.Command {
	command := resource().command("  mcp make:resource Handbook\n  mcp make:resource user-profile --template")
	command.Flags().Bool("template", false, "write a template for many resources, such as app://user-profile-resource/{id}")
	return command
}

func newMakePromptCommand() *cobra.Command {
	return prompt().command("  mcp make:prompt CodeReview\n  mcp make:prompt summarize-text --server Shop")
}

func newMakeGuardrailCommand() *cobra.Command {
	return guardrail().command("  mcp make:guardrail OpeningHours\n  mcp make:guardrail spending-limit --server Shop")
}

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

func (p primitive) command(examples string) *cobra.Command {
	command := &cobra.Command{
		Use:   "make:" + p.kind + " NAME",
		Short: "Write a new " + p.kind + " and its test",
		Long: "Write a new " + p.kind + " and its test into " + p.folder() + ", and add it to " + p.list.Method + " of a server.\n" +
			"A stubs/" + p.kind + ".stub or stubs/" + p.kind + "_test.stub in the app is used instead of the built-in one; see mcp stubs:publish.\n" +
			"Code of a form that isn't edited stays, and the line to paste is printed." + makeHelp,
		Example:           examples,
		Args:              invocation.AtMost(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              p.run,
	}
	addMakeFlags(command)
	addRegistrationFlags(command)
	return command
}

func (p primitive) run(command *cobra.Command, args []string) error {
	making, err := newMaking(command)
	if err != nil {
		return err
	}
	name, err := making.name(args, p.role)
	if err != nil {
		return err
	}
	stub := p.kind
	if template, _ := command.Flags().GetBool("template"); template {
		stub += "_template"
	}
	if err := making.addType(p.folder(), stub, "Package "+p.kind+"s has the app's "+p.doc+".", name); err != nil {
		return err
	}
	if err := making.register(p.list, p.element(making.app.Module, name)); err != nil {
		return err
	}
	return making.finish()
}
