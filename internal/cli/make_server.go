package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/scaffold"
)

func newMakeServerCommand() *cobra.Command {
	command := &cobra.Command{
		Use:     "make:server NAME",
		GroupID: groupMake,
		Short:   "Write a new server and its test",
		Long: "Write a new server and its test into " + serverFolder + ", and print the lines that route to it.\n" +
			"A stubs/server.stub or stubs/server_test.stub in the app is used instead of the built-in one.",
		Example: "  mcp make:server Weather",
		Args:    exactly("the NAME of the server"),
		RunE:    makeServer,
	}
	addForceFlag(command)
	return command
}

func makeServer(command *cobra.Command, args []string) error {
	app, err := findApp(command)
	if err != nil {
		return err
	}
	name, err := scaffold.ParseName(args[0], "Server")
	if err != nil {
		return err
	}
	if err := generate(command, app, serverFolder, "server", name); err != nil {
		return err
	}
	handle := naming.Kebab(name.Base)
	_, err = fmt.Fprintf(command.OutOrStdout(), "\nPaste these lines into routes/ai.go (Web for HTTP, Local for stdio):\n\n"+
		"\tmcp.Web(%q, &servers.%s{})\n\tmcp.Local(%q, &servers.%s{})\n\nTheir import is %q.\n",
		handle, name.Type, handle, name.Type, app.Module+"/"+serverFolder)
	return err
}
