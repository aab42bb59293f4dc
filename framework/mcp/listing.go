package mcp

import (
	"cmp"
	"fmt"
	"io"
	"net"
	"regexp"

	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/address"
	"github.com/bowline-mcp/bowline/internal/clientrules"
	"github.com/bowline-mcp/bowline/internal/engine/transport"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// jsonFlag is the flag of list that prints the routes as JSON.
const jsonFlag = "--json"

// A listing is what list --json prints. Members may be added to it, but none changes its
// meaning. Every list is there, even if it is empty.
type listing struct {
	Name     string       `json:"name"`     // of the app
	Address  string       `json:"address"`  // where serve listens
	Loopback bool         `json:"loopback"` // whether only programs on the same machine can reach it
	Web      []webEntry   `json:"web"`
	Local    []localEntry `json:"local"`
}

// A webEntry is a server at a path.
type webEntry struct {
	Path       string   `json:"path"`
	URL        string   `json:"url"`              // as clients write it, with the parameters of the path
	SSE        string   `json:"sseURL,omitempty"` // for clients of HTTP with SSE
	Parameters []string `json:"parameters"`       // of the path
	Guarded    bool     `json:"guarded"`          // whether clients need an access token
	Access     access   `json:"access"`           // guarded, public or open
	Guards     []string `json:"guards"`           // the authorization servers of the guards, or their types
	listedServer
}

// A localEntry is a server at a handle.
type localEntry struct {
	Handle string `json:"handle"`
	listedServer
}

// A listedServer is a server with the names and URIs of what it serves.
type listedServer struct {
	Server    string   `json:"server"` // its type, or its name if a function made it
	Tools     []string `json:"tools"`
	Resources []string `json:"resources"`
	Templates []string `json:"templates"`
	Prompts   []string `json:"prompts"`

	Refusals []clientrules.Report `json:"refusals"` // what AI clients refuse in its tools
}

// listing returns the routes of the app.
func (a *App) listing(b *booter) listing {
	all := listing{Name: b.config.Name, Address: b.config.Addr, Loopback: b.isLoopback(), Web: []webEntry{}, Local: []localEntry{}}
	parameter := regexp.MustCompile(`\{([^}:]*)|(\*)$`)
	base := b.clientURL()
	a.Router.visitServed(func(path string, route *Route) {
		entry := webEntry{
			Path: path, URL: base + path, Guarded: route.access() == accessGuarded, Access: route.access(), Guards: b.guardNames(route),
			Parameters: []string{}, listedServer: b.listed(route.server),
		}
		for _, match := range parameter.FindAllStringSubmatch(path, -1) {
			entry.Parameters = append(entry.Parameters, match[1]+match[2])
		}
		if route.legacySSE {
			entry.SSE = base + route.prefix() + route.below(transport.EventsPath)
		}
		all.Web = append(all.Web, entry)
	})
	for _, local := range a.Router.locals {
		all.Local = append(all.Local, localEntry{local.handle, b.listed(local.server)})
	}
	return all
}

func (b *booter) listed(server servers.Interface) listedServer {
	booted := b.boot(server)
	tools, resources, templates, prompts := booted.Core().Keys()
	refusals := []clientrules.Report{}
	for _, finding := range booted.Refusals() {
		refusals = append(refusals, finding.Report())
	}
	return listedServer{naming.Label(server), tools, resources, templates, prompts, refusals}
}

// clientURL returns the program's URL, or its address if nobody has set the URL.
func (b *booter) clientURL() string {
	if url, err := b.url(); err == nil {
		return url
	}
	host, port, err := net.SplitHostPort(cmp.Or(b.listens, b.config.Addr))
	if err != nil || address.IsUnspecified(host) {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// write writes the listing as JSON.
func (l listing) write(out io.Writer) error {
	encoded, err := codec.Indent(l)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s\n", encoded)
	return err
}
