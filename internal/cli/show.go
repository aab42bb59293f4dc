package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/assessment"
	"github.com/bowline-mcp/bowline/internal/cli/catalog"
	"github.com/bowline-mcp/bowline/internal/cli/client"
	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/cli/questions"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A show is one run of the command show.
type show struct {
	*invocation.Invocation
	// The flags.
	json     bool
	as       string // the name of a principal, or ""
	protocol string
	headers  headerFlags

	version      spec.Version // to speak; unknown for the newest
	server, name string       // the handle or URL, and the name of an item; "" if they aren't given
}

func newShowCommand(i *invocation.Invocation) *cobra.Command {
	s := &show{Invocation: i}
	command := &cobra.Command{
		Use:     "show [HANDLE|URL] [NAME]",
		GroupID: groupApp,
		Short:   "Show what a model sees of a server",
		Long: "Show a server as a client gets it: its instructions, and the description, parameters, hints and size of each tool,\n" +
			"prompt, resource and template. With the NAME of one, or the URI of a resource, show only that, with its schemas.\n" +
			"The server is one of the app by its HANDLE, or any MCP server by its URL. The HANDLE may be left out if the app has\n" +
			"only one. The app is built first when its sources have changed.\n\n" +
			"A server of the app is shown as the user of the process sees it, whose scopes have no limit. With --as, it is shown as a\n" +
			"principal sees it who has all scopes that it can have: VisibleTo and permissions then hide what it may not see.\n\n" +
			"The bytes count the definitions as the client gets them. The tokens are an estimate: a quarter of the bytes of\n" +
			"what models read, which is the instructions, and the names, descriptions and schemas of arguments of the tools.\n\n" +
			"With --json, one object is printed: server, as, protocolVersion, serverInfo, instructions, sizes, and the lists tools,\n" +
			"prompts, resources and templates, whose entries have bytes, estimatedTokens and the whole definition.\n\n" +
			"The exit code is 1 if the server can't be read or has nothing with the NAME, and 2 for wrong arguments.",
		Example: "  mcp show demo\n  mcp show demo echo\n  mcp show demo --as ana@example.com\n  mcp show demo --protocol-version 2025-06-18 --json\n" +
			"  mcp show https://mcp.example.com/mcp --token-stdin <token.txt",
		Args:              s.checkArguments,
		RunE:              s.run,
		ValidArgsFunction: s.completeArguments,
	}
	flags := command.Flags()
	flags.BoolVar(&s.json, "json", false, "print an object in JSON")
	flags.StringVar(&s.as, "as", "", "show what the principal with the `NAME` gets: a user of the app's authorization server by email address or ID, or the owner of a static token")
	flags.StringVar(&s.protocol, "protocol-version", "", "show what a client of the `VERSION` of MCP gets, such as 2025-06-18; the default is the newest that the server speaks")
	s.headers.add(command)
	_ = command.RegisterFlagCompletionFunc("protocol-version", cobra.FixedCompletions(versions(), cobra.ShellCompDirectiveNoFileComp)) // it fails only without such a flag
	return command
}

// versions returns the names of the versions of MCP, the newest first.
func versions() (names []string) {
	for v := spec.Newest; v > spec.VersionUnknown; v-- {
		names = append(names, v.String())
	}
	return names
}

// checkArguments checks the arguments and the flags, and takes them.
func (s *show) checkArguments(command *cobra.Command, args []string) error {
	if err := invocation.AtMost(2)(command, args); err != nil {
		return err
	}
	if len(args) > 0 {
		s.server = args[0]
	}
	if len(args) > 1 {
		s.name = args[1]
	}
	s.version = spec.ParseVersion(s.protocol)
	if command.Flags().Changed("protocol-version") && s.version == spec.VersionUnknown {
		return invocation.AsUsage(naming.Unknown("protocol version", s.protocol, versions()))
	}
	switch {
	case command.Flags().Changed("as") && s.as == "":
		return invocation.NewUsageError("--as needs the name of a principal, such as ana@example.com")
	case s.as != "" && isURL(s.server):
		return invocation.NewUsageError("--as is for a server of the app; to a URL, send an access token of the principal with --token-stdin")
	}
	return s.headers.check(s.server)
}

func (s *show) run(command *cobra.Command, _ []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	read, err := s.read(ctx, command)
	switch {
	case err != nil && ctx.Err() != nil:
		return invocation.AsCanceled(errors.New("the command was canceled"))
	case err != nil:
		return err
	}
	contents := catalog.New(catalog.About{
		Server: s.server, As: s.as, Version: read.client.Protocol().String(), Info: read.client.RawServer(), Instructions: read.client.Instructions(),
	}, read.lists)
	if s.name != "" {
		if err := contents.Only(s.name); err != nil {
			return err
		}
	}
	return s.write(contents)
}

// read reads the lists of the server.
func (s *show) read(ctx context.Context, command *cobra.Command) (served, error) {
	options := client.Options{Version: invocation.Version(), Protocol: s.version}
	if isURL(s.server) {
		header, err := s.headers.read(command.InOrStdin())
		if err != nil {
			return served{}, err
		}
		return readURL(ctx, s.server, header, options)
	}
	app, err := appOf(s.Invocation, s.server)
	if err != nil {
		return served{}, err
	}
	program, err := launcher.Program(ctx, app.Root, s.Stderr)
	if err != nil {
		return served{}, err
	}
	if s.server == "" {
		if s.server, err = invocation.ChooseHandle(ctx, s.Terminal().Within(ctx), app.Root, program); err != nil {
			return served{}, err
		}
	}
	arguments := []string{s.server}
	if s.as != "" {
		arguments = append(arguments, "--as", s.as)
	}
	return readHandle(ctx, app.Root, program, arguments, s.Stderr, options)
}

// write prints the catalog.
func (s *show) write(contents *catalog.Catalog) error {
	if s.json {
		encoded, err := codec.Indent(contents)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.Stdout, "%s\n", encoded)
		return err
	}
	const usual = 80 // columns, if the output isn't a terminal
	text := bytes.NewBuffer(contents.Text(cmp.Or(questions.Columns(s.Stdout), usual), questions.HasColors(s.Stdout)))
	if s.name == "" {
		text.WriteString("\n")
		writeSizes(text, slices.Concat(contents.Sizes, total(contents.Sizes)))
		text.WriteString("The tokens are an estimate: a quarter of the bytes of the instructions, and of\n" +
			"the names, descriptions and schemas of arguments of the tools.\n")
	}
	_, err := s.Stdout.Write(text.Bytes())
	return err
}

// total returns a line with the sum of sizes.
func total(sizes []assessment.Size) []assessment.Size {
	sum := assessment.Size{List: "total"}
	for _, size := range sizes {
		sum.Entries, sum.Bytes, sum.Tokens = sum.Entries+size.Entries, sum.Bytes+size.Bytes, sum.Tokens+size.Tokens
	}
	return []assessment.Size{sum}
}

// completeArguments completes the handle, and then the name or URI of what its server has.
func (s *show) completeArguments(command *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	switch {
	case len(args) == 0:
		return s.CompleteHandles(command, args, typed)
	case len(args) > 1 || isURL(args[0]):
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return s.BuiltListing(command.Context()).Server(args[0]).Items(), cobra.ShellCompDirectiveNoFileComp
}
