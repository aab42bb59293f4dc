package cli

import (
	"fmt"
	"path"
	"path/filepath"

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
	_, err = fmt.Fprintf(command.OutOrStdout(), "\nPaste this line into %s() in %s:\n\n\t&%ss.%s{},\n\nIts import is %q.\n",
		p.method, owner(app), p.kind, name.Type, app.Module+"/"+p.folder())
	return err
}

// owner says where a primitive is registered: in the app's server when it has one only.
func owner(app *scaffold.App) string {
	servers, err := filepath.Glob(filepath.Join(app.Root, filepath.FromSlash(serverFolder), "*_server.go"))
	switch {
	case err != nil || len(servers) > 1:
		return "a server of " + serverFolder
	case len(servers) == 0:
		return "a server of " + serverFolder + " (mcp make:server NAME writes one)"
	}
	return path.Join(serverFolder, filepath.Base(servers[0]))
}
