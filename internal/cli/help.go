package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/invocation"
)

const helpCommand = "help"

// newHelpCommand replaces Cobra's, which prints the whole list, with exit code 0, for an
// unknown command.
func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   helpCommand + " [COMMAND]",
		Short: "Print the help of a command",
		Long:  "Print the help of a command. The exit code is 2 if there is no such command.",

		Example: "  mcp help make:tool",
		RunE: func(command *cobra.Command, args []string) error {
			of, _, err := command.Root().Find(args)
			if err != nil {
				return err
			}
			of.InitDefaultHelpFlag() // which the help lists
			of.InitDefaultVersionFlag()
			return of.Help()
		},
		ValidArgsFunction: func(command *cobra.Command, args []string, typed string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
			for _, one := range command.Root().Commands() {
				if len(args) == 0 && one.IsAvailableCommand() && strings.HasPrefix(one.Name(), typed) {
					names = append(names, cobra.CompletionWithDesc(one.Name(), one.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// writeHelp writes the help of a command. It sets the exit code if that fails, which Cobra's
// own function ignores.
func writeHelp(i *invocation.Invocation) func(*cobra.Command, []string) {
	return func(command *cobra.Command, _ []string) {
		about := command.Long
		if about == "" {
			about = command.Short
		}
		text := strings.TrimSpace(about) + "\n\n" + command.UsageString()
		if _, err := io.WriteString(i.Stdout, text); err != nil {
			i.Code = invocation.ExitFailure
			_, _ = fmt.Fprintf(i.Stderr, "mcp: %v\n", err)
		}
	}
}

// unknownCommand returns Cobra's error for an unknown command as one line, with the commands
// that were probably meant.
func unknownCommand(root *cobra.Command, problem error) error {
	quoted, err := strconv.QuotedPrefix(strings.TrimPrefix(problem.Error(), "unknown command "))
	if err != nil {
		return problem
	}
	typed, err := strconv.Unquote(quoted)
	if err != nil {
		return problem
	}
	if meant := slices.Sorted(slices.Values(root.SuggestionsFor(typed))); len(meant) > 0 {
		return invocation.NewUsageError("there is no command %s; did you mean %s?", quoted, strings.Join(meant, ", "))
	}
	return invocation.NewUsageError("there is no command %s", quoted)
}
