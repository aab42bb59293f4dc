package cli

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// codesOfApp is the part of the help that the commands which run the app share.
const codesOfApp = "\n\nThe exit code is 1 if the app can't be built, and 2 for wrong arguments. Otherwise it is the app's: 0, or 1 for a failure."

func newStartCommand(i *invocation.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:     "start HANDLE",
		GroupID: groupApp,
		Short:   "Serve one server over stdio",
		Long: "Serve the server that routes/ai.go maps to the HANDLE with mcp.Local, over stdin and stdout.\n" +
			"The app is built first when its sources have changed; build messages go to stderr." + codesOfApp,
		Example: "  mcp start demo\n  mcp start demo --dir /srv/demo",
		Args:    invocation.Exactly("the HANDLE of a server (mcp list shows them)"),
		RunE:    runApp(i),

		ValidArgsFunction: i.CompleteHandles,
	}
}

func newServeCommand(i *invocation.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:     "serve",
		GroupID: groupApp,
		Short:   "Serve the app over HTTP",
		Long: "Serve the servers that routes/ai.go maps to paths with mcp.Web, over HTTP.\n" +
			"The app is built first when its sources have changed; build messages go to stderr." + codesOfApp,
		Example: "  mcp serve\n  APP_ADDR=127.0.0.1:9000 mcp serve",
		Args:    invocation.Exactly(),
		RunE:    runApp(i),
	}
}

func newListCommand(i *invocation.Invocation) *cobra.Command {
	json := false
	command := &cobra.Command{
		Use:     "list",
		GroupID: groupApp,
		Short:   "List what the app serves",
		Long: "List the paths, handles and servers of the app. Types in app/mcp that embed tools.Typed, tools.Tool,\n" +
			"resources.Resource, prompts.Prompt or servers.Server, but that the app doesn't serve, are reported on stderr.\n\n" +
			"With --json, the app prints one object:\n\n" +
			"  name, address  the app's name, and where it listens\n" +
			"  web            a list of path, url, sseURL, parameters (of the path), guarded, and the members below\n" +
			"  local          a list of handle and the members below\n" +
			"  server, tools, resources, templates, prompts  the server's type, and the names and URIs of what it serves\n" +
			"  refusals       a list of what AI clients refuse in the tools: rule, tool, at, problem, fix, refusedBy" + codesOfApp,
		Example: "  mcp list\n  mcp list --json",
		Args:    invocation.Exactly(),
		RunE: func(command *cobra.Command, _ []string) error {
			app, err := i.App()
			if err != nil {
				return err
			}
			program, err := launcher.Program(command.Context(), app.Root, i.Stderr)
			if err != nil {
				return err
			}
			arguments := []string{command.Name()}
			if json {
				arguments = append(arguments, "--json")
			}
			for _, declared := range app.Declared() { // the app warns of those that it doesn't serve
				arguments = append(arguments, declared.Argument())
			}
			i.Code, err = launcher.ShowList(command.Context(), app.Root, program, arguments, i.Stdout, i.Stderr)
			return err
		},
	}
	command.Flags().BoolVar(&json, "json", false, "print the list as JSON")
	return command
}

// hintAtEnv explains how to create .env if the app has only .env.example.
func hintAtEnv(i *invocation.Invocation, app *scaffold.App) {
	if !app.Has(".env") && app.Has(".env.example") {
		_, _ = fmt.Fprintf(i.Stderr, "mcp: there is no .env in %s, so the app uses the environment and the defaults; "+
			"to change settings, copy .env.example to .env\n", naming.Printable(app.Root))
	}
}

// outliveStderr lets the process go on if a client closes stderr; the next line would end it. The
// returned function undoes it. A program that the process executes isn't affected.
func outliveStderr() (undo func()) {
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	return func() { signal.Stop(broken) }
}

// runApp execs the app with the command's name and arguments.
func runApp(i *invocation.Invocation) func(*cobra.Command, []string) error {
	return func(command *cobra.Command, args []string) error {
		app, err := i.App()
		if err != nil {
			return err
		}
		defer outliveStderr()()
		hintAtEnv(i, app)
		i.Code, err = launcher.Run(app.Root, append([]string{command.Name()}, args...), i.Stderr)
		return err
	}
}
