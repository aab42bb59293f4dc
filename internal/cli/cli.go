// Package cli implements the mcp command, which scaffolds the files of a Bowline app and
// runs the app.
package cli

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/generators"
	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/questions"
	"github.com/bowline-mcp/bowline/internal/command"
)

// Exit codes of the mcp command. If the command runs the app, the exit code is that of the app.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2

	exitCanceled = 130 // after Ctrl-C, as shells give it
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
// if a person canceled it. Results go
// to stdout, errors and build messages to stderr. The commands start, serve and list,
// and those of an authorization server, exec the app, which then uses the standard streams of
// the process.
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
	usage := new(invocation.UsageError)
	// Cobra's only errors of its own are for an unknown command.
	if !errors.As(err, &usage) && (command == root || command.Name() == helpCommand) {
		command, err = root, unknownCommand(root, err)
	}
	// If stderr can't be written to, the exit code still reports the error.
	text := strings.TrimSpace(err.Error())
	if strings.HasPrefix(text, command.CommandPath()) { // which the line begins with already
		text = strings.TrimPrefix(text, root.Name()+" ")
	}
	_, _ = fmt.Fprintf(stderr, "mcp: %s\n", text)
	if errors.As(err, &usage) {
		_, _ = fmt.Fprintf(stderr, "Run %q for help.\n", command.CommandPath()+" --help")
		return exitUsage
	}
	if canceled := new(canceledError); errors.As(err, &canceled) || errors.Is(err, questions.ErrCanceled) {
		return exitCanceled
	}
	return exitFailure
}

// flagError returns the usage error of a wrong flag, without the names of functions that parse
// numbers.
func flagError(_ *cobra.Command, err error) error {
	if number := new(strconv.NumError); errors.As(err, &number) {
		return invocation.NewUsageError("%s", strings.Replace(err.Error(), number.Error(), number.Err.Error(), 1))
	}
	return invocation.AsUsage(err)
}

// A canceledError reports what is left of a command that a person has ended.
type canceledError struct{ error }

func newRootCommand(code *int) *cobra.Command {
	root := &cobra.Command{
		Use:   "mcp",
		Short: "Scaffold and run MCP servers written with Bowline",
		Long: "mcp scaffolds and runs Bowline apps: MCP servers written in Go.\n" +
			"It works in the folder of an app and in every folder below it. On a terminal, new, call, install, inspector and the make\n" +
			"commands ask for values that are missing, unless the environment has CI.\n\n" +
			"The exit code is 0, 1 if a command fails, 2 for wrong arguments, or 130 if it is canceled. A command that runs the app\n" +
			"exits with the code of the app.",
		Version:       versionOfProgram(),
		SilenceErrors: true,
		SilenceUsage:  true,

		SuggestionsMinimumDistance: 2,
	}
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.SetHelpCommand(newHelpCommand())
	root.SetHelpFunc(writeHelp(code))
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	invocation.AddFlags(root)
	root.SetFlagErrorFunc(flagError)
	root.AddGroup(
		&cobra.Group{ID: groupMake, Title: "Write files:"},
		&cobra.Group{ID: groupApp, Title: "Run the app:"},
		&cobra.Group{ID: groupClients, Title: "AI clients:"},
		&cobra.Group{ID: groupAuth, Title: "Authorization:"},
	)
	root.AddCommand(
		newNewCommand(),
		newStartCommand(code),
		newServeCommand(code),
		newDevCommand(code),
		newListCommand(code),
		newCallCommand(code),
		newCheckCommand(code),
		newDoctorCommand(code),
		newInspectorCommand(),
		newInstallCommand(),
		newUninstallCommand(),
		newBundleCommand(),
		newAuthCheckCommand(code),
		newAuthTokenCommand(),
		newCompletionCommand(),
		newVersionCommand(),
	)
	for _, generator := range generators.Commands() {
		generator.GroupID = groupMake
		root.AddCommand(generator)
	}
	for _, described := range command.All() {
		root.AddCommand(newOAuthCommand(described, code))
	}
	return root
}

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of mcp and of Go",
		Long:  "Print the version of mcp, and of the Go that it was built with. The exit code is 2 for wrong arguments.",

		Example: "  mcp version",

		Args: invocation.Exactly(),
		RunE: func(command *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(command.OutOrStdout(), "mcp", versionOfProgram())
			return err
		},
	}
}

func versionOfProgram() string {
	return fmt.Sprintf("%s (%s %s/%s)", versionOfModule(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func versionOfModule() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
