// Package upstream logs users in to the authorization server of package auth/oauth through
// GitHub, Google or any OpenID provider.
//
//	oauth.New(oauth.Config{
//		Authenticator: upstream.GitHub(upstream.Config{
//			ClientID:     env.String("GITHUB_CLIENT_ID", ""),
//			ClientSecret: env.String("GITHUB_CLIENT_SECRET", ""),
//			Allow:        upstream.Domain("example.com"),
//		}),
//		// ...
//	})
//
// At the provider, register an app with the redirect URI <URL of the program>/oauth/callback.
//
// Clients get the tokens of the program's own authorization server. They never get those of
// the provider, which are forgotten after the login unless [Config.Keep] is set.
//
// The ID of a user is <issuer>|<subject>, such as https://accounts.google.com|1098, and
// https://github.com/login/oauth|583231 with the number of a GitHub account. Users of two
// providers never have the same one, and e-mail addresses are no part of it.
package upstream

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/engine/seal"
	"github.com/bowline-mcp/bowline/internal/fetch"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// A Config describes the app that is registered at a provider, and its users.
type Config struct {
	// ClientID and ClientSecret are those that the provider has given the app. Both are
	// required.
	ClientID, ClientSecret string

	// Allow is the rule for the users who may log in. It is required, since most providers have
	// users all over the world; see [Emails], [Domain] and [Anyone].
	Allow Rule

	// URL is the issuer of an OpenID provider, exactly as its tokens have it, such as
	// https://login.example.com/realms/staff; OIDC requires it. For GitHub it is the address
	// of a GitHub Enterprise Server; the default is https://github.com. It must be an https
	// URL; http is allowed on loopback.
	URL string

	// Name is the provider's name on the login page. The default is GitHub, Google, or the
	// host of URL.
	Name string

	// Scopes are further scopes to ask the provider for, such as repo. The login page shows
	// them. By default the provider is only asked for those that identify the user.
	Scopes []string

	// Keep makes Provider.Token available: the provider's tokens are stored, sealed with Key.
	// For refresh tokens, OpenID providers may need the scope offline_access.
	Keep bool

	// Key is the secret that seals the tokens, such as mcp.Config.Key. It has at least 16
	// characters. For rotation, give several, the newest first.
	Key []string

	// Client sends the requests to the provider. It follows no redirects, and waits at most 10
	// seconds for an answer. The default client uses the proxy of the environment, and doesn't
	// connect to loopback and link-local addresses unless the URL is on loopback.
	Client *http.Client
}

// A Provider logs users in. It is an [oauth.Authenticator].
type Provider struct {
	config   Config
	function string // that made the provider, for texts of errors
	service  service
	keys     *seal.Ring

	// The rest is set by Open.
	issuer   string // of our own tokens
	records  store.Values
	lifetime time.Duration
}

// A service is the protocol of a provider.
type service interface {
	// check returns a mistake in Config.URL.
	check() error

	// name returns the default of Config.Name.
	name() string

	// issuer returns the identifier of the provider (RFC 8414, section 2).
	issuer() string

	// scopes returns the scopes that identify the user.
	scopes() []string

	// endpoints returns the endpoints. It may need the network.
	endpoints(ctx context.Context) (endpoints, error)

	// parameters returns further parameters of an authorization request. Switches means that
	// the user wants to be another one than before.
	parameters(nonce string, switches bool) []oauth2.AuthCodeOption

	// identify returns the user of a token.
	identify(ctx context.Context, token *oauth2.Token, nonce string) (Identity, error)
}

// The endpoints of a provider.
type endpoints struct {
	oauth2.Endpoint
	sendsIssuer bool // in each authorization response (RFC 9207)
}

// GitHub returns a provider that logs users in with their GitHub accounts. The app is an OAuth
// app, or a GitHub App with the account permission "Email addresses".
func GitHub(config Config) *Provider {
	config.Client = newClient(config.URL, config.Client)
	return newProvider("GitHub", config, &github{config})
}

// Google returns a provider that logs users in with their Google accounts.
func Google(config Config) *Provider {
	config.Client = newClient(googleIssuer, config.Client)
	return newProvider("Google", config, &google{&openID{config: config, id: googleIssuer}})
}

// OIDC returns a provider that logs users in with an OpenID provider, such as Keycloak, Entra
// ID, Okta or Auth0 (OpenID Connect Core and Discovery). Its metadata is read at the first
// login.
func OIDC(config Config) *Provider {
	config.Client = newClient(config.URL, config.Client)
	return newProvider("OIDC", config, &openID{config: config, id: config.URL})
}

func newProvider(function string, config Config, service service) *Provider {
	if config.Name == "" {
		config.Name = service.name()
	}
	return &Provider{config: config, function: "upstream." + function, service: service, keys: seal.New(config.Key...)}
}

// minKey is the minimum length of a key in characters.
const minKey = 16

// Check returns the mistakes in the configuration, for oauth.New.
func (p *Provider) Check() error {
	var mistakes []error
	add := func(format string, args ...any) {
		mistakes = append(mistakes, fmt.Errorf(p.function+": "+format, args...))
	}
	if p.config.ClientID == "" || p.config.ClientSecret == "" {
		add("Config.ClientID or ClientSecret is missing; register an app at the provider with the redirect URI <URL of the program>/oauth/callback")
	}
	if p.config.Allow == nil {
		add("Config.Allow is missing; set it to a rule for the users who may log in, such as upstream.Emails(\"ana@example.com\"), upstream.Domain(\"example.com\") or upstream.Anyone()")
	}
	if err := p.service.check(); err != nil {
		add("Config.URL %q: %w", p.config.URL, err)
	}
	for _, scope := range p.config.Scopes {
		if scope == "" || strings.ContainsAny(scope, " \t\r\n") {
			add("Config.Scopes has %q; give each scope as a text of its own", scope)
		}
	}
	if p.config.Keep && len(p.config.Key) == 0 {
		add("Config.Keep is set, but Key (APP_KEY) is missing, which seals the tokens; make one with: openssl rand -hex 32")
	}
	for _, key := range p.config.Key {
		if len(key) < minKey {
			add("a Config.Key (APP_KEY) has fewer than %d characters; make one with: openssl rand -hex 32", minKey)
		}
	}
	return errors.Join(mistakes...)
}

// Open gives the provider the records of the authorization server.
func (p *Provider) Open(issuer string, records store.Values, lifetime time.Duration) {
	p.issuer, p.records, p.lifetime = issuer, records, lifetime
}

var _ oauth.Upstream = (*Provider)(nil)

// oauth returns the configuration of the OAuth client.
func (p *Provider) oauth(at endpoints, callback string) *oauth2.Config {
	return &oauth2.Config{ClientID: p.config.ClientID, ClientSecret: p.config.ClientSecret, Endpoint: at.Endpoint, RedirectURL: callback, Scopes: p.scopes()}
}

func (p *Provider) scopes() []string { return append(p.service.scopes(), p.config.Scopes...) }

// newClient returns the client for requests to a provider. It bounds the time and the size of
// answers.
func newClient(provider string, given *http.Client) *http.Client {
	client := fetch.NewClient(fetch.ReachFrom(provider), given)
	if client.Timeout == 0 || client.Timeout > limits.UpstreamTimeout {
		client.Timeout = limits.UpstreamTimeout
	}
	client.Transport = fetch.Bound(client.Transport, limits.MaxIssuerDocument)
	return client
}
