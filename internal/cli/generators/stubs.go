package generators

import (
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
	"github.com/bowline-mcp/bowline/stubs"
)

func newStubsPublishCommand(i *invocation.Invocation) *cobra.Command {
	m := &making{Invocation: i}
	command := &cobra.Command{
		Use:   "stubs:publish",
		Short: "Copy the stubs of the make commands into the app",
		Long: "Write the built-in stubs into stubs/ of the app. The make commands use a stub of the app instead of the built-in one,\n" +
			"so delete those that you don't change. A stub is a text/template that makes a Go file." + makeHelp,
		Example: "  mcp stubs:publish\n  mcp stubs:publish --force",
		Args:    invocation.Exactly(),
	}
	return m.prepare(command, func([]string) error {
		return fs.WalkDir(stubs.Files(), ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := fs.ReadFile(stubs.Files(), name)
			m.files = append(m.files, scaffold.File{Path: "stubs/" + name, Content: content})
			return err
		})
	})
}
