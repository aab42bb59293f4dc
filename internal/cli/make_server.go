package cli

import (
	"fmt"
	"go/token"
	"strings"

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
	handle, servers := naming.Kebab(name.Base), app.Module+"/"+serverFolder
	if app.Has(routesFile) {
		variable := variableOf(handle)
		_, err = fmt.Fprintf(command.OutOrStdout(), "\nPaste these lines into AI in %s (Web for HTTP, Local for stdio):\n\n"+
			"\t%s := &servers.%s{}\n\tmcp.Web(%q, %s)\n\tmcp.Local(%q, %s)\n\nTheir import is %q.\n",
			routesFile, variable, name.Type, handle, variable, handle, variable, servers)
		return err
	}
	_, err = fmt.Fprintf(command.OutOrStdout(), newRoutes, routesFile, servers, name.Type, handle, handle)
	return err
}

// variableOf returns the name of a variable for the server of a handle, such as
// gitHubIssues. It doesn't collide with other names in the routes file.
func variableOf(handle string) string {
	first, rest, _ := strings.Cut(handle, "-")
	variable := first + naming.Studly(rest)
	if token.IsKeyword(variable) || variable == "mcp" || variable == "servers" {
		variable += "Server"
	}
	return variable
}

const routesFile = "routes/ai.go"

// newRoutes is the message for an app without a routes file. Its arguments are the name
// of the file, the import path of the servers, the type of the server, and twice its
// handle.
const newRoutes = `
There is no %s yet. Create it with these lines, and call routes.AI(app.Router) in main.go:

package routes

import (
	"github.com/bowline-mcp/bowline/framework/mcp"

	%q
)

// AI maps servers to HTTP paths and stdio handles.
func AI(mcp *mcp.Router) {
	server := &servers.%s{}
	mcp.Web(%q, server)   // over HTTP
	mcp.Local(%q, server) // over stdio
}
`
