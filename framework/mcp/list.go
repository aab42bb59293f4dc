package mcp

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// list writes the routes, with the tools, resources, templates and prompts that they
// serve. It warns about each declaration that they don't serve.
func (a *App) list(declarations []string, stdout, stderr io.Writer) error {
	b, _, err := a.boot()
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(stdout, 0, 0, 3, ' ', 0)
	_, _ = fmt.Fprintln(table, "ROUTE\tSERVER\tKIND\tNAME")
	var served []string // types
	line := func(route string, server servers.Interface) {
		core := b.boot(server).Core()
		served = append(append(served, fmt.Sprintf("%T", server)), core.Origins()...)
		of := naming.Label(server)
		tools, resources, templates, prompts := core.Keys()
		for _, kind := range []struct {
			name string
			keys []string
		}{{"tool", tools}, {"resource", resources}, {"template", templates}, {"prompt", prompts}} {
			for _, key := range kind.keys {
				_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", route, of, kind.name, naming.Printable(key))
				route, of = "", ""
			}
		}
		if route != "" {
			_, _ = fmt.Fprintf(table, "%s\t%s\t-\t-\n", route, of)
		}
	}
	a.Router.visit("", func(method, path string, route *Route) { line(method+" "+naming.Printable(path), route.server) })
	for _, local := range a.Router.locals {
		line("stdio "+naming.Printable(local.handle), local.server)
	}
	err = table.Flush()
	for _, declaration := range declarations {
		err = errors.Join(err, warnUnserved(stderr, declaration, served))
	}
	return err
}

// parseDeclaration parses an argument of list, FILE:KIND:TYPE. It describes a tool,
// resource, prompt or server in the app's source, such as
// app/mcp/tools/echo_tool.go:tool:tools.EchoTool. The mcp command finds these in the
// source, since a program can't list types that it doesn't use.
func parseDeclaration(argument string) (file, kind, of string, ok bool) {
	file, rest, _ := strings.Cut(argument, ":")
	kind, of, ok = strings.Cut(rest, ":")
	return file, kind, of, ok && file != "" && kind != "" && of != ""
}

// isNoDeclaration reports whether an argument of list is not a declaration.
func isNoDeclaration(argument string) bool {
	_, _, _, ok := parseDeclaration(argument)
	return !ok
}

// warnUnserved warns about a declaration whose type isn't served.
func warnUnserved(stderr io.Writer, declaration string, served []string) error {
	file, kind, of, _ := parseDeclaration(declaration)
	file = naming.Printable(file)
	if slices.Contains(served, "*"+of) || slices.Contains(served, of) {
		return nil
	}
	text := fmt.Sprintf("%s: the %s %s is in no server; add &%s{} to the %ss of one", file, kind, of, of, strings.ToUpper(kind[:1])+kind[1:])
	if kind == "server" {
		text = fmt.Sprintf("%s: the server %s has no route; map it with mcp.Web or mcp.Local", file, of)
	}
	_, err := fmt.Fprintln(stderr, "mcp: "+text)
	return err
}
