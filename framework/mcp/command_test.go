package mcp_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
)

// quiet is a command that does nothing.
func quiet(name string) mcp.Command {
	return mcp.Command{Name: name, Run: func(context.Context, []string, io.Reader, io.Writer, io.Writer) error { return nil }}
}

// greeter is a command that greets the names of its arguments, or those on stdin.
func greeter() mcp.Command {
	return mcp.Command{
		Name: "guest:greet", Usage: "NAME… [--stdin]", Summary: "Greet guests",
		Run: func(_ context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
			switch strings.Join(args, " ") {
			case "":
				return &mcp.UsageError{Reason: "the NAME is missing"}
			case "--help":
				return flag.ErrHelp
			case "ghost":
				return errors.New("the guest is invisible; turn on the light")
			case "--stdin":
				_, err := io.Copy(stdout, stdin)
				return err
			}
			_, _ = fmt.Fprintln(stderr, "greeting")
			_, err := fmt.Fprintf(stdout, "Hello %q\n", args)
			return err
		},
	}
}

// run runs a command line of an app, and returns its exit code and outputs.
func run(t *testing.T, app *mcp.App, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, problems bytes.Buffer
	code = app.Run(t.Context(), args, strings.NewReader(stdin), &out, &problems)
	return code, out.String(), problems.String()
}

const ownUsage = "This program serves MCP, the Model Context Protocol.\n\n" +
	"  serve            serve the web routes over HTTP\n  start HANDLE     serve one server on stdin and stdout\n  list             list the routes\n"

func TestAProgramHasTheCommandsOfItsComponents(t *testing.T) {
	t.Parallel()
	server := &issuing{commands: []mcp.Command{greeter(), quiet("a:b")}}
	app := issuingApp(server, mcp.Config{Addr: "nowhere"})
	const all = ownUsage + "\nIts components have these commands (NAME --help shows the arguments):\n\n  guest:greet     Greet guests\n  a:b             \n"
	const help = "Greet guests\n\n  guest:greet NAME… [--stdin]\n"
	for _, test := range []struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		{args: []string{"guest:greet", "ana", "--loud", "-x"}, stdout: "Hello [\"ana\" \"--loud\" \"-x\"]\n", stderr: "greeting\n"},
		{args: []string{"guest:greet", "--stdin"}, stdout: "what stdin has"},
		{args: []string{"a:b"}},
		{args: []string{"guest:greet", "--help"}, stderr: help},
		{args: []string{"guest:greet"}, code: 2, stderr: "mcp: guest:greet: the NAME is missing\n\n" + help},
		{args: []string{"guest:greet", "ghost"}, code: 1, stderr: "mcp: the guest is invisible; turn on the light\n"},
		{args: []string{"guest:shoo"}, code: 2, stderr: "mcp: unknown command \"guest:shoo\"; --help lists the commands\n"},
		{args: []string{"guest:great"}, code: 2, stderr: "mcp: unknown command \"guest:great\"; did you mean \"guest:greet\"?\n"},
		{args: nil, code: 2, stderr: all},
		{args: []string{"--help"}, stderr: all},
	} {
		code, stdout, stderr := run(t, app, "what stdin has", test.args...)
		if code != test.code || stdout != test.stdout || stderr != test.stderr {
			t.Errorf("%q: exit code %d, stdout %q, stderr\n%s\nwant %d, %q,\n%s", test.args, code, stdout, stderr, test.code, test.stdout, test.stderr)
		}
	}
	if server.opened != 0 {
		t.Error("a command opened the server")
	}
}

func TestACommandOfAComponentNeedsOne(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{})
	const want = "mcp: unknown command \"user:create\": commands with a colon belong to components, such as an authorization server, and this program has none; call Router.Component\n"
	if code, stdout, stderr := run(t, app, "", "user:create", "ana@example.com"); code != 2 || stdout != "" || stderr != want {
		t.Errorf("exit code %d, stdout %q, stderr\n%s", code, stdout, stderr)
	}
	app.Router.Component(&issuing{commands: []mcp.Command{quiet("a:b")}})
	app.Router.Component(&issuing{commands: []mcp.Command{quiet("a:b")}})
	if code, _, stderr := run(t, app, "", "user:create"); code != 1 || !strings.Contains(stderr, "the command a:b belongs to component 1 (*mcp_test.issuing) and component 2 (*mcp_test.issuing)") {
		t.Errorf("with two components: exit code %d, stderr\n%s", code, stderr)
	}
}

func TestTheCommandsOfEveryProgramStay(t *testing.T) {
	t.Parallel()
	server := &issuing{commands: []mcp.Command{quiet("list")}}
	app := issuingApp(server, mcp.Config{URL: "https://example.com"})
	if code, stdout, stderr := run(t, app, "", "list"); code != 1 || stdout != "" || !strings.Contains(stderr, "the command list belongs to every program") {
		t.Errorf("exit code %d, stdout %q, stderr\n%s", code, stdout, stderr)
	}
}
