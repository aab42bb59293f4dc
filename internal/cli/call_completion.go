package cli

import (
	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/launcher"
)

// names returns the names of the tools or prompts that the server of the call has in a listing.
func (c *call) names(listed launcher.Listing) []string {
	server := listed.Server(c.server)
	if c.prompt {
		return server.Prompts
	}
	return server.Tools
}

// completeArguments completes the handle, and then the name of a tool or prompt of its server.
func (c *call) completeArguments(command *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	switch {
	case len(args) == 0:
		return c.CompleteHandles(command, args, typed)
	case len(args) > 1 || c.resource != "":
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	c.server = args[0]
	return c.names(c.BuiltListing(command.Context())), cobra.ShellCompDirectiveNoFileComp
}

// completeResources completes the URI of a resource of the server that is named before.
func (c *call) completeResources(command *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.BuiltListing(command.Context()).Server(args[0]).Resources, cobra.ShellCompDirectiveNoFileComp
}
