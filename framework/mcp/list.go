package mcp

import (
	"context"
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
func (a *App) list(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	b, _, err := a.boot()
	if err != nil {
		return err
	}
	declarations := args
	if len(args) > 0 && args[0] == jsonFlag {
		declarations, err = args[1:], a.listing(b).write(stdout)
	} else {
		err = a.writeTable(b, stdout)
	}
	served := a.origins(b)
	for _, declaration := range declarations {
		err = errors.Join(err, warnUnserved(ctx, stderr, declaration, served))
	}
	return err
}

// origins returns the types that the app serves.
func (a *App) origins(b *booter) (served []string) {
	add := func(server servers.Interface) {
		served = append(append(served, fmt.Sprintf("%T", server)), b.boot(server).Core().Origins()...)
	}
	a.Router.visit("", func(_, _ string, route *Route) { add(route.server) })
	for _, local := range a.Router.locals {
		add(local.server)
	}
	return served
}

// writeTable writes the routes for a person, with who may use them, and then each server
// with what it serves.
func (a *App) writeTable(b *booter, stdout io.Writer) error {
	table := tabwriter.NewWriter(stdout, 0, 0, 3, ' ', 0)
	_, _ = fmt.Fprintln(table, "ROUTE\tSERVER\tGUARD")
	var all []servers.Interface
	line := func(route string, server servers.Interface, guard string) {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\n", route, naming.Label(server), guard)
		all = append(all, server)
	}
	a.Router.visit("", func(method, path string, route *Route) {
		guard := string(route.access())
		if route.access() == accessGuarded {
			guard = naming.Printable(strings.Join(b.guardNames(route), ", "))
		}
		line(method+" "+naming.Printable(path), route.server, guard)
	})
	for _, local := range a.Router.locals {
		line("stdio "+naming.Printable(local.handle), local.server, "-")
	}
	if len(all) > 0 {
		_, _ = fmt.Fprintf(table, "\n%s", b.serverTable(all))
	}
	return table.Flush()
}

// serverTable returns the lines of a table of servers. Servers that have the same lines, such
// as two values of one type, are there once.
func (b *booter) serverTable(all []servers.Interface) string {
	table, seen := "SERVER\tKIND\tNAME\n", map[string]bool{}
	for _, server := range all {
		of, lines := naming.Label(server), ""
		tools, resources, templates, prompts := b.boot(server).Core().Keys()
		for _, kind := range []struct {
			name string
			keys []string
		}{{"tool", tools}, {"resource", resources}, {"template", templates}, {"prompt", prompts}} {
			for _, key := range kind.keys {
				lines += fmt.Sprintf("%s\t%s\t%s\n", of, kind.name, naming.Printable(key))
				of = ""
			}
		}
		if lines == "" {
			lines = of + "\t-\t-\n"
		}
		if !seen[lines] {
			seen[lines], table = true, table+lines
		}
	}
	return table
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

// unexpectedInList returns the index of the first argument of list that is neither a
// declaration nor the flag --json, which comes first. Without one, it is -1.
func unexpectedInList(args []string) int {
	for i, argument := range args {
		if _, _, _, ok := parseDeclaration(argument); !ok && (i > 0 || argument != jsonFlag) {
			return i
		}
	}
	return -1
}

// warnUnserved warns about a declaration whose type isn't served.
func warnUnserved(ctx context.Context, stderr io.Writer, declaration string, served []string) error {
	file, kind, of, _ := parseDeclaration(declaration)
	file = naming.Printable(file)
	if slices.Contains(served, "*"+of) || slices.Contains(served, of) {
		return nil
	}
	text := fmt.Sprintf("%s: the %s %s is in no server; add &%s{} to the %ss of one", file, kind, of, of, strings.ToUpper(kind[:1])+kind[1:])
	if kind == "server" {
		text = fmt.Sprintf("%s: the server %s has no route; map it with mcp.Web or mcp.Local", file, of)
	}
	_, err := fmt.Fprintln(stderr, prefixed(ctx, errors.New(text)))
	return err
}
