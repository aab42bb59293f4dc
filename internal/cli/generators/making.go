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
func Commands(i *invocation.Invocation) []*cobra.Command {
	return []*cobra.Command{
		newMakeServerCommand(i),
		tool().command(i, "  mcp make:tool Weather\n  mcp make:tool current-weather --server Shop"),
		resource().command(i, "  mcp make:resource Handbook\n  mcp make:resource user-profile --template"),
		prompt().command(i, "  mcp make:prompt CodeReview\n  mcp make:prompt summarize-text --server Shop"),
		guardrail().command(i, "  mcp make:guardrail OpeningHours\n  mcp make:guardrail spending-limit --server Shop"),
		newMakeCRUDCommand(i),
		newGenerateCommand(i),
		newStubsPublishCommand(i),
	}
}

// makeHelp is the part of the help that the make commands share.
const makeHelp = "\n\nAll files are written, or none. The exit code is 0, 1 for a failure, 2 for wrong arguments, or 130 if it is canceled."

// A making is one run of a make command: its flags, and what it writes and says.
type making struct {
	*invocation.Invocation
	// The flags.
	force, dryRun bool
	serverName    string
	noRegister    bool

	command *cobra.Command
	app     *scaffold.App
	files   []scaffold.File
	notes   string // printed below the paths of the files
	tidy    bool   // whether the files need modules that go.mod doesn't have
}

// prepare adds the flags that every make command has. The command finds the app, calls run, and
// writes the files.
func (m *making) prepare(command *cobra.Command, run func(args []string) error) *cobra.Command {
	m.command = command
	command.Flags().BoolVarP(&m.force, "force", "f", false, "replace files that exist")
	command.Flags().BoolVar(&m.dryRun, "dry-run", false, "print what would change, and write nothing")
	command.RunE = func(_ *cobra.Command, args []string) (err error) {
		if m.app, err = m.App(); err != nil {
			return err
		}
		if err := run(args); err != nil {
			return err
		}
		m.noteModules()
		if err := m.finish(); err != nil || m.dryRun {
			return err
		}
		return m.regenerate()
	}
	return command
}

// name returns the name of a type to be generated: the argument, or the answer of a person.
func (m *making) name(args []string, role string) (scaffold.Name, error) {
	what := naming.Kebab(role)
	return named(m, args, "of the "+what, "What is the name of the "+what+"?", "For example Weather",
		func(word string) (scaffold.Name, error) { return scaffold.ParseName(word, role) })
}

// named returns what the argument names, or the answer of a person to a question.
func named[T any](m *making, args []string, of, question, example string, parse func(string) (T, error)) (name T, err error) {
	if len(args) > 0 {
		name, err = parse(args[0])
		return name, invocation.AsUsage(err)
	}
	terminal := m.Terminal()
	if terminal == nil {
		return name, invocation.NewUsageError("%s needs the NAME %s", m.command.Name(), of)
	}
	answer, err := terminal.Text(question, example, func(answer string) error {
		_, err := parse(answer)
		return err
	})
	if err != nil {
		return name, err
	}
	return parse(answer)
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
	if err := m.app.CheckNames(m.files); err != nil {
		return err
	}
	return m.app.CheckTargets(m.files, m.force)
}

// noteModules notes the commands of Go to run before the files build. For a package that is
// missing, the go command itself proposes others, which fail.
func (m *making) noteModules() {
	switch vendored := m.app.Has("vendor"); {
	case m.tidy && vendored:
		m.notes += "\nRun go mod tidy and go mod vendor: the store in a file needs modules that go.mod doesn't have yet.\n"
	case m.tidy:
		m.notes += "\nRun go mod tidy: the store in a file needs modules that go.mod doesn't have yet.\n"
	case vendored && !m.app.Vendors(m.files):
		m.notes += "\nRun go mod vendor: the folder vendor lacks a package that these files import.\n"
	}
}

// finish writes the files and prints their paths, or with --dry-run prints the difference.
func (m *making) finish() error {
	if m.dryRun {
		difference, err := m.app.Diff(m.files, m.force)
		if err == nil {
			_, err = fmt.Fprintf(m.Stdout, "%s%s", difference, m.notes)
		}
		return err
	}
	if err := m.app.Write(m.files, m.force); err != nil {
		return err
	}
	var report strings.Builder
	for _, file := range m.files {
		_, _ = fmt.Fprintln(&report, file.Verb(), file.Path)
	}
	if _, err := fmt.Fprint(m.Stdout, report.String(), m.notes); err != nil {
		return fmt.Errorf("the files are written, but what was done can't be printed: %w", err)
	}
	return nil
}
