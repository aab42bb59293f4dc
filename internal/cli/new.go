package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/cli/project"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/stubs"
)

// A newCommand is the command new with its flags.
type newCommand struct {
	*invocation.Invocation
	module, framework string
	auth, noDeploy    bool
	changed           func(flag string) bool // whether a flag is given, even if it is empty
}

func newNewCommand(i *invocation.Invocation) *cobra.Command {
	n := &newCommand{Invocation: i}
	command := &cobra.Command{
		Use:     "new NAME",
		GroupID: groupMake,
		Short:   "Write a new app",
		Long: "Write a new app into a new folder NAME: a server of that name, a tool and its test, routes, settings, a .env with a\n" +
			"new APP_KEY, a Dockerfile and a systemd unit. Then run git init there, unless the folder is in a repository, and\n" +
			"go mod tidy. If go mod tidy fails, the files stay and the exit code is 1. After Ctrl-C it is 130, and the message says\n" +
			"which files there are. With --dir, the new folder is in that one.",
		Example:           "  mcp new shop\n  mcp new shop --module example.com/shop --auth",
		Args:              invocation.AtMost(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              n.run,
	}
	command.Flags().StringVar(&n.module, "module", "", "the `path` of the Go module (default NAME)")
	command.Flags().StringVar(&n.framework, "framework", "", "the `folder` of a checkout of the framework, to use instead of a release")
	command.Flags().BoolVar(&n.auth, "auth", false, "add an authorization server, and guard the route, for users who are logged in")
	command.Flags().BoolVar(&n.noDeploy, "no-deploy", false, "write no Dockerfile and no systemd unit")
	_ = command.RegisterFlagCompletionFunc("module", cobra.NoFileCompletions)
	_ = command.MarkFlagDirname("framework")
	n.changed = command.Flags().Changed
	return command
}

func (n *newCommand) run(command *cobra.Command, args []string) (problem error) {
	interrupted, _ := invocation.UntilSignal(command.Context(), func(ctx context.Context) error {
		problem = n.create(ctx, args)
		return problem
	})
	if interrupted && problem != nil {
		return invocation.AsCanceled(problem)
	}
	return problem
}

// create writes the app. If the context ends, the error says what is there and how to go on.
func (n *newCommand) create(ctx context.Context, args []string) error {
	made, err := n.project(ctx, args)
	if ctx.Err() != nil {
		return errors.New("canceled: nothing was written")
	}
	if err != nil {
		return err
	}
	templates, err := stubs.App()
	if err != nil {
		return err
	}
	files, err := made.Files(templates)
	if err != nil {
		return err
	}
	folder, err := made.Write(n.Dir, files)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(n.Stdout, "created %s\n", folder); err != nil {
		return err
	}
	if _, err := project.Repository(ctx, folder); ctx.Err() != nil && err != nil {
		return err
	} else if err != nil { // the app works without one
		_, _ = fmt.Fprintf(n.Stderr, "mcp: %v\n", err)
	}
	tool, err := launcher.FindGo("")
	if err != nil {
		return fmt.Errorf("%w: install Go from https://go.dev/dl, and run go mod tidy in %s, where the files are", err, naming.Printable(folder))
	}
	if err := project.Tidy(ctx, tool, folder, n.Stderr); err != nil {
		return err
	}
	_, err = fmt.Fprintf(n.Stdout, "\nNext:\n\n  %s\n", strings.Join(next(made, folder, project.Workspace(ctx, tool, folder)), "\n  "))
	return err
}

// next returns the commands to run in a new app. A workspace is the path of the go.work that
// doesn't list the app yet, or "".
func next(made project.Project, folder, workspace string) []string {
	commands := []string{"cd " + naming.CommandLine(folder)}
	if workspace != "" {
		commands = append(commands, "go work use .                     # add the app to "+naming.Printable(workspace)+", which is above it")
	}
	second := "mcp make:tool Weather             # write a tool and its test"
	if made.Auth {
		second = "mcp user:create ana@example.com   # make a user, for the login"
	}
	return append(commands, second, "mcp dev                           # serve http://127.0.0.1:8080/mcp/"+made.Server().Handle+", rebuilt after each change")
}

// project returns the app that the arguments and the flags describe. It asks for a missing NAME.
func (n *newCommand) project(ctx context.Context, args []string) (made project.Project, err error) {
	made = project.Project{Module: n.module, Auth: n.auth, Deploy: !n.noDeploy}
	if n.changed("module") {
		if err := project.CheckModule(n.module); err != nil {
			return made, invocation.AsUsage(err)
		}
	}
	if made.Name, err = n.name(ctx, args); err != nil {
		return made, err
	}
	if !n.changed("module") {
		made.Module = made.Name
	}
	made.Release, err = n.release(made.Name)
	return made, err
}

// name returns the argument NAME, or asks for it.
func (n *newCommand) name(ctx context.Context, args []string) (string, error) {
	check := func(name string) error {
		if err := project.CheckName(name); err != nil || n.changed("module") {
			return err
		}
		return project.CheckModule(name)
	}
	if len(args) == 1 {
		return args[0], invocation.AsUsage(check(args[0]))
	}
	person := n.Terminal()
	if person == nil {
		return "", invocation.NewUsageError("new needs the NAME of the app")
	}
	return person.Within(ctx).Text("What is the name of the app?", "Its folder gets this name, such as shop.", check)
}

// release returns the framework of the app: the checkout of the flag, or the release of this
// program.
func (n *newCommand) release(name string) (project.Release, error) {
	if n.changed("framework") {
		release, err := project.Checkout(n.framework)
		if err != nil {
			return release, invocation.NewUsageError("--framework: %w", err)
		}
		return release, nil
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	release, err := project.ReleaseOf(info)
	if errors.Is(err, project.ErrNoRelease) {
		folder := cmp.Or(project.SourceFolder(), "/path/to/bowline")
		return release, invocation.NewUsageError("%w; name the checkout: mcp new %s --framework %s", err, name, filepath.ToSlash(folder))
	}
	return release, err
}
