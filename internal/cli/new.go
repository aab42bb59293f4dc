package cli

import (
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

func newNewCommand() *cobra.Command {
	command := &cobra.Command{
		Use:     "new NAME",
		GroupID: groupMake,
		Short:   "Write a new app",
		Long: "Write a new app into a new folder NAME: a server with a tool and its test, routes, settings, and a .env with a new\n" +
			"APP_KEY. Then run git init there, unless the folder is in a repository, and go mod tidy. If go mod tidy fails, the\n" +
			"files stay and the exit code is 1. After Ctrl-C it is 130, and the message says which files there are. With --dir, the\n" +
			"new folder is in that one.",
		Example:           "  mcp new shop\n  mcp new shop --module example.com/shop --auth",
		Args:              invocation.AtMost(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              runNew,
	}
	command.Flags().String("module", "", "the `path` of the Go module (default NAME)")
	command.Flags().String("framework", "", "the `folder` of a checkout of the framework, to use instead of a release")
	command.Flags().Bool("auth", false, "add an authorization server, and a route for users who are logged in")
	_ = command.RegisterFlagCompletionFunc("module", cobra.NoFileCompletions)
	_ = command.MarkFlagDirname("framework")
	return command
}

func runNew(command *cobra.Command, args []string) (problem error) {
	interrupted, _ := untilSignal(command.Context(), func(ctx context.Context) error {
		problem = create(ctx, command, args)
		return problem
	})
	if interrupted && problem != nil {
		return &canceledError{problem}
	}
	return problem
}

// create writes the app. If the context ends, the error says what is there and how to go on.
func create(ctx context.Context, command *cobra.Command, args []string) error {
	made, err := newProject(ctx, command, args)
	if ctx.Err() != nil {
		return errors.New("canceled: nothing was written")
	}
	if err != nil {
		return err
	}
	parent, err := command.Flags().GetString("dir")
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
	folder, err := made.Write(parent, files)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(command.OutOrStdout(), "created %s\n", folder); err != nil {
		return err
	}
	if _, err := project.Repository(ctx, folder); ctx.Err() != nil && err != nil {
		return err
	} else if err != nil { // the app works without one
		_, _ = fmt.Fprintf(command.ErrOrStderr(), "mcp: %v\n", err)
	}
	tool, err := launcher.FindGo("")
	if err != nil {
		return fmt.Errorf("%w: install Go from https://go.dev/dl, and run go mod tidy in %s, where the files are", err, naming.Printable(folder))
	}
	if err := project.Tidy(ctx, tool, folder, command.ErrOrStderr()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(command.OutOrStdout(), "\nNext:\n\n  %s\n", strings.Join(next(made, folder, project.Workspace(ctx, tool, folder)), "\n  "))
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
		second = "mcp user:create ana@example.com   # make a user, for /mcp/private"
	}
	return append(commands, second, "mcp dev                           # serve http://127.0.0.1:8080/mcp/demo, rebuilt after each change")
}

// newProject returns the app that the arguments and the flags describe. It asks for a missing
// NAME.
func newProject(ctx context.Context, command *cobra.Command, args []string) (made project.Project, err error) {
	if made.Auth, err = command.Flags().GetBool("auth"); err != nil {
		return made, err
	}
	if made.Module, err = command.Flags().GetString("module"); err != nil {
		return made, err
	}
	named := command.Flags().Changed("module")
	check := func(name string) error {
		if err := project.CheckName(name); err != nil || named {
			return err
		}
		return project.CheckModule(name)
	}
	if named {
		if err := project.CheckModule(made.Module); err != nil {
			return made, invocation.AsUsage(err)
		}
	}
	if made.Name, err = nameOfApp(ctx, command, args, check); err != nil {
		return made, err
	}
	if !named {
		made.Module = made.Name
	}
	made.Release, err = releaseOf(command, made.Name)
	return made, err
}

// nameOfApp returns the argument NAME, or asks for it.
func nameOfApp(ctx context.Context, command *cobra.Command, args []string, check func(string) error) (string, error) {
	if len(args) == 1 {
		if err := check(args[0]); err != nil {
			return "", invocation.AsUsage(err)
		}
		return args[0], nil
	}
	person, err := invocation.Terminal(command)
	if err != nil {
		return "", err
	}
	if person == nil {
		return "", invocation.NewUsageError("%s needs the NAME of the app", command.CommandPath())
	}
	return person.Within(ctx).Text("What is the name of the app?", "Its folder gets this name, such as shop.", check)
}

// releaseOf returns the framework of the app: the checkout of the flag, or the release of this
// program.
func releaseOf(command *cobra.Command, name string) (project.Release, error) {
	checkout, err := command.Flags().GetString("framework")
	if err != nil {
		return project.Release{}, err
	}
	if command.Flags().Changed("framework") {
		release, err := project.Checkout(checkout)
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
		folder := project.SourceFolder()
		if folder == "" {
			folder = "/path/to/bowline"
		}
		return release, invocation.NewUsageError("%w; name the checkout: mcp new %s --framework %s", err, name, filepath.ToSlash(folder))
	}
	return release, err
}
