package cli

import "github.com/spf13/cobra"

func newMakePromptCommand() *cobra.Command {
	return primitive{
		kind: "prompt", role: "Prompt", method: "Prompts",
		examples: "  mcp make:prompt CodeReview\n  mcp make:prompt summarize-text",
	}.command()
}
