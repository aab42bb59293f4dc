package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/scaffold"
)

const serverFolder = "app/mcp/servers"

func newMakeToolCommand() *cobra.Command {
	return primitive{
		kind: "tool", role: "Tool", method: "Tools",
		examples: "  mcp make:tool Weather\n  mcp make:tool current-weather",
	}.command()
}

func newMakeResourceCommand() *cobra.Command {
	return primitive{
		kind: "resource", role: "Resource", method: "Resources",
		examples: "  mcp make:resource Handbook\n  mcp make:resource user-profile",
	}.command()
}

func newMakePromptCommand() *cobra.Command {
	return primitive{
		kind: "prompt", role: "Prompt", method: "Prompts",
		examples: "  mcp make:prompt CodeReview\n  mcp make:prompt summarize-text",
	}.command()
}

// A primitive is a kind of feature that a server offers, such as a tool. Each has a make command.
type primitive struct {
	kind     string // as in make:tool and tool.stub; the folder and the package have its plural
	role     string // the suffix of type names
	method   string // the method of a server that lists them
	examples string
}

func (p primitive) folder() string { return "app/mcp/" + p.kind + "s" }

func (p primitive) command() *cobra.Command {
	command := &cobra.Command{
		Use:     "make:" + p.kind + " NAME",
		GroupID: groupMake,
		Short:   "Write a new " + p.kind + " and its test",
		Long: "Write a new " + p.kind + " and its test into " + p.folder() + ", and print the line that registers it.\n" +
			"A stubs/" + p.kind + ".stub or stubs/" + p.kind + "_test.stub in the app is used instead of the built-in one.",
		Example: p.examples,
		Args:    exactly("the NAME of the " + p.kind),
		RunE:    p.run,
	}
	addForceFlag(command)
	return command
}

func (p primitive) run(command *cobra.Command, args []string) error {
	app, err := findApp(command)
	if err != nil {
		return err
	}
	name, err := scaffold.ParseName(args[0], p.role)
	if err != nil {
		return err
	}
	if err := generate(command, app, p.folder(), p.kind, name); err != nil {
		return err
	}
	_, err = fmt.Fprintf(command.OutOrStdout(), "\n%s\n\nIts import is %q.\n",
		p.registration(app.Servers(serverFolder), name.Type), app.Module+"/"+p.folder())
	return err
}

// registration returns the instructions to register a type: a line to paste, or a whole
// method if the app's only server doesn't have it yet.
func (p primitive) registration(servers []scaffold.Server, typeName string) string {
	line := "\t&" + p.kind + "s." + typeName + "{},"
	if len(servers) != 1 {
		where := "a server of " + serverFolder
		if len(servers) == 0 {
			where += " (mcp make:server NAME writes one)"
		}
		return fmt.Sprintf("Paste this line into %s() in %s:\n\n%s", p.method, where, line)
	}
	server := servers[0]
	if server.Type == "" || server.Has(p.method) {
		return fmt.Sprintf("Paste this line into %s() in %s:\n\n%s", p.method, server.Path, line)
	}
	return fmt.Sprintf("Paste this method into %s:\n\n// %s lists the %ss.\nfunc (*%s) %s() []servers.%s {\n"+
		"\treturn []servers.%s{\n\t%s\n\t}\n}", server.Path, p.method, p.kind, server.Type, p.method, p.role, p.role, line)
}
