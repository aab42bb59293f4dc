package generators

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/stubs"
)

const (
	routesFolder = "routes"
	routesFile   = "routes/ai.go"
)

func newMakeServerCommand(i *invocation.Invocation) *cobra.Command {
	m := &making{Invocation: i}
	command := &cobra.Command{
		Use:   "make:server NAME",
		Short: "Write a new server and its test",
		Long: "Write a new server and its test into " + scaffold.ServerFolder + ", and add its routes over HTTP and stdio to " + routesFile + ",\n" +
			"which is written if it is missing. In an app whose routes have a guard, the new one has it too;\n" +
			"if mcp can't copy the guard, such as the guard of a group, a note says that the new route is open.\n" +
			"A stubs/server.stub or stubs/server_test.stub in the app is used instead of the built-in one; see mcp stubs:publish.\n" +
			"Code in a form that mcp can't edit stays as it is, and mcp prints the lines to paste." + makeHelp,
		Example:           "  mcp make:server Weather\n  mcp make:server Weather --dry-run",
		Args:              invocation.AtMost(1),
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	m.addNoRegister(command)
	return m.prepare(command, func(args []string) error {
		name, err := m.name(args, "Server")
		if err != nil {
			return err
		}
		if err := m.addType(scaffold.ServerFolder, "server", "Package servers has the app's MCP servers.", name); err != nil {
			return err
		}
		return m.route(name)
	})
}

// route adds the routes of a new server. If the app's code has a form that isn't edited, it
// notes what to paste.
func (m *making) route(name scaffold.Name) error {
	handle := naming.Kebab(name.Base)
	route := scaffold.Route{Server: name.Type, Import: m.app.Module + "/" + scaffold.ServerFolder, Handle: handle, Variable: scaffold.Variable(handle)}
	isNew := !m.app.Has(routesFile)
	sources, err := m.app.Sources(routesFolder)
	if m.noRegister && !isNew {
		if err == nil {
			route.Guard, route.IsOpen = sources.Guard()
		}
		m.notes += "\n" + pasteRoute(route, "")
		return nil
	}
	if err != nil {
		return err
	}
	route.Guard, route.IsOpen = sources.Guard()
	if isNew = isNew && !sources.Declares("AI"); isNew {
		content, err := m.app.Render(stubs.Files(), "routes.stub", name)
		if err != nil {
			return err
		}
		if err := sources.Add(path.Base(routesFile), content); err != nil {
			return err
		}
	}
	refusal := new(scaffold.RefusedError)
	switch err := sources.AddRoute(route); {
	case errors.As(err, &refusal):
		m.notes += fmt.Sprintf("\n%s, so it was not edited.\n", err) + pasteRoute(route, refusal.Alias)
		return nil
	case err != nil:
		return err
	}
	files := sources.Files()
	if m.noRegister {
		for _, file := range files {
			m.notes += fmt.Sprintf("\nThere is no %s yet. Create it with these lines, and call routes.AI(app.Router) in main.go:\n\n%s", file.Path, file.Content)
		}
		return nil
	}
	m.files = append(m.files, files...)
	if len(files) > 0 { // otherwise AI has the route already
		m.notes += openNote(route)
	}
	if isNew && !m.callsRoutes() {
		m.notes += "\nCall routes.AI(app.Router) in main.go; the import is \"" + m.app.Module + "/" + routesFolder + "\".\n"
	}
	return nil
}

// openNote says that a new route is open although others are guarded, or returns "".
func openNote(route scaffold.Route) string {
	if !route.IsOpen {
		return ""
	}
	return "\nAI in " + routesFile + " has a guard that isn't copied, so the new route over HTTP has none: everybody who can reach the program can use the server.\n" +
		"Add .Guard(…) to the route, or .Public() if that is meant.\n"
}

// callsRoutes reports whether a file in the app's root calls routes.AI.
func (m *making) callsRoutes() bool {
	files, err := fs.Glob(os.DirFS(m.app.Root), "*.go")
	if err != nil {
		return false
	}
	for _, name := range files {
		if content, err := os.ReadFile(filepath.Join(m.app.Root, name)); err == nil && bytes.Contains(content, []byte("routes.AI(")) {
			return true
		}
	}
	return false
}

// pasteRoute says how a person adds the routes of a server. The alias is the name for the
// package of the server if its own one is in use.
func pasteRoute(route scaffold.Route, alias string) string {
	name, imported := "servers", fmt.Sprintf("%q", route.Import)
	if alias != "" {
		name, imported = alias, alias+" "+imported
	}
	return fmt.Sprintf("Paste these lines into AI in %s (Web for HTTP, Local for stdio):\n\n"+
		"\t%s := &%s.%s{}\n\tmcp.Web(%q, %s)%s\n\tmcp.Local(%q, %s)\n\nTheir import is %s.\n",
		routesFile, route.Variable, name, route.Server, route.Handle, route.Variable, route.Guard, route.Handle, route.Variable, imported) + openNote(route)
}
