package mcp

import (
	"cmp"
	"context"
	"os"
	"strings"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/servers"
)

// A Local is a server at a handle, which the command start serves on stdio.
type Local struct {
	handle    string
	server    servers.Interface
	principal *exchange.Principal // nil for the user of the process
}

// As sets the principal of the client on stdio. The default is a local principal. Its
// scopes have no limit, and it is named after the user of the process: the environment
// variable USER, or USERNAME on Windows. A principal that isn't local has only its Scopes:
//
//	mcp.Local("staff", server).As(exchange.Principal{ID: "ci", Scopes: []string{"files:read"}})
func (l *Local) As(principal exchange.Principal) *Local {
	l.principal = &principal
	return l
}

// context returns a context that carries the principal of the client.
func (l *Local) context(ctx context.Context) context.Context {
	if l.principal != nil {
		return exchange.WithPrincipal(ctx, *l.principal)
	}
	return withLocalPrincipal(ctx)
}

// withLocalPrincipal returns a context that carries the user of the process, unless it
// carries a principal already.
func withLocalPrincipal(ctx context.Context) context.Context {
	if principal := exchange.PrincipalFrom(ctx); principal.ID != "" || principal.Local {
		return ctx
	}
	name := cmp.Or(os.Getenv("USER"), os.Getenv("USERNAME"), "local")
	if strings.Contains(name, ":") { // no user has such a name, and principals of others do
		name = "local"
	}
	return exchange.WithPrincipal(ctx, exchange.Principal{ID: name, Subject: name, Local: true})
}
