package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/client"
	"github.com/bowline-mcp/bowline/internal/cli/elicitation"
	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/cli/process"
	"github.com/bowline-mcp/bowline/internal/cli/questions"
)

func newCallCommand(code *int) *cobra.Command {
	command := &cobra.Command{
		Use:     "call HANDLE|URL NAME [KEY=VALUE… | JSON]",
		GroupID: groupApp,
		Short:   "Call a tool, read a resource or get a prompt",
		Long: "Call a tool of a server: one of the app by its HANDLE, which mcp start would serve, or any MCP server by its URL.\n" +
			"The app is built first when its sources have changed. The result goes to stdout, progress and the app's log to stderr.\n\n" +
			"A value is converted to the type in the tool's schema: a number, true or false, an array or object written as JSON, or\n" +
			"a text. An array may also be given as one KEY=VALUE for each element. One JSON object instead of the pairs is sent\n" +
			"unchanged. A missing NAME or required argument and the questions of the server are asked for on the terminal; without one\n" +
			"the call fails.\n\n" +
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
	flags.Duration("timeout", time.Minute, "the time to wait for the result, without the build and your answers; 0 waits forever")
	addHeaderFlags(command)
	_ = command.RegisterFlagCompletionFunc("resource", completeResources) // it fails only without such a flag
	return command
}

func callArguments(command *cobra.Command, args []string) error {
	resource := command.Flags().Changed("resource")
	uri, err := command.Flags().GetString("resource")
	switch {
	case err != nil:
		return err
	case resource && uri == "":
		return invocation.NewUsageError("--resource needs the URI of a resource")
	case resource && command.Flags().Changed("prompt"):
		return invocation.NewUsageError("--resource and --prompt exclude each other")
	case resource && len(args) > 1:
		return invocation.NewUsageError("%s: unexpected argument %q: a resource takes none", command.CommandPath(), args[1])
	}
	return checkHeaderFlags(command, args)
}

// A call is one run of the command.
type call struct {
	command  *cobra.Command
	server   string   // the handle or the URL; "" if it is missing
	words    []string // the name of a tool or prompt, and the arguments
	resource string
	prompt   bool
	header   http.Header
	timeout  time.Duration
	output   *callOutput
	limit    *deadline
	asked    *questions.Terminal // nil if nobody would answer
	cancel   func()              // ends the call, as Ctrl-C does
}

func newCall(command *cobra.Command, args []string) (*call, error) {
	flags := command.Flags()
	c := &call{command: command}
	if len(args) > 0 {
		c.server, c.words = args[0], args[1:]
	}
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
	if c.timeout < 0 {
		return nil, invocation.NewUsageError("--timeout %s is negative; 0 waits forever", c.timeout)
	}
	c.output = newCallOutput(command, raw)
	return c, nil
}

// run makes the call and returns the exit code.
func (c *call) run() (code int, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c.cancel = stop
	c.limit = newDeadline(ctx, c.timeout)
	defer c.limit.stop()
	asked, err := invocation.Terminal(c.command)
	if err != nil {
		return 0, err
	}
	c.asked = asked.Within(c.limit.ctx)
	if err := c.checkMissing(); err != nil {
		return 0, err
	}
	connected, err := c.connect()
	if ended := new(client.EndedError); errors.As(err, &ended) && ended.Code > 0 {
		return ended.Code, nil // the app has said why it doesn't serve
	}
	if err == nil {
		code, err = c.request(c.limit.ctx, connected)
		c.output.endProgress()
		err = errors.Join(err, connected.Close())
	}
	switch {
	case err != nil && (ctx.Err() != nil || errors.Is(err, questions.ErrInterrupted)):
		_, _ = fmt.Fprintln(c.command.ErrOrStderr(), "mcp: the call was canceled")
		return exitCanceled, nil
	case errors.Is(err, errTimeout):
		return 0, fmt.Errorf("%s has no result after %s; --timeout sets another time", c.server, c.timeout)
	}
	return code, c.explain(err)
}

// connect connects to the server. The time of the call begins when the app is built.
func (c *call) connect() (*client.Client, error) {
	options := client.Options{Version: versionOfModule(), Progress: c.output.progress}
	if c.asked != nil {
		options.Ask = func(_ context.Context, params []byte) ([]byte, error) {
			c.output.endProgress()
			defer c.limit.pause()()
			answer, err := elicitation.Answer(c.asked, c.command.ErrOrStderr(), params)
			if errors.Is(err, questions.ErrInterrupted) {
				c.cancel() // an older server would wait for the answer, and the client for the result
			}
			return answer, err
		}
	}
	if isURL(c.server) {
		c.limit.begin()
		return connectURL(c.limit.ctx, c.server, c.header, options)
	}
	app, err := appOf(c.command, c.server)
	if err != nil {
		return nil, err
	}
	program, err := launcher.Program(app.Root, c.command.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	if c.server == "" {
		if c.server, err = chooseHandle(c.limit.ctx, c.asked, app.Root, program); err != nil {
			return nil, err
		}
	}
	command := process.Command(context.Background(), app.Root, program, "start", c.server)
	command.Stderr = c.command.ErrOrStderr()
	c.limit.begin()
	return client.Command(c.limit.ctx, command, c.command.ErrOrStderr(), options)
}

// explain adds to the error of a call what the user can do.
func (c *call) explain(err error) error {
	answered, ended, needed := new(client.Error), new(client.EndedError), new(client.PageError)
	switch {
	case errors.As(err, &needed):
		return c.explainPages(needed)
	case errors.As(err, &ended):
		return fmt.Errorf("%w; the app's log above may say why", err)
	case errors.Is(err, client.ErrCannotAsk), errors.As(err, &answered) && answered.IsQuestion():
		return fmt.Errorf("%w; run the command on a terminal, without --no-input and CI", err)
	case errors.As(err, &answered) && answered.IsUnsupported():
		return fmt.Errorf("%w; mcp call answers questions with forms and pages only", err)
	}
	return explainRefusal(err, c.server, c.header)
}

// explainPages returns the error of a call that needs pages, which a terminal has shown before.
func (c *call) explainPages(needed *client.PageError) error {
	for _, page := range needed.Pages {
		if c.asked != nil {
			break
		}
		if err := elicitation.ShowPage(c.command.ErrOrStderr(), page); err != nil {
			return err
		}
	}
	them := "it"
	if len(needed.Pages) > 1 {
		them = "them"
	}
	return fmt.Errorf("%w; run the command again when you have opened %s", needed, them)
}
