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
func (m *making) addRegistrationFlags(command *cobra.Command) {
	command.Flags().StringVar(&m.serverName, "server", "", "the `NAME` of the server that gets it, such as Shop; without it the only one, or the one you choose")
	m.addNoRegister(command)
	_ = command.RegisterFlagCompletionFunc("server", m.completeServer) // fails only if there is no such flag
}

func (m *making) addNoRegister(command *cobra.Command) {
	command.Flags().BoolVar(&m.noRegister, "no-register", false, "edit no file, and print what to paste")
}

func (m *making) completeServer(*cobra.Command, []string, string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
	if app, err := m.App(); err == nil {
		names = serverNames(app.Servers())
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// serverNames returns the names of servers for --server.
func serverNames(servers []scaffold.Server) (names []string) {
	for _, server := range servers {
		names = append(names, strings.TrimSuffix(server.Type, "Server"))
	}
	return names
}

// server returns the server that --server names, the only one, or the one that a person
// chooses. It returns nil if the app has none.
func (m *making) server() (*scaffold.Server, error) {
	all := m.app.Servers()
	names := serverNames(all)
	known := strings.Join(names, ", ")
	if m.command.Flags().Changed("server") {
		name, err := scaffold.ParseName(m.serverName, "Server")
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
	terminal := m.Terminal()
	if terminal == nil {
		return nil, invocation.NewUsageError("the app has several servers; choose one with --server: %s", known)
	}
	options := make([]questions.Option, len(all))
	for i, server := range all {
		options[i] = questions.Option{Value: server.Type, Label: names[i] + "  " + server.Path}
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
	if m.noRegister {
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
	server, sources, err := m.sources()
	if err != nil {
		return err
	}
	if server == nil {
		m.notes += "\n" + paste(nil, list, element, "")
		return nil
	}
	refusal := new(scaffold.RefusedError)
	switch err := sources.Register(server.Type, list, element); {
	case errors.As(err, &refusal):
		m.notes += fmt.Sprintf("\n%s, so it was not edited.\n", err) +
			paste([]scaffold.Server{*server}, list, element, refusal.Alias)
	case err != nil:
		return err
	default:
		m.files = append(m.files, sources.Files()...)
	}
	return nil
}

// sources returns the server that gets what is written, with the sources of its folder. The
// server is nil if the app has none. All sources of servers have to parse before anybody is asked.
func (m *making) sources() (*scaffold.Server, *scaffold.Sources, error) {
	sources, err := m.app.Sources(scaffold.ServerFolder)
	if err != nil {
		return nil, nil, err
	}
	server, err := m.server()
	if err == nil && server != nil && path.Dir(server.Path) != scaffold.ServerFolder {
		sources, err = m.app.Sources(path.Dir(server.Path))
	}
	return server, sources, err
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
