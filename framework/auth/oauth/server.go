// Package oauth is an OAuth 2.1 authorization server for MCP (specification: Authorization):
// clients register themselves, users log in and decide, and the routes of the program accept
// the tokens.
//
//	server := oauth.New(config.OAuth())
//	mcp.OAuthRoutes(server)
//	mcp.Web("private", &servers.DemoServer{}).Guard(server.Guard("mcp:use"))
package oauth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/documents"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/grants"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/keys"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/metadata"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/pages"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
)

// A Server is an authorization server. [New] makes one.
type Server struct {
	config   Config
	mistakes error
	verifier *tokenVerifier
	mapped   bool // whether a router serves the server

	// The rest is set by Open.
	site mcp.OAuthSite
	limiters
	store      store.Store
	keys       *keys.Ring
	grants     *grants.Engine
	registered atomic.Uint64 // clients, since the start
	pages      *pages.Pages
	clientKeys *clientKeys
	providers  map[string]*identityProvider
	documents  interface {
		Get(ctx context.Context, id string, caller throttle.Key) (documents.Document, error)
	}
	foreign *http.CrossOriginProtection
	purging context.CancelFunc
	purges  sync.WaitGroup
}

// New returns a server. Mistakes in its configuration keep the program from starting. The
// store and the keys are opened when the program starts to serve.
func New(config Config) *Server {
	config = config.withDefaults()
	s := &Server{config: config, mistakes: config.check()}
	s.verifier = &tokenVerifier{server: s}
	return s
}

// Open opens the store and the keys for Router.OAuthRoutes.
func (s *Server) Open(ctx context.Context, site mcp.OAuthSite) (err error) {
	s.site, s.limiters = site, s.config.Limits.open()
	snapshot, err := documents.Snapshot(s.config.Documents)
	if err != nil {
		return fmt.Errorf("oauth: Config.Documents: %w", err)
	}
	client := documents.NewClient()
	s.documents, s.clientKeys = documents.New(client, snapshot, s.documentFetches), newClientKeys(client, s.logger())
	s.providers = s.openProviders()
	s.foreign = http.NewCrossOriginProtection()
	if s.pages, err = pages.New(cmp.Or(site.Name, metadata.Host(site.URL)), s.config.Pages); err != nil {
		return fmt.Errorf("oauth: %w", err)
	}
	if s.keys, err = s.openKeys(); err != nil {
		return err
	}
	if s.store, err = store.Open(ctx, s.config.Store, s.config.Drivers...); err != nil {
		return fmt.Errorf("oauth: %w", err)
	}
	s.logger().Info("the authorization server is open", "issuer", site.URL, "store", withoutPassword(s.config.Store))
	if upstream, ok := s.config.Authenticator.(Upstream); ok {
		upstream.Open(site.URL, s.store, s.config.TotalTime)
	}
	s.verifier.open()
	s.grants = grants.New(grants.Config{
		Store: s.store, Issuer: site.URL,
		Sign: func(claims map[string]any) (string, error) { return s.keys.Sign("at+jwt", claims) },
		Code: codeTime, Access: s.config.AccessTime, PublicAccess: s.config.PublicAccessTime, Idle: s.config.IdleTime, Total: s.config.TotalTime, Grace: reuseGrace,
		Resources: s.presentResources,
		Check: func(ctx context.Context, grant store.Grant) error {
			if err := s.checkGrant(ctx, grant); err != nil {
				return err
			}
			return s.checkUpstream(ctx, grant.UserID)
		},
		Wait: func(grant string) time.Duration { return s.refreshes.Take(throttle.KeyOf(grant, netip.Addr{})) },
	})
	ctx, s.purging = context.WithCancel(context.WithoutCancel(ctx))
	from := s.store
	s.purges.Go(func() { s.purgeEveryMinute(ctx, from) })
	return nil
}

func (s *Server) openKeys() (*keys.Ring, error) {
	if s.config.PrivateKey != "" {
		ring, err := keys.Parse([]byte(s.config.PrivateKey), s.config.longestAccess())
		if err != nil {
			err = fmt.Errorf("oauth: Config.PrivateKey (OAUTH_PRIVATE_KEY): %w", err)
		}
		return ring, err
	}
	ring, err := keys.Open(s.config.Keys, s.config.longestAccess())
	if errors.Is(err, fs.ErrNotExist) && s.site.Loopback {
		if err := keys.Generate(s.config.Keys, keyAlgorithm); err != nil {
			return nil, fmt.Errorf("oauth: %w", err)
		}
		s.logger().Info("the authorization server made keys for its tokens", "file", s.config.Keys)
		return keys.Open(s.config.Keys, s.config.longestAccess())
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = s.noKeys()
	} else if err != nil {
		err = fmt.Errorf("oauth: %w", err)
	}
	return ring, err
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

// checkGrant returns store.ErrRevoked for a grant whose client was removed from the store, or
// whose user was removed or disabled.
func (s *Server) checkGrant(ctx context.Context, grant store.Grant) error {
	if grant.ClientSource != store.Document {
		_, err := s.store.Client(ctx, grant.ClientID)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return store.ErrRevoked
		case err != nil:
			return err
		}
	}
	return s.checkUser(ctx, grant.UserID)
}

// checkUser returns store.ErrRevoked for a user of the store who was removed or disabled. A
// client that acts for itself has no user.
func (s *Server) checkUser(ctx context.Context, id string) error {
	if id == "" {
		return nil
	}
	user, err := s.store.User(ctx, id)
	_, local := s.config.Authenticator.(PasswordAuthenticator)
	switch {
	case errors.Is(err, store.ErrNotFound) && local && !s.isProvided(id):
		return store.ErrRevoked
	case errors.Is(err, store.ErrNotFound): // a user of another login
		return nil
	case err != nil:
		return err
	case user.Disabled:
		return store.ErrRevoked
	}
	return nil
}

// checkUpstream returns store.ErrRevoked for a user whom the other server that logs users in
// no longer lets in.
func (s *Server) checkUpstream(ctx context.Context, id string) error {
	upstream, ok := s.config.Authenticator.(Upstream)
	if !ok || id == "" {
		return nil
	}
	return upstream.CheckUser(ctx, id)
}

// Close ends the purges and closes the store.
func (s *Server) Close() error {
	if s.purging == nil {
		return nil
	}
	s.purging()
	s.purges.Wait()
	return s.store.Close()
}

// presentResources returns the URLs that the resources of a grant have now. After a move of the
// program they are found by their paths, whether or not the new URL has a path in front. Those
// that the program no longer serves are left out.
func (s *Server) presentResources(of []string) (found []string) {
	site, err := url.Parse(s.site.URL)
	if err != nil {
		return of
	}
	for _, text := range of {
		u, err := url.Parse(text)
		if err != nil {
			continue
		}
		for _, candidate := range []string{text, site.Scheme + "://" + site.Host + u.EscapedPath(), s.site.URL + u.EscapedPath()} {
			if present, ok := s.site.Resource(candidate); ok {
				found = append(found, present)
				break
			}
		}
	}
	return found
}

func (s *Server) logger() *slog.Logger { return cmp.Or(s.config.Logger, s.site.Logger, slog.Default()) }

// target returns the resources that tokens of a request are for: the one of its parameter,
// or the only one of the program. The metadata's spelling counts, and the text of the client
// may have another case of the host, or a slash at its end.
func (s *Server) target(resource string) ([]string, error) {
	refused := &requestError{status: http.StatusBadRequest, code: "invalid_target"}
	if resource == "" {
		if len(s.site.Resources) != 1 {
			refused.description = "The server has several resources; name one in the parameter resource"
			return nil, refused
		}
		return s.site.Resources, nil
	}
	if u, err := url.Parse(resource); err == nil && u.Fragment == "" && u.User == nil && u.RawQuery == "" {
		if found, ok := s.site.Resource(resource); ok {
			return []string{found}, nil
		}
	}
	refused.description = "The resource is not one of this server; use the one in the metadata of the route"
	return nil, refused
}
