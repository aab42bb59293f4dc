// Package oauth is an OAuth 2.1 authorization server for MCP (specification: Authorization):
// clients register themselves, users log in and decide, and the routes of the program accept
// the tokens.
//
//	server := oauth.New(config.OAuth())
//	mcp.Component(server)
//	mcp.Web("private", &servers.DemoServer{}).Guard(server.Guard("mcp:use"))
package oauth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/admin"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/authorize"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/clients"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/documents"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/grants"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/keys"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/metadata"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/pages"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/tokens"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/engine/protected"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/requestlog"
)

// A Server is an authorization server. [New] makes one.
type Server struct {
	config   Config
	mistakes error
	mapped   bool // whether a router serves the server

	// The fields of these that Open sets are nil before.
	base      *endpoint.Base
	clients   *clients.Registry
	tokens    *tokens.Endpoint
	authorize *authorize.Endpoint

	purging context.CancelFunc
	purges  sync.WaitGroup
}

// New returns a server. Mistakes in its configuration keep the program from starting. The
// store and the keys are opened when the program starts to serve.
func New(config Config) *Server {
	c := config.withDefaults()
	s := &Server{config: c, mistakes: c.check(), base: &endpoint.Base{}}
	s.clients = &clients.Registry{Base: s.base, RedirectSchemes: c.RedirectSchemes, NoPublicClients: c.NoPublicClients}
	s.tokens = &tokens.Endpoint{
		Base: s.base, Clients: s.clients, Scopes: c.Scopes, DefaultScopes: c.DefaultScopes, IdentityProviders: c.IdentityProviders,
		Grants: &grants.Engine{
			Code: limits.CodeTime, Access: c.AccessTime, PublicAccess: c.PublicAccessTime, Idle: c.IdleTime, Total: c.TotalTime, Grace: limits.RefreshGrace,
		},
	}
	s.authorize = &authorize.Endpoint{Base: s.base, Clients: s.clients, Tokens: s.tokens, Authenticate: s.authenticate}
	if login, ok := c.Authenticator.(PasswordAuthenticator); ok {
		s.tokens.Local = true
		s.authorize.Passwords = &authorize.Passwords{NewUser: login.NewUser, Check: func(l *authorize.Login, name, password string) (bool, time.Duration, error) {
			return login.CheckPassword(s.loginRequest(l), name, password)
		}}
	}
	if upstream, ok := c.Authenticator.(Upstream); ok {
		s.tokens.Upstream = upstream
	}
	return s
}

// Open opens the store and the keys for Router.Component.
func (s *Server) Open(ctx context.Context, site mcp.Site) error {
	if site.URL == "" {
		return errors.New("oauth: clients need the program's URL; set Config.URL (APP_URL), such as https://example.com")
	}
	if _, err := protected.ParseURL(site.URL); err != nil {
		return fmt.Errorf("oauth: %w", err)
	}
	site.Logger = slog.New(requestlog.New(cmp.Or(s.config.Logger, site.Logger, slog.Default()).Handler()))
	s.base.Site, s.base.Limits = site, s.config.Limits.open()
	snapshot, err := documents.Snapshot(s.config.Documents)
	if err != nil {
		return fmt.Errorf("oauth: Config.Documents: %w", err)
	}
	client := documents.NewClient()
	s.clients.Documents, s.clients.Keys = documents.New(client, snapshot, s.base.Limits.Documents), clients.NewPublishedKeys(client, site.Logger)
	if s.authorize.Pages, err = pages.New(cmp.Or(site.Name, metadata.Host(site.URL)), s.config.Pages); err != nil {
		return fmt.Errorf("oauth: %w", err)
	}
	ring, err := s.openKeys(ctx)
	if err != nil {
		return err
	}
	if s.base.Store, err = store.Open(ctx, s.config.Store, s.config.Drivers...); err != nil {
		return fmt.Errorf("oauth: %w", err)
	}
	site.Logger.Info("the authorization server is open", "issuer", site.URL, "store", withoutPassword(s.config.Store))
	if upstream, ok := s.config.Authenticator.(Upstream); ok {
		upstream.Open(site.URL, s.base.Store, s.config.TotalTime)
	}
	s.tokens.Open(ring)
	ctx, s.purging = context.WithCancel(context.WithoutCancel(ctx))
	from := s.base.Store
	s.purges.Go(func() { s.purgeEveryMinute(ctx, from) })
	return nil
}

func (s *Server) openKeys(ctx context.Context) (*keys.Ring, error) {
	if s.config.PrivateKey != "" {
		ring, err := keys.Parse([]byte(s.config.PrivateKey), s.config.longestAccess())
		if err != nil {
			err = fmt.Errorf("oauth: Config.PrivateKey (OAUTH_PRIVATE_KEY): %w", err)
		}
		return ring, err
	}
	ring, err := keys.Open(s.config.Keys, s.config.longestAccess())
	if errors.Is(err, fs.ErrNotExist) && s.base.Loopback {
		if err := keys.Generate(s.config.Keys, keys.Algorithm, false); err != nil {
			return nil, fmt.Errorf("oauth: %w", err)
		}
		s.base.Logger.Info("the authorization server made keys for its tokens", "file", s.config.Keys)
		return keys.Open(s.config.Keys, s.config.longestAccess())
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = admin.NoKeys(ctx, s.config.Keys)
	} else if err != nil {
		err = fmt.Errorf("oauth: %w", err)
	}
	return ring, err
}

// Commands returns the commands of the server, for App.Run. Each opens only the store or the
// file of the keys, so that it can run while the program serves.
func (s *Server) Commands() []mcp.Command { return s.commands().All() }

func (s *Server) commands() *admin.Commands {
	c := s.config
	commands := &admin.Commands{
		Mistakes: s.mistakes, Store: c.Store, Drivers: c.Drivers, Keys: c.Keys, PrivateKey: c.PrivateKey, LongestAccess: c.longestAccess(),
		Clients: s.clients, Tokens: s.tokens,
	}
	if s.authorize.Passwords != nil {
		commands.NewUser = s.authorize.Passwords.NewUser
	}
	return commands
}

// withoutPassword returns the address of a store for the log.
func withoutPassword(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		scheme, _, _ := strings.Cut(address, ":")
		return scheme + ":"
	}
	u.RawQuery = "" // it may have a password too
	return u.Redacted()
}

// Close ends the purges and closes the store.
func (s *Server) Close() error {
	if s.purging == nil {
		return nil
	}
	s.purging()
	s.purges.Wait()
	return s.base.Store.Close()
}
