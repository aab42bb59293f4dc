package cli

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/invocation"
)

// newCompletionCommand replaces Cobra's, which prints its help, with exit code 0, for an
// unknown shell.
func newCompletionCommand() *cobra.Command {
	shells := []string{"bash", "fish", "powershell", "zsh"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a script that completes words in a shell",
		Long: "Print a script with which a shell completes commands, flags, and the handles and tools of a built app. The SHELL is\n" +
			strings.Join(shells, ", ") + ". The script for bash needs the package bash-completion.\n\n" +
			"The exit code is 2 for an unknown shell.",
		Example: "  source <(mcp completion bash)   # in ~/.bashrc\n" +
			"  source <(mcp completion zsh)    # in ~/.zshrc, after compinit\n" +
			"  mcp completion fish | source    # in ~/.config/fish/config.fish\n" +
			"  mcp completion powershell | Out-String | Invoke-Expression   # in $PROFILE",
		Args: func(command *cobra.Command, args []string) error {
			if err := invocation.Exactly("a SHELL: one of "+strings.Join(shells, ", "))(command, args); err != nil {
				return err
			}
			if !slices.Contains(shells, args[0]) {
				return invocation.NewUsageError("there is no script for the shell %q; there are: %s", args[0], strings.Join(shells, ", "))
			}
			return nil
		},
		ValidArgs: shells,
		RunE: func(command *cobra.Command, args []string) error {
			write := map[string]func(io.Writer) error{
				"bash":       func(w io.Writer) error { return command.Root().GenBashCompletionV2(w, true) },
				"fish":       func(w io.Writer) error { return command.Root().GenFishCompletion(w, true) },
				"powershell": command.Root().GenPowerShellCompletionWithDesc,
				"zsh":        command.Root().GenZshCompletion,
			}[args[0]]
			return write(command.OutOrStdout())
		},
	}
}
