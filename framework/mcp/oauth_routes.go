package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/protected"
	"github.com/bowline-mcp/bowline/internal/engine/transport"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// An OAuthServer is an authorization server that is a part of the program, such as that of
// package auth/oauth. Its clients get access tokens for the program's guarded routes.
type OAuthServer interface {
	// Endpoints returns the endpoints of the server, or the mistakes in its configuration.
	// The prefix is the path of Config.URL, without a slash at its end. It is called when the
	// program starts.
	Endpoints(prefix string) ([]OAuthEndpoint, error)

	// Commands returns the commands of the server. They run beside a program that serves, and
	// without Open.
	Commands() []Command

	// Open opens the server's store. It is called before the program serves over HTTP, and not
	// if it only serves stdio or lists its routes.
	Open(ctx context.Context, site OAuthSite) error

	// Close closes the store.
	Close() error
}

// An OAuthEndpoint is an endpoint of an authorization server.
type OAuthEndpoint struct {
	Path    string // from the root of the host
	Handler http.Handler

	// Public means that web pages of every origin may send requests and read the answers, for
	// clients that run in a browser.
	Public bool

	// MaxBody is how many bytes the body of a request may have. It is read before Handler
	// gets the request. The default is 0: bodies are not read.
	MaxBody int64

	// Weight is how much a request weighs while it runs. Requests of one address run at once if their
	// weights are at most 8 together; the others wait. The default is 4.
	Weight int64

	// Refuse writes the answer to a request that exceeds MaxBody or another limit of the
	// program, such as Config.ClientCalls. The headers are set, such as Retry-After. The
	// default writes the status and the message as text.
	Refuse func(w http.ResponseWriter, r *http.Request, refusal *exchange.Error)
}

// An OAuthSite is the program that an authorization server is a part of.
type OAuthSite struct {
	// Name is the name of the program, Config.Name.
	Name string

	// URL is Config.URL without a slash at its end, or the loopback address of the program.
	URL string

	// Loopback means that only programs on the same machine can reach the program.
	Loopback bool

	// Resource returns the URL of a guarded route as its metadata has it, for the spelling of
	// a client. It returns false if there is no such route.
	Resource func(text string) (resource string, ok bool)

	// Resources are the URLs of the guarded routes without parameters.
	Resources []string

	// Address returns the address of the client of a request; see Config.TrustedProxies.
	Address func(*http.Request) netip.Addr

	Logger *slog.Logger
}

// OAuthRoutes serves an authorization server beside the routes of the program. Its
// endpoints are outside of groups and their middleware. A program has at most one.
func (r *Router) OAuthRoutes(server OAuthServer) {
	root := r.root()
	r.warnIfServed("of", "the authorization server")
	root.oauth = append(root.oauth, server)
}

// oauthServer returns the authorization server of the program, or nil if it has none.
func (r *Router) oauthServer() (OAuthServer, error) {
	switch servers := r.root().oauth; len(servers) {
	case 0:
		return nil, nil
	case 1:
		return servers[0], nil
	}
	return nil, errors.New("Router.OAuthRoutes was called twice; a program has one authorization server")
}

// oauthEndpoints are the endpoints of the authorization server by their paths.
type oauthEndpoints map[string]OAuthEndpoint

// ServeHTTP serves an endpoint.
func (o oauthEndpoints) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o[r.URL.Path].Handler.ServeHTTP(w, r)
}

// oauthEndpoints returns the endpoints of the router's authorization server. Taken has the
// paths of routes.
func (b *booter) oauthEndpoints(router *Router, taken map[string]string) (oauthEndpoints, error) {
	server, err := router.oauthServer()
	if server == nil {
		return nil, err
	}
	b.oauth = server
	base, err := b.siteURL()
	if err != nil {
		return nil, err
	}
	prefix := base.EscapedPath()
	all, err := b.oauth.Endpoints(prefix)
	if err != nil {
		return nil, err
	}
	found, err := oauthEndpoints{}, checkCommands(server.Commands())
	admission := transport.Admission{Shares: b.shares, BodyTime: b.config.BodyTimeout, Logger: b.config.Logger}
	for _, endpoint := range all {
		if endpoint.Refuse == nil {
			endpoint.Refuse = func(w http.ResponseWriter, _ *http.Request, refusal *exchange.Error) {
				http.Error(w, refusal.Message, refusal.Status)
			}
		}
		endpoint.Handler = admission.Handler(endpoint.MaxBody, cmp.Or(endpoint.Weight, limits.RequestWeight), endpoint.Refuse, endpoint.Handler)
		path := strings.TrimPrefix(endpoint.Path, prefix) // a proxy has removed it
		if other := taken[path]; other != "" {
			err = errors.Join(err, fmt.Errorf("the path %s belongs to the authorization server; choose another", naming.Printable(other)))
		}
		found[path], found[endpoint.Path] = endpoint, endpoint
	}
	return found, err
}

// siteURL returns the URL of the program, which is the issuer of the authorization server.
func (b *booter) siteURL() (*url.URL, error) {
	text, err := b.url()
	if err != nil {
		return nil, fmt.Errorf("there is an authorization server, so %w", err)
	}
	return protected.ParseURL(text)
}

// openOAuth opens the authorization server, if there is one.
func (b *booter) openOAuth(ctx context.Context) error {
	if b.oauth == nil || b.opened {
		return nil
	}
	base, err := b.siteURL()
	if err != nil {
		return err
	}
	site := OAuthSite{
		Name: b.config.Name, URL: base.String(), Loopback: naming.IsLoopback(base.Hostname()), Resource: b.public.resource, Resources: b.public.fixed(),
		Address: b.proxies.Client, Logger: b.config.Logger,
	}
	if err := b.oauth.Open(ctx, site); err != nil {
		return err
	}
	b.opened = true
	return nil
}

// closeOAuth closes the authorization server, if it is open.
func (b *booter) closeOAuth() {
	if !b.opened {
		return
	}
	b.opened = false
	if err := b.oauth.Close(); err != nil {
		b.config.Logger.Error("the authorization server was not closed", "error", err)
	}
}
