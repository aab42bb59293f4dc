package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/arguments"
	"github.com/bowline-mcp/bowline/internal/cli/client"
	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/elicitation"
	"github.com/bowline-mcp/bowline/internal/endpoint"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// exitCanceled is the exit code after Ctrl-C, as shells give it.
const exitCanceled = 130

func newCallCommand(code *int) *cobra.Command {
	command := &cobra.Command{
		Use:     "call HANDLE|URL NAME [KEY=VALUE… | JSON]",
		GroupID: groupApp,
		Short:   "Call a tool, read a resource or get a prompt",
		Long: "Call a tool of a server: one of the app by its HANDLE, which mcp start would serve, or any MCP server by its URL.\n" +
			"The app is built first when its sources have changed. The result goes to stdout, progress and the app's log to stderr.\n\n" +
			"A value is converted to the type in the tool's schema: a number, true or false, an array or object written as JSON, or\n" +
			"a text. An array may also be given as one KEY=VALUE for each element. One JSON object instead of the pairs is sent\n" +
			"unchanged. A question of the server is asked on the terminal; without one the call fails.\n\n" +
			"The exit code is 1 if the call or the tool fails, 2 for wrong arguments, and 130 after Ctrl-C, which cancels the call.",
		Example: "  mcp call demo echo-tool message=Hello\n" +
			"  mcp call demo calculate-tool '{\"operation\": \"add\", \"a\": 1, \"b\": 2}'\n" +
			"  mcp call demo --resource demo://guide\n" +
			"  mcp call demo --prompt code-review-prompt code='x := 1'\n" +
			"  mcp call https://mcp.example.com/mcp search query=bowline --header \"Authorization: Bearer $TOKEN\"",
		Args: callArguments,
		RunE: func(command *cobra.Command, args []string) error {
			c, err := newCall(command, args)
			if err != nil {
				return err
			}
			*code, err = c.run()
			return err
		},
		ValidArgsFunction: completeCall,
	}
	flags := command.Flags()
	flags.String("resource", "", "read the resource with the `URI`")
	flags.Bool("prompt", false, "get the prompt NAME")
	flags.Bool("json", false, "print the whole result as JSON")
	flags.Duration("timeout", time.Minute, "the time to wait for the result, without the time for questions; 0 waits forever")
	flags.StringArrayP("header", "H", nil, "send a `HEADER` such as \"X-Team: a\" with each request to the URL; repeatable")
	addTokenFlag(command, "send an access token to the URL, read from the first line of stdin")
	_ = command.RegisterFlagCompletionFunc("resource", completeResources) // it fails only without such a flag
	return command
}

func callArguments(command *cobra.Command, args []string) error {
	resource := command.Flags().Changed("resource")
	switch {
	case resource && command.Flags().Changed("prompt"):
		return newUsageError("--resource and --prompt exclude each other")
	case len(args) == 0:
		return newUsageError("%s needs the HANDLE of a server of the app (mcp list shows them), or the URL of any server", command.CommandPath())
	case resource && len(args) > 1:
		return newUsageError("%s: unexpected argument %q: a resource takes none", command.CommandPath(), args[1])
	case !resource && len(args) == 1:
		return newUsageError("%s needs the NAME of a tool (mcp list shows them), or --resource URI, or --prompt NAME", command.CommandPath())
	case !isURL(args[0]) && (command.Flags().Changed("header") || command.Flags().Changed("token-stdin")):
		return newUsageError("--header and --token-stdin are for the URL of a server; a server on stdio has no headers")
	}
	return nil
}

// isURL reports whether a word is meant as a URL, not as a handle.
func isURL(word string) bool { return strings.Contains(word, "://") }

// A call is one run of the command.
type call struct {
	command  *cobra.Command
	server   string // the handle or the URL
	words    []string
	resource string
	prompt   bool
	header   http.Header
	timeout  time.Duration
	output   *callOutput
}

func newCall(command *cobra.Command, args []string) (*call, error) {
	flags := command.Flags()
	c := &call{command: command, server: args[0], words: args[1:]}
	var raw bool
	var err error
	for _, read := range []func() error{
		func() error { c.resource, err = flags.GetString("resource"); return err },
		func() error { c.prompt, err = flags.GetBool("prompt"); return err },
		func() error { raw, err = flags.GetBool("json"); return err },
		func() error { c.timeout, err = flags.GetDuration("timeout"); return err },
		func() error { c.header, err = headers(command); return err },
	} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	c.output = &callOutput{stdout: command.OutOrStdout(), stderr: command.ErrOrStderr(), raw: raw}
	return c, nil
}

// headers returns the headers that the flags give.
func headers(command *cobra.Command) (http.Header, error) {
	given, err := command.Flags().GetStringArray("header")
	if err != nil {
		return nil, err
	}
	header := http.Header{}
	for _, line := range given {
		name, value, found := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); !found || name == "" || strings.ContainsAny(name, " \t") {
			return nil, newUsageError("--header %q is not a header; write it as \"NAME: VALUE\"", line)
		}
		header.Add(name, strings.TrimSpace(value))
	}
	token, err := tokenOf(command)
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	return header, err
}

// run makes the call and returns the exit code.
func (c *call) run() (code int, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	limit := newDeadline(ctx, c.timeout)
	defer limit.stop()
	asked, err := terminal(c.command)
	if err != nil {
		return 0, err
	}
	options := client.Options{Version: versionOfModule(), Progress: c.output.progress}
	if asked != nil {
		options.Ask = func(ctx context.Context, params []byte) ([]byte, error) {
			c.output.endProgress()
			defer limit.pause()()
			return elicitation.Answer(asked, c.command.ErrOrStderr(), params)
		}
	}
	connected, err := c.connect(limit.ctx, options)
	if err == nil {
		code, err = c.request(limit.ctx, connected)
		c.output.endProgress()
		err = errors.Join(err, connected.Close())
	}
	if ended := new(client.EndedError); errors.As(err, &ended) && ended.Code > 0 && !isURL(c.server) {
		return ended.Code, nil // the app has said why
	}
	switch {
	case err != nil && ctx.Err() != nil:
		_, _ = fmt.Fprintln(c.command.ErrOrStderr(), "mcp: the call was canceled")
		return exitCanceled, nil
	case errors.Is(err, errTimeout):
		return 0, fmt.Errorf("%s has no result after %s; --timeout sets another time", c.server, c.timeout)
	}
	return code, c.explain(err)
}

// connect connects to the server.
func (c *call) connect(ctx context.Context, options client.Options) (*client.Client, error) {
	if isURL(c.server) {
		u, err := endpoint.Parse(c.server)
		if err != nil {
			return nil, &usageError{err}
		}
		return client.HTTP(ctx, u, c.header, options)
	}
	app, err := findApp(c.command)
	if err != nil {
		return nil, err
	}
	program, err := launcher.Program(app.Root, c.command.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	command := launcher.Command(app.Root, program, "start", c.server)
	command.Stderr = c.command.ErrOrStderr()
	return client.Command(ctx, command, c.command.ErrOrStderr(), options)
}

// request makes the request that the arguments describe, and prints the result.
func (c *call) request(ctx context.Context, connected *client.Client) (int, error) {
	switch {
	case c.command.Flags().Changed("resource"):
		result, err := connected.ReadResource(ctx, c.resource)
		if err != nil {
			return 0, c.suggestResource(ctx, connected, err)
		}
		return exitOK, c.output.resource(result)
	case c.prompt:
		return exitOK, c.getPrompt(ctx, connected)
	}
	tools, err := connected.Tools(ctx)
	if err != nil {
		return 0, err
	}
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name)
		if tool.Name != c.words[0] {
			continue
		}
		args, err := arguments.Parse(tool.InputSchema, c.words[1:])
		if err != nil {
			return 0, newUsageError("%s: %w", tool.Name, err)
		}
		result, err := connected.CallTool(ctx, tool, args)
		if err != nil {
			return 0, err
		}
		return c.output.tool(tool.Name, result)
	}
	return 0, unknownName("tool", c.words[0], names)
}

func (c *call) getPrompt(ctx context.Context, connected *client.Client) error {
	prompts, err := connected.Prompts(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, prompt := range prompts {
		names = append(names, prompt.Name)
		if prompt.Name != c.words[0] {
			continue
		}
		var known []string
		for _, argument := range prompt.Arguments {
			known = append(known, argument.Name)
		}
		args, err := arguments.Texts(known, c.words[1:])
		if err != nil {
			return newUsageError("%s: %w", prompt.Name, err)
		}
		result, err := connected.GetPrompt(ctx, prompt.Name, args)
		if err != nil {
			return err
		}
		return c.output.prompt(result)
	}
	return unknownName("prompt", c.words[0], names)
}

// suggestResource adds the nearest URI to the error for a resource that the server may not
// know.
func (c *call) suggestResource(ctx context.Context, connected *client.Client, problem error) error {
	answered := new(client.Error)
	if !errors.As(problem, &answered) || !answered.IsUnknown() {
		return problem
	}
	resources, err := connected.Resources(ctx)
	if err != nil {
		return problem // it says more
	}
	var uris []string
	for _, resource := range resources {
		uris = append(uris, resource.URI)
	}
	if nearest := naming.Nearest(c.resource, uris); nearest != "" && nearest != c.resource {
		return fmt.Errorf("%w; did you mean %s?", problem, naming.Printable(nearest))
	}
	return problem
}

// unknownName returns the error for a name that isn't in a list.
func unknownName(kind, name string, names []string) error {
	switch nearest := naming.Nearest(name, names); {
	case len(names) == 0:
		return fmt.Errorf("there is no %s %q: the server has none", kind, name)
	case nearest != "":
		return fmt.Errorf("there is no %s %q; did you mean %q?", kind, name, nearest)
	}
	return fmt.Errorf("there is no %s %q; there are: %s", kind, name, naming.Quoted(names))
}

// explain adds to the error of a call what the user can do.
func (c *call) explain(err error) error {
	refused, answered := new(client.RefusedError), new(client.Error)
	switch {
	case errors.Is(err, client.ErrCannotAsk), errors.As(err, &answered) && answered.IsQuestion():
		return fmt.Errorf("%w; run the command on a terminal, without --no-input and CI", err)
	case !errors.As(err, &refused):
		return err
	case refused.Status == http.StatusUnauthorized && c.header.Get("Authorization") == "":
		return fmt.Errorf("%w; give an access token with --header \"Authorization: Bearer …\" or --token-stdin", err)
	case refused.IsLogin():
		return fmt.Errorf("%w; the access token isn't valid here, or has too few scopes: mcp auth:check %s --token-stdin says more", err, c.server)
	case refused.Location != "":
		return fmt.Errorf("%w; it has moved to %s", err, naming.Printable(refused.Location))
	case refused.Status == http.StatusNotFound:
		return fmt.Errorf("%w; is the path right? mcp list shows those of an app", err)
	}
	return err
}
