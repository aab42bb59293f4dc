package invocation

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/cli/questions"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// completionTime is the time that the app has while the shell completes a word.
const completionTime = 3 * time.Second

// ErrNoHandle is the error for an app that serves nothing on stdio.
var ErrNoHandle = errors.New("the app has no server on stdio: map one in routes/ai.go with mcp.Local, or name the URL of another")

// BuiltListing returns what the app lists if it is built, and otherwise an empty listing. Nobody
// waits for a compiler while the shell completes a word.
func (i *Invocation) BuiltListing(ctx context.Context) launcher.Listing {
	app, err := i.App()
	if err != nil {
		return launcher.Listing{}
	}
	program, fresh := launcher.Built(app.Root)
	if !fresh {
		return launcher.Listing{}
	}
	ctx, stop := context.WithTimeout(ctx, completionTime)
	defer stop()
	listed, _, err := launcher.List(ctx, app.Root, program)
	if err != nil {
		return launcher.Listing{}
	}
	return listed
}

// CompleteHandles completes the handle of a server of the app.
func (i *Invocation) CompleteHandles(command *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return i.BuiltListing(command.Context()).Handles(), cobra.ShellCompDirectiveNoFileComp
}

// ChooseHandle returns the handle of the app's only server on stdio, or the one that the person
// chooses. If nobody can be asked, the error names the handles.
func ChooseHandle(ctx context.Context, asked *questions.Terminal, root, program string) (string, error) {
	listed, _, err := launcher.List(ctx, root, program)
	if err != nil {
		return "", err
	}
	switch len(listed.Local) {
	case 0:
		return "", ErrNoHandle
	case 1:
		return listed.Local[0].Handle, nil
	}
	if asked == nil {
		return "", NewUsageError("the app has several servers on stdio; give the HANDLE of one: %s", naming.Quoted(listed.Handles()))
	}
	var options []questions.Option
	for _, handle := range listed.Handles() {
		options = append(options, questions.Option{Value: handle, Label: naming.Printable(handle)})
	}
	return asked.Choose("Which server?", options)
}
