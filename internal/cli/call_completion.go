package cli

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/launcher"
)

// completionTime is the time that the app has while the shell completes a word.
const completionTime = 3 * time.Second

// builtListing returns what the app lists if it is built. Nobody waits for a compiler while
// the shell completes a word.
func builtListing(command *cobra.Command) (launcher.Listing, bool) {
	app, err := invocation.App(command)
	if err != nil {
		return launcher.Listing{}, false
	}
	program, fresh := launcher.Built(app.Root)
	if !fresh {
		return launcher.Listing{}, false
	}
	ctx, stop := context.WithTimeout(command.Context(), completionTime)
	defer stop()
	listed, _, err := launcher.List(ctx, app.Root, program)
	return listed, err == nil
}

// completeHandles completes the handle of a server of the app.
func completeHandles(command *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	listed, ok := builtListing(command)
	if !ok || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return listed.Handles(), cobra.ShellCompDirectiveNoFileComp
}

// completeCall completes the handle, and then the name of a tool or prompt of its server.
func completeCall(command *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return completeHandles(command, args, typed)
	}
	listed, ok := builtListing(command)
	if !ok || len(args) > 1 || command.Flags().Changed("resource") {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for _, local := range listed.Local {
		if local.Handle != args[0] {
			continue
		}
		if command.Flags().Changed("prompt") {
			return local.Prompts, cobra.ShellCompDirectiveNoFileComp
		}
		return slices.Clone(local.Tools), cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// completeResources completes the URI of a resource of the server that is named before.
func completeResources(command *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	listed, ok := builtListing(command)
	for _, local := range listed.Local {
		if ok && len(args) > 0 && local.Handle == args[0] {
			return local.Resources, cobra.ShellCompDirectiveNoFileComp
		}
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}
