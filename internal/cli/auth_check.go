package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/authcheck"
	"github.com/bowline-mcp/bowline/internal/cli/finding"
	"github.com/bowline-mcp/bowline/internal/cli/invocation"
)

func newAuthCheckCommand(i *invocation.Invocation) *cobra.Command {
	var given tokenFlag
	command := &cobra.Command{
		Use:     "auth:check URL",
		GroupID: groupAuth,
		Short:   "Check how a server over HTTP authorizes clients",
		Long: "Act as a client of the MCP server at the URL, written with Bowline or not, and check each step of its\n" +
			"authorization: the challenge, the metadata of the resource and of its authorization servers, and a token.\n" +
			"A FAULT makes clients fail or breaks a rule, a note is a recommendation. The exit code is 1 if there is a fault.\n\n" +
			"The token goes to the URL only: in the header Authorization, and once as ?access_token=, which the server must\n" +
			"ignore. It is never printed, and over http:// it goes to this machine only.",
		Example: "  mcp auth:check https://mcp.example.com/mcp\n  mcp auth:check http://127.0.0.1:8080/private --token-stdin <token.txt",
		Args:    invocation.Exactly("the URL of the server's MCP endpoint"),
		RunE: func(command *cobra.Command, args []string) error {
			token, err := given.read(command.InOrStdin())
			if err != nil {
				return err
			}
			check, err := authcheck.New(args[0], token)
			if err != nil {
				return invocation.AsUsage(err)
			}
			faults, err := report(check, i.Stdout)
			if faults > 0 {
				i.Code = invocation.ExitFailure
			}
			return err
		},
	}
	given.add(command, "check an access token too, read from the first line of stdin")
	return command
}

// report writes each step of the check as it ends, and then how many faults there are.
func report(check *authcheck.Check, out io.Writer) (faults int, err error) {
	notes := 0
	for step := range check.Steps(context.Background()) {
		if _, err := step.WriteTo(out); err != nil {
			return faults, err
		}
		faults += step.Count(finding.LevelBroken)
		notes += step.Count(finding.LevelHint)
	}
	_, err = fmt.Fprintf(out, "\n%s, %s\n", count(faults, "fault"), count(notes, "note"))
	return faults, err
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// A tokenFlag is the flag --token-stdin. On the command line, the token would stay in the
// shell's history and in the list of processes.
type tokenFlag bool

func (f *tokenFlag) add(command *cobra.Command, usage string) {
	command.Flags().BoolVar((*bool)(f), "token-stdin", false, usage)
}

// read reads the token from the first line of stdin, or returns "" without the flag.
func (f *tokenFlag) read(stdin io.Reader) (string, error) {
	if !*f {
		return "", nil
	}
	const limit = 64 << 10
	line, err := bufio.NewReader(io.LimitReader(stdin, limit)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("can't read the token from stdin: %w", err)
	}
	token := strings.TrimSpace(line)
	if scheme, rest, found := strings.Cut(token, " "); found && strings.EqualFold(scheme, "Bearer") {
		token = strings.TrimSpace(rest)
	}
	switch {
	case token == "":
		return "", invocation.NewUsageError("the first line of stdin is empty; --token-stdin reads a token from it")
	case len(line) == limit:
		return "", invocation.NewUsageError("the first line of stdin is longer than 64 KiB, so it is not a token")
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return "", invocation.NewUsageError("the first line of stdin is not a token: it has a space, or a character that isn't ASCII")
	}
	return token, nil
}
