package cli

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/dev"
	"github.com/bowline-mcp/bowline/internal/cli/invocation"
)

func newDevCommand(i *invocation.Invocation) *cobra.Command {
	var address string
	made := &cobra.Command{
		Use:     "dev [HANDLE]",
		GroupID: groupApp,
		Short:   "Serve the app, and rebuild it after each change",
		Long: "Serve the app while its sources change: over HTTP, or the server of a HANDLE over stdin and stdout.\n\n" +
			"When a source has changed, the app is built again. Once the new program answers, it gets all further messages;\n" +
			"a call finishes in the program that started it. Clients stay connected: sessions and the streams on which clients\n" +
			"listen continue, and clients hear that lists may have changed. Only clients of HTTP with SSE (2024-11-05) have to\n" +
			"connect again. If the app doesn't build or doesn't start, the previous program keeps serving.\n\n" +
			"Over HTTP, a proxy listens on the address of the app (APP_ADDR, by default 127.0.0.1:8080) and passes requests to a\n" +
			"program on a free port. An address that other machines can reach needs APP_URL or APP_ALLOWED_HOSTS.\n" +
			"The log is on stderr. Each call is a line: time, name, client, duration, outcome and reason; below a panic are the\n" +
			"lines of the app's own files. A change of .env restarts the program.\n\n" +
			"The exit code is 0 after Ctrl-C or the end of stdin, 1 for a failure or if no program serves at the end of stdin, and\n" +
			"2 for a usage error.",
		Example: "  mcp dev\n  mcp dev --addr 127.0.0.1:9000\n  mcp dev demo",
		Args:    invocation.AtMost(1),

		ValidArgsFunction: i.CompleteHandles,
		RunE: func(command *cobra.Command, args []string) error {
			if len(args) == 1 && address != "" {
				return invocation.NewUsageError("%s: --addr is for HTTP, but a HANDLE is served on stdio; give one of them", command.Name())
			}
			app, err := i.App()
			if err != nil {
				return err
			}
			defer outliveStderr()()
			hintAtEnv(i, app)
			// After the first signal, a second one ends the process. The programs then end with
			// their stdin.
			ctx, stop := signal.NotifyContext(command.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			go func() { <-ctx.Done(); stop() }()
			if len(args) == 1 {
				err := dev.Relay(ctx, app.Root, args[0], command.InOrStdin(), i.Stdout, i.Stderr)
				if errors.Is(err, dev.ErrUnknownHandle) { // the program has said which ones there are
					i.Code, err = invocation.ExitFailure, nil
				}
				return err
			}
			return dev.Serve(ctx, app.Root, address, i.Stderr, nextOverHTTP)
		},
	}
	made.Flags().StringVar(&address, "addr", "", "the `ADDRESS` to serve HTTP at, instead of the app's")
	_ = made.RegisterFlagCompletionFunc("addr", cobra.NoFileCompletions) // fails for an unknown flag only
	return made
}

// nextOverHTTP returns the commands that use the server at a path of the app.
func nextOverHTTP(base, served string) string {
	name := path.Base(served)
	if strings.ContainsAny(name, "{}/") {
		name = "NAME"
	}
	var b strings.Builder
	b.WriteString("\nNext, in another terminal:\n\n")
	width := len("mcp install  --url ") + len(name) + len(base+served)
	for _, command := range [][2]string{
		{"mcp show " + base + served, "what a model sees of the server"},
		{"mcp call " + base + served + " TOOL", "call a tool"},
		{"mcp inspector " + served, "use the server in the MCP Inspector"},
		{"mcp install " + name + " --url " + base + served, "add the server to AI clients"},
	} {
		_, _ = fmt.Fprintf(&b, "  %-*s  # %s\n", width, command[0], command[1])
	}
	return b.String() + "\n"
}
