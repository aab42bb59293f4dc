package cli

import (
	"fmt"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/scaffold"
)

const (
	toolFolder   = "app/mcp/tools"
	serverFolder = "app/mcp/servers"
)

func newMakeToolCommand() *cobra.Command {
	command := &cobra.Command{
		Use:     "make:tool NAME",
		GroupID: groupMake,
		Short:   "Write a new tool and its test",
		Long: "Write a new tool and its test into " + toolFolder + ", and print the line that registers it.\n" +
			"A stubs/tool.stub or stubs/tool_test.stub in the app is used instead of the built-in one.",
		Example: "  mcp make:tool Weather\n  mcp make:tool current-weather",
		Args:    exactly("the NAME of the tool"),
		RunE:    makeTool,
	}
	addForceFlag(command)
	return command
}

func makeTool(command *cobra.Command, args []string) error {
	app, err := findApp(command)
	if err != nil {
		return err
	}
	name, err := scaffold.ParseName(args[0], "Tool")
	if err != nil {
		return err
	}
	if err := generate(command, app, toolFolder, "tool", name); err != nil {
		return err
	}
	_, err = fmt.Fprintf(command.OutOrStdout(), "\nPaste this line into Tools() in %s:\n\n\t&tools.%s{},\n\nIts import is %q.\n",
		toolOwner(app), name.Type, app.Module+"/"+toolFolder)
	return err
}

// toolOwner says where a tool is registered: in the app's server when it has one only.
func toolOwner(app *scaffold.App) string {
	servers, err := filepath.Glob(filepath.Join(app.Root, filepath.FromSlash(serverFolder), "*_server.go"))
	switch {
	case err != nil || len(servers) > 1:
		return "a server of " + serverFolder
	case len(servers) == 0:
		return "a server of " + serverFolder + " (mcp make:server NAME writes one)"
	}
	return path.Join(serverFolder, filepath.Base(servers[0]))
}
