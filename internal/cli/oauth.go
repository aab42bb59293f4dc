package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/command"
)

// newOAuthCommand returns a command that the app's authorization server runs. It checks the
// arguments before the app is built.
func newOAuthCommand(described command.Command, i *invocation.Invocation) *cobra.Command {
	use := described.Name
	if described.Argument != "" {
		use += " " + described.Argument
	}
	lists := map[string]*[]string{} // the values of the flags that may be repeated
	made := &cobra.Command{
		Use:     use,
		GroupID: groupAuth,
		Short:   described.Summary,
		Long: described.Summary + ".\n\nThe app runs the command, with its configuration, so it can be used while the app serves. The app needs\n" +
			"an authorization server (Router.Component). It is built first when its sources have changed." + codesOfApp,
		Example: "  mcp " + described.Example,
		Args: func(cmd *cobra.Command, args []string) error {
			if _, err := described.Parse(forwarded(cmd, described, lists, args)); err != nil {
				return invocation.NewUsageError("%s: %w", cmd.Name(), err)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runApp(i)(cmd, forwarded(cmd, described, lists, args))
		},
	}
	for _, flag := range described.Flags {
		text := strings.Replace(flag.Text, flag.Value, "`"+flag.Value+"`", 1) // pflag shows a quoted word as the name of the value
		switch {
		case flag.Value == "":
			made.Flags().Bool(flag.Name, false, flag.Text)
		case flag.Repeated:
			lists[flag.Name] = made.Flags().StringArray(flag.Name, nil, text)
		default:
			made.Flags().String(flag.Name, "", text)
		}
	}
	return made
}

// forwarded returns the arguments for the app: the flags that were given, and then the others.
func forwarded(cmd *cobra.Command, described command.Command, lists map[string]*[]string, args []string) (all []string) {
	for _, flag := range described.Flags {
		given := cmd.Flags().Lookup(flag.Name)
		if !given.Changed {
			continue
		}
		values := []string{given.Value.String()}
		if flag.Repeated {
			values = *lists[flag.Name]
		}
		for _, value := range values {
			all = append(all, "--"+flag.Name+"="+value)
		}
	}
	return append(append(all, "--"), args...)
}
