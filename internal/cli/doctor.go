package cli

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/doctor"
	"github.com/bowline-mcp/bowline/internal/cli/finding"
	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/questions"
	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

func newDoctorCommand(i *invocation.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:     "doctor",
		GroupID: groupApp,
		Short:   "Check this machine and the app",
		Long: "Check what the mcp command and the app need: Go, Node.js, the version of the framework, the command that the shell\n" +
			"runs for mcp, the entries in the files of AI clients, the settings in .env, APP_KEY, types that the app doesn't serve,\n" +
			"routes that are open to other machines, what AI clients refuse in its tools, and the address it listens on. The app is built first when its sources have changed.\n\n" +
			"A line begins with ✓ if something works, with ! for a warning, and with ✗ if it is broken. The exit code is 1\n" +
			"if something is broken. Outside an app, it checks only the machine.",
		Example: "  mcp doctor\n  mcp doctor --dir /srv/demo",
		Args:    invocation.Exactly(),
		RunE: func(*cobra.Command, []string) error {
			app, err := i.App()
			if err != nil && !errors.Is(err, scaffold.ErrNoApp) {
				return err
			}
			d := &doctor.Doctor{App: app, Version: invocation.Version(), Log: i.Stderr}
			color := questions.HasColors(i.Stdout)
			if app == nil {
				missing := finding.Hint("app", "there is none here, so mcp doctor checks only the machine", "change to the folder of an app, or name it with --dir")
				if _, err := io.WriteString(i.Stdout, missing.Line(color)); err != nil {
					return err
				}
			}
			for found := range d.Findings(context.Background()) {
				if found.Level == finding.LevelBroken {
					i.Code = invocation.ExitFailure
				}
				if _, err := io.WriteString(i.Stdout, found.Line(color)); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
