package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/scaffold"
)

const serverFolder = "app/mcp/servers"

// A primitive is a kind of thing that a server offers, for which there is a make command.
type primitive struct {
	kind     string // as in make:tool and tool.stub; its folder and package are in the plural
	role     string // the suffix of its types
	method   string // of a server, which lists them
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

// registration says what to paste, and where: one line, or the whole method when the app's only server has none yet.
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
