package installation

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/aiclients"
	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/naming"
)

func newInstallCommand(shared *invocation.Invocation) *cobra.Command {
	i := &installation{target: target{Invocation: shared}}
	command := &cobra.Command{
		Use:   "install HANDLE",
		Short: "Add a server to AI clients",
		Long: "Add the server that mcp start HANDLE serves to the configuration of AI clients, or with --url a server over HTTP.\n" +
			"The app is built first, and the server is started once to see that it does, also for --print and --dry-run. The entry\n" +
			"has absolute paths, so the client needs no PATH, and starts the current app. An edit takes effect at the next start of\n" +
			"the server, or with --dev immediately.\n\n" +
			"Nothing else in a file changes, comments included. A backup stays beside it, with .mcp.bak at the end of its name.\n" +
			"What you add to the entry, such as env, stays when it is installed again, unless a URL replaces a program, or the\n" +
			"reverse. Either all files are written or none.\n\n" +
			"The clients are " + aiclients.IDs() + ".\n" +
			"The entries of goose and jetbrains are printed for you to add. A new entry of claude-code in the user scope is added\n" +
			"by \"claude mcp add-json\" if claude is on the PATH. An entry of another server is never replaced: of two apps with the\n" +
			"handle demo, the second needs a --name.\n\n" +
			"The exit code is 1 if a file can't be edited or the server doesn't start, 2 for wrong arguments, and 130 after Ctrl-C,\n" +
			"which leaves all files as they were.",
		Example: "  mcp install demo\n  mcp install demo --client claude-code --client cursor\n  mcp install demo --client vscode --scope project --dev\n" +
			"  mcp install demo --client codex --url http://127.0.0.1:8080/mcp/demo\n  mcp install demo --client zed --dry-run",
		Args:              invocation.AtMost(1),
		RunE:              i.run,
		ValidArgsFunction: i.CompleteHandles,
	}
	i.addFlags(command)
	flags := command.Flags()
	flags.StringVar(&i.name, "name", "", "the `NAME` of the entry (default HANDLE)")
	flags.BoolVar(&i.dev, "dev", false, "start the server with mcp dev, which serves every edit immediately")
	flags.BoolVar(&i.printing, "print", false, "print the entries instead, for you to add")
	return command
}

func (i *installation) run(command *cobra.Command, args []string) error {
	handle, err := i.handle(command, args)
	if err != nil {
		return err
	}
	if err := i.check(command, handle); err != nil {
		return err
	}
	if i.clients, err = i.choose(); err != nil {
		return err
	}
	if i.printing {
		if err := i.checkServer(); err != nil {
			return err
		}
		return i.print(i.clients)
	}
	edits, printed, err := i.edits()
	if err != nil {
		return err
	}
	if err := i.checkServer(); err != nil {
		return err
	}
	if i.dryRun {
		return errors.Join(showEdits(i.Stdout, edits), i.print(printed))
	}
	if err := writeEdits(command.Context(), edits); err != nil {
		return err
	}
	for _, client := range i.missing {
		_, _ = fmt.Fprintf(i.Stderr, "mcp: %s doesn't seem to be installed here; its file has the entry all the same\n", client.Name)
	}
	return errors.Join(i.report(edits), i.print(printed))
}

// handle returns the named handle, or one of the app. The server at a URL has no handle
// here, but its entry needs a name.
func (i *installation) handle(command *cobra.Command, args []string) (string, error) {
	if len(args) == 1 {
		return args[0], nil
	}
	asked := i.Terminal()
	if asked == nil || command.Flags().Changed("url") {
		return "", invocation.NewUsageError("install needs the HANDLE of a server (mcp list shows them)")
	}
	app, err := i.App()
	if err != nil {
		return "", err
	}
	program, err := launcher.Program(command.Context(), app.Root, i.Stderr)
	if err != nil {
		return "", err
	}
	return invocation.ChooseHandle(command.Context(), asked, app.Root, program)
}

// edits returns the edits of the clients' files, and the clients whose entry is printed.
func (i *installation) edits() (edits []*aiclients.Edit, printed []aiclients.Client, err error) {
	for _, client := range i.clients {
		if client.Printed {
			printed = append(printed, client)
			continue
		}
		edit, err := client.Install(i.system, i.scope, i.project, i.name, i.server, i.app)
		if errors.Is(err, aiclients.ErrByHand) {
			if err := i.checkServer(); err != nil {
				return nil, nil, err
			}
			block, blockErr := client.Block(i.name, i.server)
			_, printErr := fmt.Fprint(i.Stdout, block)
			return nil, nil, errors.Join(err, blockErr, printErr)
		}
		if err != nil {
			return nil, nil, err
		}
		if !client.Found(i.system) {
			i.missing = append(i.missing, client)
		}
		edits = append(edits, edit)
	}
	return edits, printed, nil
}

// report says what was written, and what to do next.
func (i *installation) report(edits []*aiclients.Edit) error {
	out := strings.Builder{}
	for _, edit := range edits {
		switch edit.Action {
		case aiclients.Unchanged:
			_, _ = fmt.Fprintf(&out, "%s has %s already: %s\n", edit.Client.Name, i.name, edit.File)
			continue
		case aiclients.Updated:
			_, _ = fmt.Fprintf(&out, "updated %s in %s: %s\n", i.name, edit.Client.Name, edit.File)
		default:
			_, _ = fmt.Fprintf(&out, "added %s to %s: %s\n", i.name, edit.Client.Name, edit.File)
		}
		if edit.Backup != "" {
			_, _ = fmt.Fprintf(&out, "  The file as it was: %s\n", edit.Backup)
		}
		_, _ = fmt.Fprintf(&out, "  Next: %s.\n", edit.Client.Reload)
		if i.server.URL != "" {
			_, _ = fmt.Fprintf(&out, "  If the server asks for a login: %s.\n", edit.Client.Login(i.name))
		}
	}
	if i.scope == aiclients.Project && i.server.URL == "" {
		out.WriteString("The entries have paths of this computer. They work for other people only if theirs are the same.\n")
	}
	_, err := io.WriteString(i.Stdout, out.String())
	return err
}

// print prints the entries of clients, for a person to add.
func (i *installation) print(all []aiclients.Client) error {
	for _, client := range all {
		where, err := client.Where(i.system, i.scope, i.project)
		if err != nil {
			return err
		}
		block, err := client.Block(i.name, i.server)
		if err != nil {
			return err
		}
		text := fmt.Sprintf("Add this to %s, in %s, and %s:\n\n%s\n", client.Name, where, client.Reload, block)
		if i.server.URL != "" {
			text += fmt.Sprintf("If the server asks for a login: %s.\n", client.Login(i.name))
		}
		if _, err := io.WriteString(i.Stdout, text); err != nil {
			return err
		}
	}
	return nil
}

// showEdits prints the differences that edits would make.
func showEdits(out io.Writer, edits []*aiclients.Edit) error {
	for _, edit := range edits {
		var text string
		switch {
		case edit.Action == aiclients.Unchanged:
			text = fmt.Sprintf("%s: no change\n", edit.File)
		case edit.Command != nil:
			text = fmt.Sprintf("%s: claude would change it:\n\n  %s\n\n", edit.File, naming.CommandLine(edit.Command...))
		default:
			text = string(diff.Diff(edit.File, edit.Before, edit.File, edit.After))
		}
		if _, err := io.WriteString(out, text); err != nil {
			return err
		}
	}
	return nil
}
