// Package cli is the mcp command: it scaffolds the files of a Bowline app and runs the app.
package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/scaffold"
)

// Exit codes of the mcp command. A started app's own exit code is passed on instead.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

// The headings under which mcp help lists the commands.
const (
	groupMake = "make"
	groupApp  = "app"
)

// Run runs the mcp command with the given arguments, without the program's name, and returns its exit code: 0, 1 when the
// command failed, 2 when it was not understood. Results go to stdout, errors and build messages to stderr. The commands
// start, serve and list turn the process into the app, which then uses the process's standard streams.
func Run(args []string, stdout, stderr io.Writer) int {
	code := exitOK
	root := newRootCommand(&code)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	command, err := root.ExecuteC()
	if err == nil {
		return code
	}
	// A report that nobody can read is no further failure; the exit code still tells.
	_, _ = fmt.Fprintf(stderr, "mcp: %s\n", strings.TrimSpace(err.Error()))
	// The root command does nothing of its own: its one error is a command that does not exist.
	if usage := new(usageError); command == root || errors.As(err, &usage) {
		_, _ = fmt.Fprintf(stderr, "Run %q for help.\n", command.CommandPath()+" --help")
		return exitUsage
	}
	return exitFailure
}

// A usageError is a mistake in how the command was called.
type usageError struct{ error }

func newUsageError(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

func newRootCommand(code *int) *cobra.Command {
	root := &cobra.Command{
		Use:   "mcp",
		Short: "Scaffold and run MCP servers written with Bowline",
		Long: "mcp scaffolds and runs Bowline apps: MCP servers written in Go.\n" +
			"It works in the folder of an app and in every folder below it.",
		Version:           versionOfProgram(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.PersistentFlags().String("dir", ".", "the `folder` of the app, or one below it")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	root.AddGroup(
		&cobra.Group{ID: groupMake, Title: "Write files:"},
		&cobra.Group{ID: groupApp, Title: "Run the app:"},
	)
	root.AddCommand(
		newMakeServerCommand(),
		newMakeToolCommand(),
		newMakeResourceCommand(),
		newMakePromptCommand(),
		newStartCommand(code),
		newServeCommand(code),
		newListCommand(code),
		newVersionCommand(),
	)
	return root
}

// findApp returns the app around the folder that --dir names.
func findApp(command *cobra.Command) (*scaffold.App, error) {
	folder, err := command.Flags().GetString("dir")
	if err != nil {
		return nil, err
	}
	return scaffold.FindApp(folder)
}

// exactly accepts as many arguments as names has, and says which are missing.
func exactly(names ...string) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return newUsageError("%s needs %s", command.CommandPath(), strings.Join(names[len(args):], " and "))
		case len(args) > len(names):
			return newUsageError("%s does not know what to do with %q", command.CommandPath(), args[len(names)])
		}
		return nil
	}
}
