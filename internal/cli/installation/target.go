package installation

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/aiclients"
	"github.com/bowline-mcp/bowline/internal/cli/invocation"
)

// A target is the server and the clients that install and uninstall are for.
type target struct {
	*invocation.Invocation
	// The flags.
	named  []string        // clients
	scope  aiclients.Scope // "" for uninstall means both
	url    string
	dryRun bool

	system  aiclients.System
	clients []aiclients.Client // the named clients, or the chosen ones
	project string             // the folder of the project
	app     aiclients.App
}

// addFlags adds the flags that install and uninstall share.
func (t *target) addFlags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringArrayVar(&t.named, "client", nil, "an AI `CLIENT`; repeatable")
	flags.StringVar((*string)(&t.scope), "scope", "", "user, for all of your projects, or project, for all people in this one (default user)")
	flags.StringVar(&t.url, "url", "", "the `URL` of a server over HTTP")
	flags.BoolVar(&t.dryRun, "dry-run", false, "show what would change, and change nothing")
	// They fail only for flags that don't exist.
	_ = command.RegisterFlagCompletionFunc("client", cobra.FixedCompletions(strings.Split(aiclients.IDs(), ", "), cobra.ShellCompDirectiveNoFileComp))
	_ = command.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions([]string{string(aiclients.User), string(aiclients.Project)}, cobra.ShellCompDirectiveNoFileComp))
	_ = command.RegisterFlagCompletionFunc("url", cobra.NoFileCompletions)
}

// find checks the flags that install and uninstall share. Without an app, the project is the
// folder in --dir, and the app has no folder.
func (t *target) find(command *cobra.Command, handle string) (err error) {
	if t.system, err = aiclients.ThisSystem(); err != nil {
		return err
	}
	t.app.Handle = handle
	if t.scope != "" && t.scope != aiclients.User && t.scope != aiclients.Project {
		return invocation.NewUsageError("--scope is user or project, not %q", t.scope)
	}
	if command.Flags().Changed("url") {
		if parsed, err := url.Parse(t.url); err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" {
			return invocation.NewUsageError("--url needs the URL of a server, such as http://127.0.0.1:8080/mcp/%s, not %q", handle, t.url)
		}
	}
	for _, id := range t.named {
		client, ok := aiclients.Find(id)
		if !ok {
			return invocation.NewUsageError("there is no client %q; there are: %s", id, aiclients.IDs())
		}
		if !slices.ContainsFunc(t.clients, func(other aiclients.Client) bool { return other.ID == id }) {
			t.clients = append(t.clients, client)
		}
	}
	if t.project, err = filepath.Abs(t.Dir); err != nil {
		return fmt.Errorf("find the project: %w", err)
	}
	if app, err := t.App(); err == nil {
		t.project, t.app.Folder = app.Root, app.Root
	}
	return nil
}
