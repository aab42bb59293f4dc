package mcp

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/bowline-mcp/bowline/internal/command"
	"github.com/bowline-mcp/bowline/internal/engine/dispatch"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A Command is a command of a component, such as user:create. It is beside serve, start and
// list, which it can't replace.
type Command struct {
	Name    string // such as "user:create"
	Usage   string // its arguments and flags, such as "EMAIL [--password-stdin]"
	Summary string // one line, such as "Make a user"

	// Run runs the command with the arguments behind its name, until the context ends. The
	// exit code is 2 for a [*UsageError] and 1 for another error. For flag.ErrHelp the usage
	// is shown.
	Run func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error
}

// A UsageError says what is wrong with the arguments of a command.
type UsageError struct{ Reason string }

func (e *UsageError) Error() string { return e.Reason }

// ownCommands are the commands that every program has.
func ownCommands() []string { return []string{"serve", "start", "list"} }

// commands returns the commands of the components.
func (r *Router) commands() (all []Command, problem error) {
	names := claims{what: "command", owners: map[string]string{}}
	for _, name := range ownCommands() {
		names.owners[name] = "every program"
	}
	var problems []error
	for _, c := range r.root().components {
		commands, err := c.commands()
		problems = append(problems, err)
		for _, command := range commands {
			if command.Name == "" || command.Run == nil {
				problems = append(problems, fmt.Errorf("%s has a command %q without a name or without Run; set both", c.name, command.Name))
				continue
			}
			names.add(c.name, command.Name, command.Name)
			all = append(all, command)
		}
	}
	return all, errors.Join(append(problems, names.problem())...)
}

// runCommand runs a command of a component, and returns the exit code.
func (a *App) runCommand(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	commands, err := a.Router.commands()
	if err != nil {
		return failed(ctx, stderr, err)
	}
	i := slices.IndexFunc(commands, func(c Command) bool { return len(args) > 0 && c.Name == args[0] })
	if i < 0 {
		report(stderr, misunderstood(ctx, args, commands))
		return 2
	}
	run := commands[i]
	help := fmt.Sprintf("%s\n\n  %s %s\n", run.Summary, run.Name, run.Usage)
	defer flush(a.config.Logger) // to which listeners may log
	ctx = dispatch.With(ctx, (*dispatch.Dispatcher)(a.Events), a.config.Logger)
	err = run.Run(ctx, args[1:], stdin, stdout, stderr)
	wrong, isUsage := errors.AsType[*UsageError](err)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, flag.ErrHelp):
		report(stderr, help)
		return 0
	case isUsage:
		report(stderr, fmt.Sprintf("%s: %s: %s\n\n%s", command.ProgramFrom(ctx).Name, run.Name, wrong.Reason, help))
		return 2
	}
	return failed(ctx, stderr, err)
}

// usage returns the help of a program with the commands of its components.
func usage(commands []Command) string {
	text := strings.Builder{}
	text.WriteString("This program serves MCP, the Model Context Protocol.\n\n")
	table := tabwriter.NewWriter(&text, 0, 0, 5, ' ', 0)
	_, _ = io.WriteString(table, "  serve\tserve the web routes over HTTP\n  start HANDLE\tserve one server on stdin and stdout\n  list\tlist the routes\n")
	_ = table.Flush()
	if len(commands) > 0 {
		text.WriteString("\nIts components have these commands (NAME --help shows the arguments):\n\n")
	}
	for _, command := range commands {
		_, _ = fmt.Fprintf(table, "  %s\t%s\n", naming.Printable(command.Name), command.Summary)
	}
	_ = table.Flush()
	return text.String()
}

// misunderstood explains in one line why the arguments aren't a command. Without arguments it
// returns the help. The commands belong to the program's components.
func misunderstood(ctx context.Context, args []string, commands []Command) string {
	mistake := func(format string, args ...any) string {
		return prefixed(ctx, fmt.Errorf(format, args...)) + "\n"
	}
	switch {
	case len(args) == 0:
		return usage(commands)
	case args[0] == "start" && args[2] == asFlag && len(args) < 5:
		return mistake("start: --as needs the name of a principal")
	case args[0] == "start":
		return mistake("start: unexpected argument %q", args[2])
	case args[0] == "serve":
		return mistake("serve: unexpected argument %q", args[1])
	case args[0] == "list":
		return mistake("list: unexpected argument %q", args[1+unexpectedInList(args[1:])])
	case strings.Contains(args[0], ":") && len(commands) == 0:
		return mistake("unknown command %q: commands with a colon belong to components, such as an authorization server, and this program has none; call Router.Component", args[0])
	}
	names := ownCommands()
	for _, command := range commands {
		names = append(names, command.Name)
	}
	if nearest := naming.Nearest(args[0], names); nearest != "" {
		return mistake("unknown command %q; did you mean %q?", args[0], nearest)
	}
	return mistake("unknown command %q; --help lists the commands", args[0])
}
