package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/inspector"
	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/cli/questions"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// An inspection is one run of the command inspector.
type inspection struct {
	*invocation.Invocation
	// The flags.
	host   string
	port   int
	noOpen bool
}

func newInspectorCommand(i *invocation.Invocation) *cobra.Command {
	n := &inspection{Invocation: i}
	command := &cobra.Command{
		Use:     "inspector [HANDLE|PATH]",
		Aliases: []string{"inspect"},
		GroupID: groupApp,
		Short:   "Use a server in the MCP Inspector",
		Long: "Run the official MCP Inspector, a web page on which you use a server of the app. It needs Node.js 22.19 or newer; npx\n" +
			"gets " + inspector.Package + ".\n\n" +
			"The Inspector starts a HANDLE with mcp dev, in the environment of this command. It connects to a PATH, such as\n" +
			"/mcp/demo, over HTTP. The app is served while the command runs, unless it is served already. If the path has\n" +
			"parameters, give the path that a client would use, such as /teams/red/mcp, or answer the questions.\n\n" +
			"The URL of the page and the Inspector's configuration go to stdout. Ctrl-C ends the Inspector and what it started.\n" +
			"The exit code is 0 after Ctrl-C, 1 for a failure, and 2 for wrong arguments.",
		Example: "  mcp inspector demo\n  mcp inspector /mcp/demo --no-open --port 7000",
		Args: func(command *cobra.Command, args []string) error {
			if err := invocation.AtMost(1)(command, args); err != nil {
				return err
			}
			if n.port > 65535 || n.port < 1 && command.Flags().Changed("port") {
				return invocation.NewUsageError("--port must be a number from 1 to 65535")
			}
			return nil
		},
		RunE:              n.run,
		ValidArgsFunction: n.completeServers,
	}
	command.Flags().StringVar(&n.host, "host", inspector.DefaultHost, "the `HOST` that the page listens on")
	command.Flags().IntVar(&n.port, "port", 0, fmt.Sprintf("the `PORT` of the page (default %d, or another one if that is busy)", inspector.DefaultPort))
	command.Flags().BoolVar(&n.noOpen, "no-open", false, "open no browser")
	_ = command.RegisterFlagCompletionFunc("host", cobra.FixedCompletions([]cobra.Completion{inspector.DefaultHost, "localhost"}, cobra.ShellCompDirectiveNoFileComp))
	_ = command.RegisterFlagCompletionFunc("port", cobra.NoFileCompletions)
	return command
}

// completeServers completes the handle or the path of a server of the app.
func (n *inspection) completeServers(command *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return n.BuiltListing(command.Context()).Servers(), cobra.ShellCompDirectiveNoFileComp
}

func (n *inspection) run(command *cobra.Command, args []string) error {
	app, err := n.App()
	if err != nil {
		return err
	}
	if _, err := inspector.CheckNode(command.Context()); err != nil {
		return err
	}
	var listed launcher.Listing
	interrupted, err := invocation.UntilSignal(command.Context(), func(ctx context.Context) (err error) {
		program, err := launcher.Program(ctx, app.Root, n.Stderr)
		if err == nil {
			listed, _, err = launcher.List(ctx, app.Root, program)
		}
		return err
	})
	if interrupted || err != nil {
		return err
	}
	chosen, err := n.choose(listed, args)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(chosen, "/") {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		server := inspector.Server{Name: chosen, Command: self, Args: []string{"dev", chosen, "--dir", app.Root}}
		_, err = invocation.UntilSignal(command.Context(), func(ctx context.Context) error { return n.inspect(ctx, server) })
		return err
	}
	path, err := n.fill(chosen)
	if err != nil {
		return err
	}
	server, err := newInspectorServer(app.Root, path, listed, n.Stderr)
	if err != nil {
		return err
	}
	_, err = invocation.UntilSignal(command.Context(), func(ctx context.Context) error {
		stop, err := server.serve(ctx)
		if err != nil {
			return err
		}
		err = n.inspect(ctx, server.describe())
		return cmp.Or(err, stop())
	})
	return err
}

// inspect runs the Inspector with one server until the context ends.
func (n *inspection) inspect(ctx context.Context, server inspector.Server) error {
	shown, err := inspector.Configuration(server)
	if err != nil {
		return err
	}
	if server.Command != "" {
		server.Env = environment() // which may have secrets, so that it isn't shown
	}
	configuration, err := inspector.Configuration(server)
	if err != nil {
		return err
	}
	options := inspector.Options{Host: n.host, Port: n.port, Open: !n.noOpen, Log: n.Stderr}
	options.Ready = func(url string) {
		_, _ = fmt.Fprintf(n.Stdout, "The Inspector is at:\n\n  %s\n\nIts configuration is:\n\n%s\n\nCtrl-C ends it.\n", url, shown)
	}
	_, _ = fmt.Fprintf(n.Stderr, "mcp: starting %s with npx\n", inspector.Package)
	return inspector.Run(ctx, configuration, options)
}

// environment returns the variables of this process.
func environment() map[string]string {
	variables := map[string]string{}
	for _, variable := range os.Environ() {
		if name, value, _ := strings.Cut(variable, "="); name != "" { // Windows has variables without a name
			variables[name] = value
		}
	}
	return variables
}

// choose returns the handle or path of a server: the one that is named, the only one,
// or the one that the person chooses.
func (n *inspection) choose(listed launcher.Listing, args []string) (string, error) {
	all := listed.Servers()
	if len(args) == 1 {
		name := args[0]
		if slices.Contains(all, name) || slices.ContainsFunc(listed.Web, func(w launcher.ListedRoute) bool { return matches(w.Path, name) }) {
			return name, nil
		}
		if path := "/mcp/" + name; slices.Contains(all, path) {
			return path, nil
		}
		return "", naming.Unknown("handle or path", name, all)
	}
	switch len(all) {
	case 0:
		return "", errors.New("the app has no servers: map one in routes/ai.go with mcp.Web or mcp.Local")
	case 1:
		return all[0], nil
	}
	asked := n.Terminal()
	if asked == nil {
		return "", invocation.NewUsageError("inspector needs the HANDLE or PATH of a server; there are: %s", naming.Quoted(all))
	}
	var options []questions.Option
	for _, name := range all {
		options = append(options, questions.Option{Value: name})
	}
	return asked.Choose("Which server?", options)
}

// matches reports whether a path is one that a client may use for the path of a route, which
// may have parameters.
func matches(route, path string) bool {
	pattern := "^"
	for i, part := range parameterPattern().Split(route, -1) {
		if i > 0 {
			pattern += "[^/]+"
		}
		pattern += regexp.QuoteMeta(strings.TrimSuffix(part, "*"))
		if strings.HasSuffix(part, "*") {
			pattern += ".*"
		}
	}
	found, err := regexp.MatchString(pattern+"$", path)
	return err == nil && found && !strings.Contains(path, "{")
}

// parameterPattern matches a parameter of a route, such as {team}.
func parameterPattern() *regexp.Regexp { return regexp.MustCompile(`\{([^}:]*)[^}]*\}`) }

// fill asks for the parameters of a path.
func (n *inspection) fill(path string) (string, error) {
	if !parameterPattern().MatchString(path) && !strings.HasSuffix(path, "*") {
		return path, nil
	}
	asked := n.Terminal()
	if asked == nil {
		return "", invocation.NewUsageError("the path %s has parameters; give the path that a client would use", naming.Printable(path))
	}
	var problem error
	ask := func(name string) string {
		value, err := asked.Text("The parameter "+name+" of "+naming.Printable(path)+"?", "", func(text string) error {
			if text == "" || strings.ContainsAny(text, "/?# ") {
				return errors.New("the value must be one segment of a path")
			}
			return nil
		})
		problem = errors.Join(problem, err)
		return value
	}
	filled := parameterPattern().ReplaceAllStringFunc(path, func(parameter string) string {
		return ask(parameterPattern().FindStringSubmatch(parameter)[1])
	})
	if rest, found := strings.CutSuffix(filled, "*"); found {
		filled = rest + ask("*")
	}
	return filled, problem
}
