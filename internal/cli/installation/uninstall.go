package installation

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/aiclients"
	"github.com/bowline-mcp/bowline/internal/cli/invocation"
)

// errSkipped is the error if files could not be read, which may have entries too.
var errSkipped = errors.New("not all files were searched: see the messages above")

func newUninstallCommand(i *invocation.Invocation) *cobra.Command {
	t := &target{Invocation: i}
	command := &cobra.Command{
		Use:   "uninstall HANDLE",
		Short: "Remove a server from AI clients",
		Long: "Remove the entries that run mcp start HANDLE or mcp dev HANDLE with this app from the configuration of AI clients,\n" +
			"whatever their names are: of the named clients, or of all. With --url, remove the entries with that URL instead.\n" +
			"Nothing else in a file changes, and a backup stays beside it. For an app whose folder is gone, name that with --dir.\n\n" +
			"The exit code is 1 if a file can't be read or edited, 2 for wrong arguments, and 130 after Ctrl-C, which leaves all\n" +
			"files as they were.",
		Example:           "  mcp uninstall demo\n  mcp uninstall demo --client cursor --scope project\n  mcp uninstall demo --url http://127.0.0.1:8080/mcp/demo",
		Args:              invocation.Exactly("the HANDLE of a server (mcp list shows them)"),
		RunE:              t.uninstall,
		ValidArgsFunction: i.CompleteHandles,
	}
	t.addFlags(command)
	return command
}

func (t *target) uninstall(command *cobra.Command, args []string) error {
	if err := t.find(command, args[0]); err != nil {
		return err
	}
	if t.app.Folder == "" { // the app may be gone, but its entries aren't
		t.app.Folder = t.project
	}
	edits, skipped, err := t.removals()
	if err != nil {
		return err
	}
	if len(edits) == 0 && skipped == nil {
		what := "mcp start " + t.app.Handle + " in " + t.app.Folder
		if t.url != "" {
			what = t.url
		}
		_, err := fmt.Fprintf(t.Stdout, "no client has an entry for %s\n", what)
		return err
	}
	if t.dryRun {
		return errors.Join(showEdits(t.Stdout, edits), skipped)
	}
	if err := writeEdits(command.Context(), edits); err != nil {
		return err
	}
	out := strings.Builder{}
	for _, edit := range edits {
		if edit.Action == aiclients.Unchanged { // somebody else took the entry out meanwhile
			continue
		}
		_, _ = fmt.Fprintf(&out, "removed %s from %s: %s\n  The file as it was: %s\n", strings.Join(edit.Names, " and "), edit.Client.Name, edit.File, edit.Backup)
	}
	_, err = io.WriteString(t.Stdout, out.String())
	return errors.Join(err, skipped)
}

// removals returns the edits that take entries out. A file that can't be edited is skipped,
// unless its client is named.
func (t *target) removals() (edits []*aiclients.Edit, skipped, err error) {
	all := t.clients
	if len(all) == 0 {
		all = aiclients.All()
	}
	for _, client := range all {
		for _, scope := range []aiclients.Scope{aiclients.User, aiclients.Project} {
			if t.scope != "" && t.scope != scope || client.Supports(aiclients.Server{}, scope) != nil {
				continue
			}
			if client.Printed {
				if len(t.clients) > 0 {
					return nil, nil, invocation.NewUsageError("mcp doesn't edit the configuration of %s; remove the entry there yourself", client.Name)
				}
				continue
			}
			edit, err := client.Uninstall(t.system, scope, t.project, t.url, t.app)
			if err != nil && len(t.clients) > 0 {
				return nil, nil, err
			}
			if err != nil {
				_, _ = fmt.Fprintf(t.Stderr, "mcp: skipped: %s\n", err)
				skipped = errSkipped
				continue
			}
			if edit.Action != aiclients.Unchanged {
				edits = append(edits, edit)
			}
		}
	}
	return edits, skipped, nil
}
