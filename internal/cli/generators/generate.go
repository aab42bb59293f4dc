package generators

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/directives"
	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

func newGenerateCommand(i *invocation.Invocation) *cobra.Command {
	m := &making{Invocation: i}
	check := false
	command := &cobra.Command{
		Use:   "generate",
		Short: "Write the code that registers functions with directives",
		Long: "Read the comments //mcp:tool, //mcp:resource URI, //mcp:template URI and //mcp:prompt above functions, methods and types of\n" +
			"the app, and write " + directives.Folder + "/" + directives.FileName + ": a type for each directive. If the app has one\n" +
			"server, the server gets them; otherwise the line to paste is printed. What a server lists or adds by itself wins.\n" +
			"mcp dev and the make commands run it in an app with directives.\n\n" +
			"All mistakes in directives are reported with file, line and fix, and nothing is written. With --check the exit code is 1\n" +
			"if the file would change, which a test in CI can use. The exit code is 0, 1 for a failure, or 2 for wrong arguments.",
		Example: "  mcp generate\n  mcp generate --check",
		Args:    invocation.Exactly(),
	}
	command.Flags().BoolVar(&check, "check", false, "write nothing, and fail if the generated file would change")
	command.Flags().BoolVar(&m.dryRun, "dry-run", false, "print what would change, and write nothing")
	m.addNoRegister(command)
	m.command = command
	command.RunE = func(*cobra.Command, []string) (err error) {
		if check && m.dryRun {
			return invocation.NewUsageError("generate: --check and --dry-run both write nothing; give one of them")
		}
		if m.app, err = m.App(); err != nil {
			return err
		}
		generated, err := directives.Generate(m.app)
		switch {
		case err != nil:
			return err
		case check:
			return m.checkGenerated(generated)
		}
		if err := m.addGenerated(generated); err != nil {
			return err
		}
		m.noteModules()
		return m.finish()
	}
	return command
}

// checkGenerated fails if the generated file would change.
func (m *making) checkGenerated(generated *directives.Generated) error {
	if drift := generated.Drift(); len(drift) > 0 {
		return fmt.Errorf("%s is not up to date; run mcp generate:\n%s", generated.File.Path, strings.Join(drift, "\n"))
	}
	return nil
}

// addGenerated adds the generated file if it has to change, and registers its features.
func (m *making) addGenerated(generated *directives.Generated) error {
	switch {
	case generated.IsEmpty:
		m.notes += "The app has no directives. Write //mcp:tool above a function that a model may call.\n"
		return nil
	case generated.IsChanged():
		m.files = append(m.files, generated.File)
	default:
		m.notes += generated.File.Path + " is up to date.\n"
	}
	for _, features := range generated.Features {
		if features.IsUsed || features.Size == 0 {
			continue
		}
		if err := m.registerFeatures(generated.Import, features); err != nil {
			return err
		}
	}
	return nil
}

// registerFeatures adds features to the lists of a server, or notes what to paste.
func (m *making) registerFeatures(importPath string, features directives.Features) error {
	list := scaffold.List{Method: "Features", Type: "Features", Doc: "returns what mcp generate has found."}
	element := scaffold.Element{Import: importPath, Name: features.Type, Before: "&", After: "{}"}
	servers := m.app.Servers()
	if features.Server != "" {
		if server, err := find(servers, features.Server, nil); err == nil && server != nil {
			servers = []scaffold.Server{*server}
		}
	}
	switch {
	case importPath == "":
		m.notes += fmt.Sprintf("\nNo server has the features of the main package. Return them in Features() of one:\n\n\t&%s{%s},\n", features.Type, setFields(features))
		return nil
	case len(features.Fields) > 0:
		element.After = "{" + setFields(features) + "}"
		m.notes += "\n" + paste(servers, list, element, "") + "Its fields are " + strings.Join(features.Fields, ", ") + ".\n"
		return nil
	case m.noRegister || len(servers) != 1:
		m.notes += "\n" + paste(servers, list, element, "")
		return nil
	}
	sources, err := m.app.Sources(path.Dir(servers[0].Path))
	if err != nil {
		return err
	}
	refusal := new(scaffold.RefusedError)
	switch err := sources.Register(servers[0].Type, list, element); {
	case errors.As(err, &refusal):
		m.notes += fmt.Sprintf("\n%s, so it was not edited.\n", err) + paste(servers, list, element, refusal.Alias)
	case err != nil:
		return err
	default:
		m.files = append(m.files, sources.Files()...)
	}
	return nil
}

// setFields returns the fields of features, each with a value to be replaced.
func setFields(features directives.Features) string {
	set := make([]string, len(features.Fields))
	for i, field := range features.Fields {
		name, _, _ := strings.Cut(field, " ")
		set[i] = name + ": s." + name
	}
	return strings.Join(set, ", ")
}

// regenerate writes the generated file of an app with directives after a make command has written
// others.
func (m *making) regenerate() error {
	generated, err := directives.Write(m.app)
	if err != nil {
		return fmt.Errorf("the files are written, but %w", err)
	}
	if generated.IsChanged() {
		_, err = fmt.Fprintln(m.Stdout, generated.File.Verb(), generated.File.Path)
	}
	return err
}
