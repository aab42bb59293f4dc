package generators

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/questions"
	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

// addRegistrationFlags adds the flags of the commands that register what they write in a
// server.
func addRegistrationFlags(command *cobra.Command) {
	command.Flags().String("server", "", "the `NAME` of the server that gets it, such as Shop; without it the only one, or the one you choose")
	command.Flags().Bool("no-register", false, "edit no file, and print what to paste")
	_ = command.RegisterFlagCompletionFunc("server", completeServer) // fails only if there is no such flag
}

func completeServer(command *cobra.Command, _ []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
	if app, err := invocation.App(command); err == nil {
		for _, server := range app.Servers() {
			names = append(names, serverName(server))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// serverName returns the name of a server for --server.
func serverName(server scaffold.Server) string { return strings.TrimSuffix(server.Type, "Server") }

// registers reports whether the command edits the app's files.
func (m *making) registers() (bool, error) {
	no, err := m.command.Flags().GetBool("no-register")
	return !no, err
}

// server returns the server that --server names, the only one, or the one that a person
// chooses. It returns nil if the app has none.
func (m *making) server() (*scaffold.Server, error) {
	wanted, err := m.command.Flags().GetString("server")
	if err != nil {
		return nil, err
	}
	all := m.app.Servers()
	var names []string
	for _, server := range all {
		names = append(names, serverName(server))
	}
	known := strings.Join(names, ", ")
	if m.command.Flags().Changed("server") {
		name, err := scaffold.ParseName(wanted, "Server")
		if err != nil {
			return nil, invocation.NewUsageError("--server: %w", err)
		}
		if len(all) == 0 {
			return nil, invocation.NewUsageError("--server: the app has no server; make one with mcp make:server %s", name.Base)
		}
		return find(all, name.Type, invocation.NewUsageError("--server: the app has no %s; its servers are %s", name.Type, known))
	}
	if len(all) <= 1 {
		return find(all, "", nil)
	}
	terminal, err := invocation.Terminal(m.command)
	if err != nil {
		return nil, err
	}
	if terminal == nil {
		return nil, invocation.NewUsageError("the app has several servers; choose one with --server: %s", known)
	}
	options := make([]questions.Option, len(all))
	for i, server := range all {
		options[i] = questions.Option{Value: server.Type, Label: serverName(server) + "  " + server.Path}
	}
	chosen, err := terminal.Choose("Which server gets it?", options)
	if err != nil {
		return nil, err
	}
	return find(all, chosen, nil)
}

// find returns the server of a type, or the first one if the type is empty. Without one it
// returns the error.
func find(all []scaffold.Server, typeName string, missing error) (*scaffold.Server, error) {
	for _, server := range all {
		if typeName == "" || server.Type == typeName {
			return &server, nil
		}
	}
	return nil, missing
}

// register adds an element to a list of a server. If the app's code has a form that isn't
// edited, it notes what to paste.
func (m *making) register(list scaffold.List, element scaffold.Element) error {
	registers, err := m.registers()
	if err != nil {
		return err
	}
	if !registers {
		servers := m.app.Servers()
		if m.command.Flags().Changed("server") {
			server, err := m.server()
			if err != nil {
				return err
			}
			servers = []scaffold.Server{*server}
		}
		m.notes += "\n" + paste(servers, list, element, "")
		return nil
	}
	sources, err := m.app.Sources(scaffold.ServerFolder)
	if err != nil {
		return err
	}
	server, err := m.server()
	if err != nil {
		return err
	}
	if server == nil {
		m.notes += "\n" + paste(nil, list, element, "")
		return nil
	}
	if folder := path.Dir(server.Path); folder != scaffold.ServerFolder {
		if sources, err = m.app.Sources(folder); err != nil {
			return err
		}
	}
	refused := new(scaffold.RefusedError)
	switch err := sources.Register(server.Type, list, element); {
	case errors.As(err, &refused):
		m.notes += fmt.Sprintf("\n%s, so it was not edited.\n", err) +
			paste([]scaffold.Server{*server}, list, element, refused.Alias)
	case err != nil:
		return err
	default:
		m.files = append(m.files, sources.Files()...)
	}
	return nil
}

// paste says how a person registers an element: with a line, or with a whole method if the
// app's only server doesn't have it yet. The alias is the name for the package if its own
// one is in use.
func paste(servers []scaffold.Server, list scaffold.List, element scaffold.Element, alias string) string {
	name := path.Base(element.Import)
	imported := fmt.Sprintf("\n\nIts import is %q.\n", element.Import)
	if alias != "" {
		name, imported = alias, fmt.Sprintf("\n\nIts import is %s %q.\n", alias, element.Import)
	}
	line := "\t" + element.In(name) + ","
	if len(servers) != 1 {
		where := "a server of " + scaffold.ServerFolder
		if len(servers) == 0 {
			where += " (mcp make:server NAME writes one)"
		}
		return fmt.Sprintf("Paste this line into %s() in %s:\n\n%s%s", list.Method, where, line, imported)
	}
	server := servers[0]
	if server.Has(list.Method) {
		return fmt.Sprintf("Paste this line into %s() in %s:\n\n%s%s", list.Method, server.Path, line, imported)
	}
	return fmt.Sprintf("Paste this method into %s:\n\n// %s %s\nfunc (*%s) %s() []servers.%s {\n\treturn []servers.%s{\n\t%s\n\t}\n}%s",
		server.Path, list.Method, list.Doc, server.Receiver, list.Method, list.Type, list.Type, line, imported)
}
