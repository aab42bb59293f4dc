package cli

import "github.com/spf13/cobra"

func newMakeResourceCommand() *cobra.Command {
	return primitive{
		kind: "resource", role: "Resource", method: "Resources",
		examples: "  mcp make:resource Handbook\n  mcp make:resource user-profile",
	}.command()
}
