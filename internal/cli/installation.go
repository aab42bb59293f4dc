package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/aiclients"
	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/cli/process"
	"github.com/bowline-mcp/bowline/internal/cli/questions"
	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

// startTime is the time that clients wait for a server.
const startTime = 10 * time.Second

// An installation is what the arguments of install and uninstall say.
type installation struct {
	command *cobra.Command
	system  aiclients.System
	clients []aiclients.Client // as named, or as chosen
	missing []aiclients.Client // those that don't seem to be installed here
	scope   aiclients.Scope    // "" for uninstall means both
	project string             // the folder of the project
	app     aiclients.App
	name    string // of the entry
	server  aiclients.Server

	printing bool
	dryRun   bool
}

// newInstallation checks the arguments of install.
func newInstallation(command *cobra.Command, handle string) (*installation, error) {
	i, err := newTarget(command, handle)
	if err != nil {
		return nil, err
	}
	flags := command.Flags()
	dev, _ := flags.GetBool("dev")
	i.printing, _ = flags.GetBool("print")
	if i.name, _ = flags.GetString("name"); i.name == "" {
		i.name = handle
	}
	switch {
	case !isEntryName(i.name):
		return nil, invocation.NewUsageError("the entry can't be named %q; give it a --name of letters, digits, - and _, at most 64", i.name)
	case i.printing && i.dryRun:
		return nil, invocation.NewUsageError("--print and --dry-run exclude each other")
	case i.server.URL != "" && dev:
		return nil, invocation.NewUsageError("--url and --dev exclude each other; mcp dev without a HANDLE serves over HTTP")
	}
	if i.scope == "" {
		i.scope = aiclients.User
	}
	if i.server.URL == "" {
		if i.app.Folder == "" {
			_, err := invocation.App(command)
			return nil, err
		}
		program, err := ownPath()
		if err != nil {
			return nil, err
		}
		verb := "start"
		if dev {
			verb = "dev"
		}
		i.server = aiclients.Server{Command: program, Args: []string{verb, handle, "--dir", i.app.Folder}}
	}
	for _, client := range i.clients {
		if err := client.Supports(i.server, i.scope); err != nil {
			return nil, invocation.AsUsage(err)
		}
	}
	return i, nil
}

// newTarget checks the arguments that install and uninstall share. Without an app, the
// project is the folder in --dir, and the app has no folder.
func newTarget(command *cobra.Command, handle string) (*installation, error) {
	system, err := aiclients.ThisSystem()
	if err != nil {
		return nil, err
	}
	i := &installation{command: command, system: system, app: aiclients.App{Handle: handle}}
	flags := command.Flags()
	i.dryRun, _ = flags.GetBool("dry-run")
	scope, _ := flags.GetString("scope")
	if i.scope = aiclients.Scope(scope); scope != "" && i.scope != aiclients.User && i.scope != aiclients.Project {
		return nil, invocation.NewUsageError("--scope is user or project, not %q", scope)
	}
	if i.server.URL, _ = flags.GetString("url"); flags.Changed("url") {
		if parsed, err := url.Parse(i.server.URL); err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" {
			return nil, invocation.NewUsageError("--url needs the URL of a server, such as http://127.0.0.1:8080/mcp/%s, not %q", handle, i.server.URL)
		}
	}
	named, _ := flags.GetStringArray("client")
	for _, id := range named {
		client, ok := aiclients.Find(id)
		if !ok {
			return nil, invocation.NewUsageError("there is no client %q; there are: %s", id, aiclients.IDs())
		}
		if !slices.ContainsFunc(i.clients, func(other aiclients.Client) bool { return other.ID == id }) {
			i.clients = append(i.clients, client)
		}
	}
	folder, _ := flags.GetString("dir")
	if i.project, err = filepath.Abs(folder); err != nil {
		return nil, fmt.Errorf("find the project: %w", err)
	}
	if app, err := scaffold.FindApp(folder); err == nil {
		i.project, i.app.Folder = app.Root, app.Root
	}
	return i, nil
}

// isEntryName reports whether every client accepts a name.
func isEntryName(name string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
	return name != "" && len(name) <= 64 && strings.Trim(name, letters) == ""
}

// choose returns the clients: those that are named, or else those that a person chooses of
// the ones that are found on this computer.
func (i *installation) choose() ([]aiclients.Client, error) {
	if len(i.clients) > 0 {
		return i.clients, nil
	}
	asked, err := invocation.Terminal(i.command)
	if err != nil {
		return nil, err
	}
	if asked == nil {
		return nil, invocation.NewUsageError("%s needs a --client: one or more of %s", i.command.CommandPath(), aiclients.IDs())
	}
	var found []aiclients.Client
	var options []questions.Option
	for _, client := range aiclients.All() {
		if client.Found(i.system) && client.Supports(i.server, i.scope) == nil {
			found = append(found, client)
			options = append(options, questions.Option{Value: client.ID, Label: client.Name, Selected: true})
		}
	}
	if len(found) == 0 {
		return nil, errors.New("no AI client is found on this computer; name one with --client, such as --client claude-code")
	}
	chosen, err := asked.ChooseSome("Which clients get the server "+i.name+"?", options)
	if err != nil {
		return nil, err
	}
	if len(chosen) == 0 {
		return nil, errors.New("no client is chosen, so nothing is written")
	}
	return slices.DeleteFunc(found, func(client aiclients.Client) bool { return !slices.Contains(chosen, client.ID) }), nil
}

// ownPath returns the absolute path of this program. Links stay: that of a package manager
// leads to the next version after an upgrade.
func ownPath() (string, error) {
	running, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the path of mcp: %w", err)
	}
	if err := launcher.CheckPermanent(running); err != nil {
		return "", fmt.Errorf("%w; install it, and run mcp install with that: %s", err, launcher.InstallCommand)
	}
	called, err := exec.LookPath(os.Args[0])
	if err != nil {
		return running, nil
	}
	if called, err = filepath.Abs(called); err != nil {
		return running, nil
	}
	// A program may be started with another name as its first argument.
	first, firstErr := os.Stat(called)
	second, secondErr := os.Stat(running)
	if firstErr != nil || secondErr != nil || !os.SameFile(first, second) {
		return running, nil
	}
	return called, nil
}

// writeEdits makes all edits or none. Ctrl-C leaves the files as they were.
func writeEdits(ctx context.Context, edits []*aiclients.Edit) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := aiclients.Write(ctx, edits)
	if errors.Is(err, aiclients.ErrCanceled) {
		return &canceledError{err}
	}
	return err
}

// checkServer builds the app and starts the server once, so that no client gets an entry of a
// server that doesn't start. A server with a URL is not asked: it may be down.
func (i *installation) checkServer() error {
	if i.server.URL != "" {
		return nil
	}
	program, err := launcher.Program(i.app.Folder, i.command.ErrOrStderr())
	if err != nil {
		return err
	}
	return tryStart(i.app.Folder, program, i.app.Handle, startTime)
}

// tryStart starts a server of the built app with an empty input, with which it ends at
// once, and returns an error if it doesn't start.
func tryStart(root, program, handle string, limit time.Duration) error {
	command := process.Command(context.Background(), root, program, "start", handle)
	var log bytes.Buffer
	command.Stderr = &log
	command.WaitDelay = time.Second // a process that the server started may have its stderr open
	if err := command.Start(); err != nil {
		return fmt.Errorf("start the app: %w", err)
	}
	late := time.AfterFunc(limit, func() { _ = command.Process.Kill() })
	err := command.Wait()
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return nil
	case !late.Stop():
		return fmt.Errorf("mcp start %s is not ready after %s, and clients wait no longer; run it to see why", handle, limit)
	}
	return fmt.Errorf("mcp start %s fails, so it gets no entry: %s", handle, launcher.Reason(log.String(), err))
}
