// Package cli implements the mcp command, which scaffolds the files of a Bowline app and
// runs the app.
package cli

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/bowline-mcp/bowline/internal/cli/generators"
	"github.com/bowline-mcp/bowline/internal/cli/installation"
	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/questions"
	"github.com/bowline-mcp/bowline/internal/command"
)

// The headings under which mcp help lists the commands.
const (
	groupMake = "make"
	groupApp  = "app"
	groupAuth = "auth"

	groupClients = "clients"
)

// Run runs the mcp command with the given arguments, without the program's name, and
// returns its exit code: 0, 1 if the command failed or found a fault, 2 for a usage error, or 130
// if a person canceled it. Results go to stdout, errors and build messages to stderr. The commands
// start and serve, and the commands of an authorization server, exec the app, which then uses the
// standard streams of the process.
func Run(args []string, stdout, stderr io.Writer) int {
	i := &invocation.Invocation{Stdout: stdout, Stderr: stderr}
	root := newRootCommand(i)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	command, err := root.ExecuteC()
	if err == nil {
		return i.Code
	}
	usage := new(invocation.UsageError)
	// Cobra's only errors of its own are for an unknown command.
	if !errors.As(err, &usage) && (command == root || command.Name() == helpCommand) {
		command, err = root, unknownCommand(root, err)
	}
	// If stderr can't be written to, the exit code still reports the error.
	_, _ = fmt.Fprintf(stderr, "mcp: %s\n", err)
	if errors.As(err, &usage) {
		_, _ = fmt.Fprintf(stderr, "Run %q for help.\n", command.CommandPath()+" --help")
		return invocation.ExitUsage
	}
	if canceled := new(invocation.CanceledError); errors.As(err, &canceled) || errors.Is(err, questions.ErrCanceled) {
		return invocation.ExitCanceled
	}
	return invocation.ExitFailure
}

// flagError returns the usage error of a wrong flag. An error of a number says what is wrong with it, without the name of
// the function that parsed it.
func flagError(_ *cobra.Command, err error) error {
	number, invalid := new(strconv.NumError), new(pflag.InvalidValueError)
	if errors.As(err, &number) && errors.As(err, &invalid) {
		return invocation.NewUsageError("invalid argument %q for %q flag: %w", invalid.GetValue(), "--"+invalid.GetFlag().Name, number.Err)
	}
	return invocation.AsUsage(err)
}

func newRootCommand(i *invocation.Invocation) *cobra.Command {
	root := &cobra.Command{
		Use:   "mcp",
		Short: "Scaffold and run MCP servers written with Bowline",
		Long: "mcp scaffolds and runs Bowline apps: MCP servers written in Go.\n" +
			"It works in the folder of an app and in every folder below it. On a terminal, new, show, call, install, inspector and the make\n" +
			"commands ask for values that are missing, unless the environment has CI.\n\n" +
			"The exit code is 0, 1 if a command fails, 2 for wrong arguments, or 130 if it is canceled. A command that runs the app\n" +
			"exits with the code of the app.",
		Version:       invocation.ProgramVersion(),
		SilenceErrors: true,
		SilenceUsage:  true,

		SuggestionsMinimumDistance: 2,
	}
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.SetHelpCommand(newHelpCommand())
	root.SetHelpFunc(writeHelp(i))
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	i.AddFlags(root)
	root.SetFlagErrorFunc(flagError)
	root.AddGroup(
		&cobra.Group{ID: groupMake, Title: "Write files:"},
		&cobra.Group{ID: groupApp, Title: "Run the app:"},
		&cobra.Group{ID: groupClients, Title: "AI clients:"},
		&cobra.Group{ID: groupAuth, Title: "Authorization:"},
	)
	root.AddCommand(
		newNewCommand(i),
		newStartCommand(i),
		newServeCommand(i),
		newDevCommand(i),
		newListCommand(i),
		newShowCommand(i),
		newCallCommand(i),
		newCheckCommand(i),
		newDoctorCommand(i),
		newInspectorCommand(i),
		newAuthCheckCommand(i),
		newAuthTokenCommand(i),
		newCompletionCommand(),
		newVersionCommand(i),
	)
	add := func(group string, commands []*cobra.Command) {
		for _, command := range commands {
			command.GroupID = group
			root.AddCommand(command)
		}
	}
	add(groupMake, generators.Commands(i))
	add(groupClients, installation.Commands(i))
	for _, described := range command.All() {
		root.AddCommand(newOAuthCommand(described, i))
	}
	return root
}

func newVersionCommand(i *invocation.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of mcp and of Go",
		Long:  "Print the version of mcp, and of the Go that it was built with. The exit code is 2 for wrong arguments.",

		Example: "  mcp version",

		Args: invocation.Exactly(),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(i.Stdout, "mcp", invocation.ProgramVersion())
			return err
		},
	}
}
