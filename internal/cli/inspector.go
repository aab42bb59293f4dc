package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/dev"
	"github.com/bowline-mcp/bowline/internal/endpoint"
	"github.com/bowline-mcp/bowline/internal/inspector"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/questions"
	"github.com/bowline-mcp/bowline/internal/scaffold"
)

// serveTime is the time that the app has to serve.
const serveTime = time.Minute

func newInspectorCommand() *cobra.Command {
	command := &cobra.Command{
		Use:     "inspector [HANDLE|PATH]",
		Aliases: []string{"inspect"},
		GroupID: groupApp,
		Short:   "Use a server in the MCP Inspector",
		Long: "Run the official MCP Inspector, a web page on which you use a server of the app. It needs Node.js 22.19 or newer; npx\n" +
			"gets " + inspector.Package + ".\n\n" +
			"The Inspector starts a HANDLE with mcp dev, and connects to a PATH, such as /mcp/demo, over HTTP. The app is served\n" +
			"while the command runs, unless it is served already. If the path has parameters, give the path that a client would\n" +
			"use, such as /teams/red/mcp, or answer the questions.\n\n" +
			"The URL of the page and the Inspector's configuration go to stdout. Ctrl-C ends the Inspector and what it started.\n" +
			"The exit code is 0 after Ctrl-C, 1 for a failure, and 2 for wrong arguments.",
		Example: "  mcp inspector demo\n  mcp inspector /mcp/demo --no-open --port 7000",
		Args: func(command *cobra.Command, args []string) error {
			if len(args) > 1 {
				return newUsageError("%s: unexpected argument %q", command.CommandPath(), args[1])
			}
			if port, err := command.Flags().GetInt("port"); err != nil || port < 0 || port > 65535 {
				return newUsageError("--port must be a number from 1 to 65535")
			}
			return nil
		},
		RunE:              inspect,
		ValidArgsFunction: completeServers,
	}
	command.Flags().String("host", inspector.DefaultHost, "the `HOST` that the page listens on")
	command.Flags().Int("port", 0, fmt.Sprintf("the `PORT` of the page (default %d, or another one if that is busy)", inspector.DefaultPort))
	command.Flags().Bool("no-open", false, "open no browser")
	_ = command.RegisterFlagCompletionFunc("host", cobra.FixedCompletions([]cobra.Completion{inspector.DefaultHost, "localhost"}, cobra.ShellCompDirectiveNoFileComp))
	_ = command.RegisterFlagCompletionFunc("port", cobra.NoFileCompletions)
	return command
}

// completeServers completes the handle or the path of a server of the app.
func completeServers(command *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	listed, ok := builtListing(command)
	if !ok || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return listed.servers(), cobra.ShellCompDirectiveNoFileComp
}

func inspect(command *cobra.Command, args []string) (problem error) {
	app, err := findApp(command)
	if err != nil {
		return err
	}
	options := inspector.Options{Log: command.ErrOrStderr()}
	noOpen := false
	for _, read := range []func() error{
		func() error { options.Host, err = command.Flags().GetString("host"); return err },
		func() error { options.Port, err = command.Flags().GetInt("port"); return err },
		func() error { noOpen, err = command.Flags().GetBool("no-open"); return err },
		func() error { _, err := inspector.CheckNode(command.Context()); return err },
	} {
		if err := read(); err != nil {
			return err
		}
	}
	options.Open = !noOpen
	program, err := launcher.Program(app.Root, command.ErrOrStderr())
	if err != nil {
		return err
	}
	listed, err := listingOf(app.Root, program)
	if err != nil {
		return fmt.Errorf("the app doesn't start: %w; mcp list says more", err)
	}
	chosen, err := chooseServer(command, listed, args)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(command.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	server, end, err := prepare(ctx, command, app, listed, chosen)
	if err != nil {
		return errors.Join(err, end())
	}
	defer func() { problem = errors.Join(problem, end()) }()
	configuration, err := inspector.Configuration(server)
	if err != nil {
		return err
	}
	options.Ready = func(url string) {
		_, _ = fmt.Fprintf(command.OutOrStdout(), "The Inspector is at:\n\n  %s\n\nIts configuration is:\n\n%s\n\nCtrl-C ends it.\n", url, configuration)
	}
	_, _ = fmt.Fprintf(command.ErrOrStderr(), "mcp: starting %s with npx\n", inspector.Package)
	return inspector.Run(ctx, configuration, options)
}

// servers returns the handles and then the paths of the app.
func (l listing) servers() (all []string) {
	for _, local := range l.Local {
		all = append(all, local.Handle)
	}
	for _, web := range l.Web {
		all = append(all, web.Path)
	}
	return all
}

// chooseServer returns the handle or path of a server: the one that is named, the only one,
// or the one that the person chooses.
func chooseServer(command *cobra.Command, listed listing, args []string) (string, error) {
	all := listed.servers()
	if len(args) == 1 {
		name := args[0]
		if slices.Contains(all, name) || slices.ContainsFunc(listed.Web, func(w webListing) bool { return matches(w.Path, name) }) {
			return name, nil
		}
		if path := "/mcp/" + name; slices.Contains(all, path) {
			return path, nil
		}
		return "", unknownName("handle or path", name, all)
	}
	switch len(all) {
	case 0:
		return "", errors.New("the app has no servers: map one in routes/ai.go with mcp.Web or mcp.Local")
	case 1:
		return all[0], nil
	}
	asked, err := terminal(command)
	if err != nil {
		return "", err
	}
	if asked == nil {
		return "", newUsageError("%s needs the HANDLE or PATH of a server; there are: %s", command.CommandPath(), naming.Quoted(all))
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

// prepare returns the server that the Inspector connects to. A server at a path is served
// until end is called.
func prepare(ctx context.Context, command *cobra.Command, app *scaffold.App, listed listing, chosen string) (server inspector.Server, end func() error, err error) {
	end = func() error { return nil }
	if !strings.HasPrefix(chosen, "/") {
		self, err := os.Executable()
		return inspector.Server{Name: chosen, Command: self, Args: []string{"dev", chosen, "--dir", app.Root}}, end, err
	}
	path, err := fill(command, chosen)
	if err != nil {
		return server, end, err
	}
	address, err := clientAddress(listed.Address)
	if err != nil {
		return server, end, err
	}
	server = inspector.Server{Name: strings.Trim(strings.ReplaceAll(path, "/", "-"), "-"), URL: "http://" + address + path}
	if endpoint.IsReady(ctx, address) {
		_, _ = fmt.Fprintf(command.ErrOrStderr(), "mcp: using the program that serves at %s already\n", address)
		return server, end, nil
	}
	_, _ = fmt.Fprintf(command.ErrOrStderr(), "mcp: serving the app at %s\n", address)
	serving, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- dev.Serve(serving, app.Root, address, command.ErrOrStderr()) }()
	stopped := func() error {
		stop()
		return <-ended
	}
	limit := time.NewTimer(serveTime)
	defer limit.Stop()
	for !endpoint.IsReady(ctx, address) {
		select {
		case err := <-ended:
			stop()
			if err == nil {
				err = errors.New("the app ended before it served")
			}
			return server, end, err
		case <-limit.C:
			return server, stopped, fmt.Errorf("the app doesn't serve at %s after %s; does config/app.go take APP_ADDR?", address, serveTime)
		case <-time.After(50 * time.Millisecond):
		}
	}
	return server, stopped, nil
}

// fill asks for the parameters of a path.
func fill(command *cobra.Command, path string) (string, error) {
	if !parameterPattern().MatchString(path) && !strings.HasSuffix(path, "*") {
		return path, nil
	}
	asked, err := terminal(command)
	if err != nil {
		return "", err
	}
	if asked == nil {
		return "", newUsageError("the path %s has parameters; give the path that a client would use", naming.Printable(path))
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

// clientAddress returns the address at which a client on this machine finds a program that
// listens at another. A port of 0 becomes one that is free.
func clientAddress(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("the app's address %q is invalid: %w; set APP_ADDR", addr, err)
	}
	if strings.Trim(host, "0:.") == "" { // every address of the machine
		host = inspector.DefaultHost
	}
	if port != "0" {
		return net.JoinHostPort(host, port), nil
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}
