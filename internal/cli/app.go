package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// codesOfApp is the part of the help that the commands which run the app share.
const codesOfApp = "\n\nThe exit code is 1 if the app can't be built, and 2 for wrong arguments. Otherwise it is that of the app: 0, or 1 for a failure."

func newStartCommand(code *int) *cobra.Command {
	return &cobra.Command{
		Use:     "start HANDLE",
		GroupID: groupApp,
		Short:   "Serve one server over stdio",
		Long: "Serve the server that routes/ai.go maps to the HANDLE with mcp.Local, over stdin and stdout.\n" +
			"The app is built first when its sources have changed; build messages go to stderr." + codesOfApp,
		Example: "  mcp start demo\n  mcp start demo --dir /srv/demo",
		Args:    invocation.Exactly("the HANDLE of a server (mcp list shows them)"),
		RunE:    runApp(code),

		ValidArgsFunction: completeHandles,
	}
}

func newServeCommand(code *int) *cobra.Command {
	return &cobra.Command{
		Use:     "serve",
		GroupID: groupApp,
		Short:   "Serve the app over HTTP",
		Long: "Serve the servers that routes/ai.go maps to paths with mcp.Web, over HTTP.\n" +
			"The app is built first when its sources have changed; build messages go to stderr." + codesOfApp,
		Example: "  mcp serve\n  APP_ADDR=127.0.0.1:9000 mcp serve",
		Args:    invocation.Exactly(),
		RunE:    runApp(code),
	}
}

func newListCommand(code *int) *cobra.Command {
	command := &cobra.Command{
		Use:     "list",
		GroupID: groupApp,
		Short:   "List what the app serves",
		Long: "List the paths, handles and servers of the app. Types in app/mcp that embed tools.Tool, resources.Resource,\n" +
			"prompts.Prompt or servers.Server, but that the app doesn't serve, are reported on stderr.\n\n" +
			"With --json, the app prints one object:\n\n" +
			"  name, address  the app's name, and where it listens\n" +
			"  web            a list of path, url, sseURL, parameters (of the path), guarded, and the members below\n" +
			"  local          a list of handle and the members below\n" +
			"  server, tools, resources, templates, prompts  the server's type, and the names and URIs of what it serves\n" +
			"  refusals       a list of what AI clients refuse in the tools: rule, tool, at, problem, fix, refusedBy" + codesOfApp,
		Example: "  mcp list\n  mcp list --json",
		Args:    invocation.Exactly(),
		RunE: func(command *cobra.Command, _ []string) error {
			app, err := invocation.App(command)
			if err != nil {
				return err
			}
			program, err := launcher.Program(app.Root, command.ErrOrStderr())
			if err != nil {
				return err
			}
			*code, err = launcher.ShowList(command.Context(), app.Root, program, listArguments(command, app), command.OutOrStdout(), command.ErrOrStderr())
			return err
		},
	}
	command.Flags().Bool("json", false, "print the list as JSON")
	return command
}

// hintAtEnv explains how to create .env if the app has only .env.example.
func hintAtEnv(command *cobra.Command, app *scaffold.App) {
	if !app.Has(".env") && app.Has(".env.example") {
		_, _ = fmt.Fprintf(command.ErrOrStderr(), "mcp: there is no .env in %s, so the app uses the environment and the defaults; "+
			"to change settings, copy .env.example to .env\n", naming.Printable(app.Root))
	}
}

// listArguments returns the arguments of the app for list, among them the declarations in the
// sources.
func listArguments(command *cobra.Command, app *scaffold.App) []string {
	all := []string{command.Name()}
	if json, err := command.Flags().GetBool("json"); err == nil && json {
		all = append(all, "--json")
	}
	for _, declared := range app.Declared() {
		all = append(all, declared.Argument())
	}
	return all
}

// runApp execs the app with the command's name and arguments.
func runApp(code *int) func(*cobra.Command, []string) error {
	return func(command *cobra.Command, args []string) error {
		app, err := invocation.App(command)
		if err != nil {
			return err
		}
		hintAtEnv(command, app)
		*code, err = launcher.Run(app.Root, append([]string{command.Name()}, args...), command.ErrOrStderr())
		return err
	}
}
