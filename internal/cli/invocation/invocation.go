// Package invocation reads what the commands of mcp have in common: the app that the command
// works in, the terminal of the person, and errors in the arguments.
package invocation

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/questions"
	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

// AddFlags adds the flags that all commands have to the root of the commands.
func AddFlags(root *cobra.Command) {
	root.PersistentFlags().String("dir", ".", "the `folder` of the app, or one below it")
	root.PersistentFlags().Bool("no-input", false, "ask no questions")
}

// App returns the app that the folder in --dir belongs to.
func App(command *cobra.Command) (*scaffold.App, error) {
	folder, err := command.Flags().GetString("dir")
	if err != nil {
		return nil, err
	}
	return scaffold.FindApp(folder)
}

// Terminal returns the terminal to ask questions on, or nil if nobody would answer.
func Terminal(command *cobra.Command) (*questions.Terminal, error) {
	noInput, err := command.Flags().GetBool("no-input")
	if err != nil {
		return nil, err
	}
	return questions.Open(os.Stdin, command.ErrOrStderr(), noInput), nil
}

// A UsageError reports wrong arguments or flags.
type UsageError struct{ error }

// NewUsageError returns a UsageError with a text as by fmt.Errorf.
func NewUsageError(format string, args ...any) error {
	return &UsageError{fmt.Errorf(format, args...)}
}

// AsUsage returns the UsageError of an error about an argument, and nil for nil.
func AsUsage(err error) error {
	if err == nil {
		return nil
	}
	return &UsageError{err}
}

// Exactly accepts one argument for each name. Its error lists missing arguments by name.
func Exactly(names ...string) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		if len(args) < len(names) {
			return NewUsageError("%s needs %s", command.CommandPath(), strings.Join(names[len(args):], " and "))
		}
		return AtMost(len(names))(command, args)
	}
}

// AtMost accepts up to limit arguments.
func AtMost(limit int) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		if len(args) > limit {
			return NewUsageError("%s: unexpected argument %q", command.CommandPath(), args[limit])
		}
		return nil
	}
}
