package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/bowline-mcp/bowline/framework/mcp/internal/declaration"
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
	for _, text := range declarations {
		declared, _ := declaration.Parse(text)
		if unserved := declared.Unserved(served); unserved != nil {
			_, failed := fmt.Fprintln(stderr, prefixed(ctx, unserved))
			err = errors.Join(err, failed)
		}
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

// unexpectedInList returns the index of the first argument of list that is neither a
// declaration nor the flag --json, which comes first. Without one, it is -1.
func unexpectedInList(args []string) int {
	for i, argument := range args {
		if _, ok := declaration.Parse(argument); !ok && (i > 0 || argument != jsonFlag) {
			return i
		}
	}
	return -1
}
