// Package generators has the commands of mcp that write files of an app: make:tool and the other
// make commands, and stubs:publish. They register what they write in the app's code.
package generators

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/stubs"
)

// Commands returns the commands.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		newMakeServerCommand(),
		newMakeToolCommand(),
		newMakeResourceCommand(),
		newMakePromptCommand(),
		newMakeGuardrailCommand(),
		newMakeCRUDCommand(),
		newStubsPublishCommand(),
	}
}

// makeHelp is the part of the help that the make commands share.
const makeHelp = "\n\nAll files are written, or none. The exit code is 0, 1 for a failure, 2 for wrong arguments, or 130 if it is canceled."

// A making is what a make command writes and says.
type making struct {
	command *cobra.Command
	app     *scaffold.App
	files   []scaffold.File
	notes   string // printed below the paths of the files
}

func newMaking(command *cobra.Command) (*making, error) {
	app, err := invocation.App(command)
	return &making{command: command, app: app}, err
}

// name returns the name of a type to be generated: the argument, or the answer of a person.
func (m *making) name(args []string, role string) (scaffold.Name, error) {
	if len(args) > 0 {
		name, err := scaffold.ParseName(args[0], role)
		return name, invocation.AsUsage(err)
	}
	what := naming.Kebab(role)
	terminal, err := invocation.Terminal(m.command)
	if err != nil {
		return scaffold.Name{}, err
	}
	if terminal == nil {
		return scaffold.Name{}, invocation.NewUsageError("%s needs the NAME of the %s", m.command.CommandPath(), what)
	}
	answer, err := terminal.Text("What is the name of the "+what+"?", "For example Weather", func(answer string) error {
		_, err := scaffold.ParseName(answer, role)
		return err
	})
	if err != nil {
		return scaffold.Name{}, err
	}
	return scaffold.ParseName(answer, role)
}

// addType adds a type and its test to a folder of the app, such as weather_tool.go and
// weather_tool_test.go from tool.stub and tool_test.stub. Doc is the comment of the package.
func (m *making) addType(folder, stub, doc string, name scaffold.Name) error {
	target := folder + "/" + naming.Snake(name.Type)
	for _, suffix := range []string{"", "_test"} {
		content, err := m.app.Render(stubs.Files(), stub+suffix+".stub", name)
		if err != nil {
			return err
		}
		file := scaffold.File{Path: target + suffix + ".go", Content: content}
		if suffix == "" {
			m.app.Document(&file, doc)
		}
		m.files = append(m.files, file)
	}
	return m.check()
}

// check refuses the files that the command adds, before it asks a question or edits a file of
// the app.
func (m *making) check() error {
	force, err := m.command.Flags().GetBool("force")
	if err != nil {
		return err
	}
	if err := m.app.CheckNames(m.files); err != nil {
		return err
	}
	return m.app.CheckTargets(m.files, force)
}

// finish writes the files and prints their paths, or with --dry-run prints the difference.
func (m *making) finish() error {
	force, err := m.command.Flags().GetBool("force")
	if err != nil {
		return err
	}
	dry, err := m.command.Flags().GetBool("dry-run")
	if err != nil {
		return err
	}
	out := m.command.OutOrStdout()
	if dry {
		difference, err := m.app.Diff(m.files, force)
		if err == nil {
			_, err = fmt.Fprintf(out, "%s%s", difference, m.notes)
		}
		return err
	}
	if err := m.app.Write(m.files, force); err != nil {
		return err
	}
	var report strings.Builder
	for _, file := range m.files {
		_, _ = fmt.Fprintln(&report, file.Verb(), file.Path)
	}
	if _, err := fmt.Fprint(out, report.String(), m.notes); err != nil {
		return fmt.Errorf("the files are written, but what was done can't be printed: %w", err)
	}
	return nil
}

// addMakeFlags adds the flags that every make command has.
func addMakeFlags(command *cobra.Command) {
	command.Flags().BoolP("force", "f", false, "replace files that exist")
	command.Flags().Bool("dry-run", false, "print what would change, and write nothing")
}
