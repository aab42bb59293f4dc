// Package invocation has what the commands of mcp share: the flags that all of them have, the output
// streams, the exit code, the app that the command works in, the terminal of the person, and errors in
// the arguments.
package invocation

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/questions"
	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

// Exit codes of the mcp command. If the command runs the app, it returns the app's exit code.
const (
	ExitOK      = 0
	ExitFailure = 1
	ExitUsage   = 2

	ExitCanceled = 130 // after Ctrl-C, as shells give it
)

// An Invocation is one run of the mcp command.
type Invocation struct {
	Stdout, Stderr io.Writer
	// Code is the exit code of a command that returns no error.
	Code int
	// Dir is the folder of the app, or one below it.
	Dir string
	// NoInput says that nobody is asked a question.
	NoInput bool
}

// AddFlags adds the flags that all commands have to the root of the commands.
func (i *Invocation) AddFlags(root *cobra.Command) {
	root.PersistentFlags().StringVar(&i.Dir, "dir", ".", "the `folder` of the app, or one below it")
	root.PersistentFlags().BoolVar(&i.NoInput, "no-input", false, "ask no questions")
}

// App returns the app that the folder in --dir belongs to.
func (i *Invocation) App() (*scaffold.App, error) { return scaffold.FindApp(i.Dir) }

// Terminal returns the terminal to ask questions on, or nil if nobody would answer.
func (i *Invocation) Terminal() *questions.Terminal {
	return questions.Open(os.Stdin, i.Stderr, i.NoInput)
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
			return NewUsageError("%s needs %s", command.Name(), strings.Join(names[len(args):], " and "))
		}
		return AtMost(len(names))(command, args)
	}
}

// AtMost accepts up to limit arguments.
func AtMost(limit int) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		if len(args) > limit {
			return NewUsageError("%s: unexpected argument %q", command.Name(), args[limit])
		}
		return nil
	}
}
