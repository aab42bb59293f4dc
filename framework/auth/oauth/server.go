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
	"net/url"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/documents"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/grants"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/keys"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/pages"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/throttle"
)

// A Server is an authorization server. [New] makes one.
type Server struct {
	config   Config
	mistakes error
	verifier *tokenVerifier

	// The rest is set by Open.
	site          mcp.OAuthSite
	store         store.Store
	keys          *keys.Ring
	grants        *grants.Engine
	failures      *throttle.Limiter // of client authentication
	registrations *throttle.Limiter
	pages         *pages.Pages
	documents     interface {
		Get(ctx context.Context, id string) (documents.Document, error)
	}
	foreign *http.CrossOriginProtection
}

// New returns a server. Mistakes in its configuration keep the program from starting. The
// store and the keys are opened when the program starts to serve.
func New(config Config) *Server {
	config = config.withDefaults()
	s := &Server{config: config, mistakes: config.check()}
	s.verifier = &tokenVerifier{server: s, live: map[string]time.Time{}}
	return s
}

// The failures of client authentication that one address may have.
const (
	maxFailures = 20
	failureTime = 10 * time.Minute
)

// Open opens the store and the keys for Router.OAuthRoutes.
func (s *Server) Open(ctx context.Context, site mcp.OAuthSite) (err error) {
	s.site = site
	if s.failures, err = throttle.New(maxFailures, failureTime); err != nil {
		return err
	}
	if s.registrations, err = throttle.New(maxRegistrations, time.Hour); err != nil {
		return err
	}
	s.documents = documents.New(nil)
	s.foreign = http.NewCrossOriginProtection()
	if s.pages, err = pages.New(cmp.Or(site.Name, hostOf(site.URL)), s.config.Pages); err != nil {
		return fmt.Errorf("oauth: %w", err)
	}
	if s.keys, err = s.openKeys(); err != nil {
		return err
	}
	if s.store, err = store.Open(ctx, s.config.Store, s.config.Drivers...); err != nil {
		return fmt.Errorf("oauth: %w", err)
	}
	s.verifier.open()
	s.grants = grants.New(grants.Config{
		Store: s.store, Issuer: site.URL,
		Sign: func(claims map[string]any) (string, error) { return s.keys.Sign("at+jwt", claims) },
		Code: codeTime, Access: s.config.AccessTime, Idle: s.config.IdleTime, Total: s.config.TotalTime, Grace: reuseGrace,
		Check: s.checkUser,
	})
	return nil
}

func (s *Server) openKeys() (*keys.Ring, error) {
	if s.config.PrivateKey != "" {
		ring, err := keys.Parse([]byte(s.config.PrivateKey), s.config.AccessTime)
		if err != nil {
			err = fmt.Errorf("oauth: Config.PrivateKey (OAUTH_PRIVATE_KEY): %w", err)
		}
		return ring, err
	}
	ring, err := keys.Open(s.config.Keys, s.config.AccessTime)
	if errors.Is(err, fs.ErrNotExist) && s.site.Loopback {
		if err := keys.Generate(s.config.Keys, jose.ES256); err != nil {
			return nil, fmt.Errorf("oauth: %w", err)
		}
		s.logger().Info("the authorization server made keys for its tokens", "file", s.config.Keys)
		return keys.Open(s.config.Keys, s.config.AccessTime)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("oauth: there are no keys at %s (Config.Keys); make one with: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out %s", s.config.Keys, s.config.Keys)
	} else if err != nil {
		err = fmt.Errorf("oauth: %w", err)
	}
	return ring, err
}

// checkUser returns an error for a user of the server's own login who is disabled.
func (s *Server) checkUser(ctx context.Context, grant store.Grant) error {
	user, err := s.store.User(ctx, grant.UserID)
	switch {
	case errors.Is(err, store.ErrNotFound): // a user of another login
		return nil
	case err != nil:
		return err
	case user.Disabled:
		return store.ErrRevoked
	}
	return nil
}

// Close closes the store.
func (s *Server) Close() error {
	if s.store == nil {
		return nil
	}
	return s.store.Close()
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
