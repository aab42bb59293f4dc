package cli

import "github.com/spf13/cobra"

func newMakeToolCommand() *cobra.Command {
	return primitive{
		kind: "tool", role: "Tool", method: "Tools",
		examples: "  mcp make:tool Weather\n  mcp make:tool current-weather",
	}.command()
}
