// Package installation has the commands of mcp that bring a server of the app, or one with a URL,
// into AI clients and out of them: install, uninstall and bundle.
package installation

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
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
)

// startTime is the time that clients wait for a server.
const startTime = 10 * time.Second

// Commands returns the commands.
func Commands(i *invocation.Invocation) []*cobra.Command {
	return []*cobra.Command{newInstallCommand(i), newUninstallCommand(i), newBundleCommand(i)}
}

// An installation is one run of the command install.
type installation struct {
	target
	// The flags.
	name     string // the name of the entry
	dev      bool
	printing bool

	server  aiclients.Server
	missing []aiclients.Client // the clients that don't seem to be installed here
}

// check checks the arguments of install.
func (i *installation) check(command *cobra.Command, handle string) error {
	if err := i.find(command, handle); err != nil {
		return err
	}
	i.name, i.scope, i.server.URL = cmp.Or(i.name, handle), cmp.Or(i.scope, aiclients.User), i.url
	switch {
	case !isEntryName(i.name):
		return invocation.NewUsageError("the entry can't be named %q; give it a --name of letters, digits, - and _, at most 64", i.name)
	case i.printing && i.dryRun:
		return invocation.NewUsageError("--print and --dry-run exclude each other")
	case i.url != "" && i.dev:
		return invocation.NewUsageError("--url and --dev exclude each other; mcp dev without a HANDLE serves over HTTP")
	}
	if i.url == "" {
		if i.app.Folder == "" {
			_, err := i.App()
			return err
		}
		program, err := ownPath()
		if err != nil {
			return err
		}
		verb := "start"
		if i.dev {
			verb = "dev"
		}
		i.server = aiclients.Server{Command: program, Args: []string{verb, handle, "--dir", i.app.Folder}}
	}
	for _, client := range i.clients {
		if err := client.Supports(i.server, i.scope); err != nil {
			return invocation.AsUsage(err)
		}
	}
	return nil
}

// isEntryName reports whether every client accepts a name.
func isEntryName(name string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
	return name != "" && len(name) <= 64 && strings.Trim(name, letters) == ""
}

// choose returns the named clients, or else the clients that a person chooses among the ones on
// this computer.
func (i *installation) choose() ([]aiclients.Client, error) {
	if len(i.clients) > 0 {
		return i.clients, nil
	}
	asked := i.Terminal()
	if asked == nil {
		return nil, invocation.NewUsageError("install needs a --client: one or more of %s", aiclients.IDs())
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

// ownPath returns the absolute path of this program. Links stay: the link of a package
// manager leads to the next version after an upgrade.
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
		return invocation.AsCanceled(err)
	}
	return err
}

// checkServer builds the app and starts the server once, so that no client gets an entry of a
// server that doesn't start. A server with a URL is not asked: it may be down.
func (i *installation) checkServer() error {
	if i.server.URL != "" {
		return nil
	}
	program, err := launcher.Program(context.Background(), i.app.Folder, i.Stderr)
	if err != nil {
		return err
	}
	return tryStart(i.app.Folder, program, i.app.Handle, startTime)
}

// tryStart starts a server of the built app with an empty input, with which it ends
// right away, and returns an error if it doesn't start.
func tryStart(root, program, handle string, limit time.Duration) error {
	ctx, stop := context.WithTimeout(context.Background(), limit)
	defer stop()
	command := process.App(ctx, root, program, "start", handle)
	var log bytes.Buffer
	command.Stderr = &log
	err := process.Run(command)
	switch { // a server may end without an error when it is interrupted
	case ctx.Err() != nil:
		return fmt.Errorf("mcp start %s is not ready after %s, and clients wait no longer; run it to see why", handle, limit)
	case err == nil:
		return nil
	}
	return fmt.Errorf("mcp start %s fails, so it gets no entry: %s", handle, launcher.Reason(log.String(), err))
}
