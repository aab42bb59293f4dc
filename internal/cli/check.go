package cli

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/assessment"
	"github.com/bowline-mcp/bowline/internal/cli/client"
	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/clientrules"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A check is one run of the command check.
type check struct {
	*invocation.Invocation
	// The flags.
	json    bool
	ignored []string
	headers headerFlags

	header http.Header
}

func newCheckCommand(i *invocation.Invocation) *cobra.Command {
	c := &check{Invocation: i}
	command := &cobra.Command{
		Use:     "check [HANDLE|URL]",
		GroupID: groupApp,
		Short:   "Check what AI clients refuse",
		Long: "Read the lists of a server, and print what each AI client would refuse: a tool, or the whole list. Also print the size\n" +
			"of the lists, with an estimate of the tokens that the tools take, tools without a description, and tools with nearly\n" +
			"the same one. The server is one of the app by its HANDLE, any MCP server by its URL, or every handle of the app if neither is given.\n" +
			"The app is built first when its sources have changed.\n\n" +
			"A line with ✗ is a rule that a client refuses tools by, and one with ! is advice. Only tools that the caller sees are\n" +
			"checked. With --json, one object is printed: servers, a list of server, entry, lists, clients, findings,\n" +
			"withoutDescription and similarDescriptions.\n\n" +
			"The exit code is 1 if a client would refuse a tool or a list, or if a server can't be read, and 2 for wrong arguments.",
		Example: "  mcp check\n  mcp check demo --ignore enum-not-string\n  mcp check https://mcp.example.com/mcp --token-stdin <token.txt",
		Args: func(command *cobra.Command, args []string) error {
			if err := invocation.AtMost(1)(command, args); err != nil {
				return err
			}
			return c.headers.check(strings.Join(args, ""))
		},
		RunE:              c.run,
		ValidArgsFunction: i.CompleteHandles,
	}
	command.Flags().BoolVar(&c.json, "json", false, "print the reports as JSON")
	command.Flags().StringArrayVar(&c.ignored, "ignore", nil, "leave out the rule with the `ID`, such as enum-not-string; repeatable")
	c.headers.add(command)
	return command
}

func (c *check) run(command *cobra.Command, args []string) (err error) {
	if c.header, err = c.headers.read(command.InOrStdin()); err != nil {
		return err
	}
	for _, id := range c.ignored {
		if known := clientrules.IDs(); !slices.Contains(known, id) {
			return invocation.AsUsage(naming.Unknown("rule", id, known))
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	reports, err := c.reports(ctx, args)
	switch {
	case err != nil && ctx.Err() != nil:
		return invocation.AsCanceled(errors.New("the check was canceled"))
	case err != nil:
		return err
	}
	for _, report := range reports {
		if report.Loss() >= clientrules.LosesTool {
			c.Code = invocation.ExitFailure
		}
	}
	return c.write(reports)
}

// reports assesses the servers that the arguments name.
func (c *check) reports(ctx context.Context, args []string) (reports []assessment.Report, err error) {
	options := client.Options{Version: invocation.Version()}
	if len(args) > 0 && isURL(args[0]) {
		read, err := readURL(ctx, args[0], c.header, options)
		if err != nil {
			return nil, err
		}
		return []assessment.Report{c.report(args[0], read.client.Server().Name, read)}, nil
	}
	app, err := appOf(c.Invocation, strings.Join(args, ""))
	if err != nil {
		return nil, err
	}
	program, err := launcher.Program(ctx, app.Root, c.Stderr)
	if err != nil {
		return nil, err
	}
	handles := args
	if len(args) == 0 {
		listed, _, err := launcher.List(ctx, app.Root, program)
		if err != nil {
			return nil, err
		}
		if handles = listed.Handles(); len(handles) == 0 {
			return nil, invocation.ErrNoHandle
		}
	}
	for _, handle := range handles {
		read, err := readHandle(ctx, app.Root, program, []string{handle}, c.Stderr, options)
		if err != nil {
			return nil, err
		}
		reports = append(reports, c.report(handle, handle, read))
	}
	return reports, nil
}

// report assesses the lists of a server.
func (c *check) report(server, entry string, read served) assessment.Report {
	return assessment.Of(assessment.Lists{
		Server: server, Entry: entry, Tools: read.lists.Tools, Resources: read.lists.Resources, Templates: read.lists.Templates, Prompts: read.lists.Prompts,
		Modern: read.client.IsModern(), Ignored: c.ignored,
	})
}
