package cli

import (
	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/launcher"
)

func newStartCommand(code *int) *cobra.Command {
	return &cobra.Command{
		Use:     "start HANDLE",
		GroupID: groupApp,
		Short:   "Serve one server over stdio",
		Long: "Serve the server that routes/ai.go gives the HANDLE with mcp.Local, over stdin and stdout.\n" +
			"The app is built first when its sources have changed; build messages go to stderr.",
		Example: "  mcp start demo\n  mcp start demo --dir /srv/demo",
		Args:    exactly("the HANDLE of a server (mcp list shows them)"),
		RunE:    runApp(code),
	}
}

func newServeCommand(code *int) *cobra.Command {
	return &cobra.Command{
		Use:     "serve",
		GroupID: groupApp,
		Short:   "Serve the app over HTTP",
		Long: "Serve the servers that routes/ai.go gives a path with mcp.Web, over HTTP.\n" +
			"The app is built first when its sources have changed; build messages go to stderr.",
		Args: exactly(),
		RunE: runApp(code),
	}
}

func newListCommand(code *int) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		GroupID: groupApp,
		Short:   "List what the app serves",
		Long:    "List the paths, handles and servers of the app.",
		Args:    exactly(),
		RunE:    runApp(code),
	}
}

// runApp execs the app with the command's name and arguments.
func runApp(code *int) func(*cobra.Command, []string) error {
	return func(command *cobra.Command, args []string) error {
		app, err := findApp(command)
		if err != nil {
			return err
		}
		*code, err = launcher.Run(app.Root, append([]string{command.Name()}, args...), command.ErrOrStderr())
		return err
	}
}
