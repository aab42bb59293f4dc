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

// A call is one run of the command call.
type call struct {
	*invocation.Invocation
	// The flags.
	resource string // the URI of a resource to read, or ""
	prompt   bool
	raw      bool // whether the whole result is printed as JSON
	timeout  time.Duration
	headers  headerFlags

	server string   // the handle or the URL; "" if it is missing
	words  []string // the name of a tool or prompt, and the arguments
	header http.Header
	output *callOutput
	limit  *deadline
	asked  *questions.Terminal // nil if nobody would answer
	cancel func()              // ends the call, as Ctrl-C does
}

func newCallCommand(i *invocation.Invocation) *cobra.Command {
	c := &call{Invocation: i}
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
		Example: "  mcp call demo echo message=Hello\n" +
			"  mcp call demo calculate '{\"operation\": \"add\", \"a\": 1, \"b\": 2}'\n" +
			"  mcp call demo --resource demo://guide\n" +
			"  mcp call demo --prompt code-review code='x := 1'\n" +
			"  mcp call https://mcp.example.com/mcp search query=bowline --header \"Authorization: Bearer $TOKEN\"",
		Args:              c.checkArguments,
		RunE:              c.run,
		ValidArgsFunction: c.completeArguments,
	}
	flags := command.Flags()
	flags.StringVar(&c.resource, "resource", "", "read the resource with the `URI`")
	flags.BoolVar(&c.prompt, "prompt", false, "get the prompt NAME")
	flags.BoolVar(&c.raw, "json", false, "print the whole result as JSON")
	flags.DurationVar(&c.timeout, "timeout", time.Minute, "the time to wait for the result, without the build and your answers; 0 waits forever")
	c.headers.add(command)
	_ = command.RegisterFlagCompletionFunc("resource", c.completeResources) // it fails only without such a flag
	return command
}

// checkArguments checks the arguments and the flags, and takes them.
func (c *call) checkArguments(command *cobra.Command, args []string) error {
	switch {
	case command.Flags().Changed("resource") && c.resource == "":
		return invocation.NewUsageError("--resource needs the URI of a resource")
	case c.resource != "" && c.prompt:
		return invocation.NewUsageError("--resource and --prompt exclude each other")
	case c.resource != "" && len(args) > 1:
		return invocation.NewUsageError("call: unexpected argument %q: a resource takes none", args[1])
	case c.timeout < 0:
		return invocation.NewUsageError("--timeout %s is negative; 0 waits forever", c.timeout)
	}
	if len(args) > 0 {
		c.server, c.words = args[0], args[1:]
	}
	return c.headers.check(c.server)
}

// run makes the call and sets the exit code.
func (c *call) run(command *cobra.Command, _ []string) (err error) {
	if c.header, err = c.headers.read(command.InOrStdin()); err != nil {
		return err
	}
	c.output = newCallOutput(c.Stdout, c.Stderr, c.raw)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c.cancel = stop
	c.limit = newDeadline(ctx, c.timeout)
	defer c.limit.stop()
	c.asked = c.Terminal().Within(c.limit.ctx)
	if err := c.checkMissing(); err != nil {
		return err
	}
	connected, err := c.connect()
	if ended := new(client.EndedError); errors.As(err, &ended) && ended.Code > 0 {
		c.Code = ended.Code // the app has said why it doesn't serve
		return nil
	}
	if err == nil {
		c.Code, err = c.request(c.limit.ctx, connected)
		c.output.endProgress()
		err = errors.Join(err, connected.Close())
	}
	switch {
	case err != nil && (ctx.Err() != nil || errors.Is(err, questions.ErrInterrupted)):
		return invocation.AsCanceled(errors.New("the call was canceled"))
	case errors.Is(err, errTimeout):
		return fmt.Errorf("%s has no result after %s; --timeout sets another time", c.server, c.timeout)
	}
	return c.explain(err)
}

// connect connects to the server. The time of the call begins when the app is built.
func (c *call) connect() (*client.Client, error) {
	options := client.Options{Version: invocation.Version(), Progress: c.output.progress}
	if c.asked != nil {
		options.Ask = func(_ context.Context, params []byte) ([]byte, error) {
			c.output.endProgress()
			defer c.limit.pause()()
			answer, err := elicitation.Answer(c.asked, c.Stderr, params)
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
	app, err := appOf(c.Invocation, c.server)
	if err != nil {
		return nil, err
	}
	program, err := launcher.Program(c.limit.ctx, app.Root, c.Stderr)
	if err != nil {
		return nil, err
	}
	if c.server == "" {
		if c.server, err = invocation.ChooseHandle(c.limit.ctx, c.asked, app.Root, program); err != nil {
			return nil, err
		}
	}
	command := process.App(context.Background(), app.Root, program, "start", c.server)
	command.Stderr = c.Stderr
	c.limit.begin()
	return client.Command(c.limit.ctx, command, c.Stderr, options)
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
		if err := elicitation.ShowPage(c.Stderr, page); err != nil {
			return err
		}
	}
	them := "it"
	if len(needed.Pages) > 1 {
		them = "them"
	}
	return fmt.Errorf("%w; run the command again when you have opened %s", needed, them)
}
