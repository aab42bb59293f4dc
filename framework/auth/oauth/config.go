package oauth

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/tokens"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// A Config describes an authorization server. The zero value of each field is its default.
type Config struct {
	// Authenticator logs users in. It is required.
	Authenticator Authenticator

	// Store is the address of the store, such as sqlite:storage/oauth.db, and Drivers are the
	// stores that the program links. Both are required.
	Store   string
	Drivers []store.Driver

	// Keys is the file of the keys that sign access tokens. The default is
	// storage/oauth.keys. PrivateKey is one key in PEM instead, for programs whose machines
	// have no common file.
	Keys       string
	PrivateKey string

	// Scopes are the scopes that clients can get, with what each allows, for the page on which
	// users decide. The default is mcp:use alone.
	Scopes map[string]string

	// DefaultScopes are the scopes of a client that asks for none. The default is mcp:use, or all
	// scopes if there is no mcp:use.
	DefaultScopes []string

	// RedirectSchemes are the private schemes of redirect URIs that clients may register,
	// besides those with a dot. The default is claude, cursor, vscode, vscode-insiders, warp,
	// windsurf and zed.
	RedirectSchemes []string

	// NoRegistration turns off the registration endpoint (RFC 7591). The clients are
	// then those of the operator, and those with a metadata document.
	NoRegistration bool

	// NoPublicClients turns off clients without a secret or a key. A client that registers as
	// a public one gets a secret, and a document needs private_key_jwt. Public clients that
	// the store has already are unknown, so they register again.
	NoPublicClients bool

	// IdentityProviders are those whose identity assertions (ID-JAG) clients may exchange for
	// access tokens: the company decides who uses which client with this server, and nobody
	// logs in here (Enterprise-Managed Authorization). The user's ID is the URL of the
	// provider and the subject, separated by |. Only URL, JWKS, Leeway, Client and Logger are
	// set.
	IdentityProviders []auth.Issuer

	// AccessTime is how long an access token is valid. The default is 10 minutes.
	AccessTime time.Duration

	// PublicAccessTime is the same for clients without a secret or a key. The default is
	// AccessTime. Some of them never use their refresh token, so that their users log in again
	// after this time. Whoever steals a token can use it for as long at other servers than this
	// program, which refuses it once it is revoked.
	PublicAccessTime time.Duration

	// IdleTime is how long a client stays logged in without using its refresh token, and
	// TotalTime how long at most. The defaults are 30 and 180 days.
	IdleTime, TotalTime time.Duration

	// Documents has files with the metadata documents of further clients, such as acme.json, or
	// in place of those of the package (OAuth Client ID Metadata Document). They are used only
	// while the document at the client_id can't be fetched. The package has those of Claude,
	// Claude Code, ChatGPT, Codex, VS Code, Zed and opencode.
	Documents fs.FS

	// Pages has files that replace the built-in ones: layout.html, parts.html, style.css,
	// script.js, login.html, forward.html, consent.html, account.html, error.html, and texts in further
	// languages, such as de.json. Such a file translates any of the texts in the package's en.json.
	Pages fs.FS

	// Limits bound what strangers can make the server do.
	Limits Limits

	// Logger gets the lines about logins, access and failures. The default is the program's logger.
	Logger *slog.Logger
}

// The defaults of a Config.
const (
	defaultKeys   = "storage/oauth.keys"
	defaultAccess = 10 * time.Minute
	defaultIdle   = 30 * 24 * time.Hour
	defaultTotal  = 180 * 24 * time.Hour

	useScope = "mcp:use"
)

// withDefaults returns the configuration with its defaults.
func (c Config) withDefaults() Config {
	if c.Keys == "" {
		c.Keys = defaultKeys
	}
	if len(c.Scopes) == 0 {
		c.Scopes = map[string]string{useScope: "Use the tools of this server"}
	}
	if len(c.DefaultScopes) == 0 {
		c.DefaultScopes = slices.Sorted(maps.Keys(c.Scopes))
		if _, ok := c.Scopes[useScope]; ok {
			c.DefaultScopes = []string{useScope}
		}
	}
	if c.RedirectSchemes == nil {
		c.RedirectSchemes = []string{"claude", "cursor", "vscode", "vscode-insiders", "warp", "windsurf", "zed"}
	}
	for value, standard := range map[*time.Duration]time.Duration{&c.AccessTime: defaultAccess, &c.IdleTime: defaultIdle, &c.TotalTime: defaultTotal} {
		if *value == 0 {
			*value = standard
		}
	}
	c.PublicAccessTime = cmp.Or(c.PublicAccessTime, c.AccessTime)
	c.Limits = c.Limits.withDefaults()
	return c
}

// longestAccess returns how long an access token is valid at most.
func (c Config) longestAccess() time.Duration { return max(c.AccessTime, c.PublicAccessTime) }

// check returns the mistakes in the configuration.
func (c Config) check() error {
	var mistakes []error
	add := func(format string, args ...any) { mistakes = append(mistakes, fmt.Errorf("oauth: "+format, args...)) }
	if c.Authenticator == nil {
		add("Config.Authenticator is missing; set it to what logs users in, such as login.Password()")
	}
	if checked, ok := c.Authenticator.(interface{ Check() error }); ok {
		if err := checked.Check(); err != nil {
			mistakes = append(mistakes, err)
		}
	}
	if c.Store == "" {
		add("Config.Store is missing; set it, such as to sqlite:storage/oauth.db (OAUTH_STORE)")
	}
	for scope := range c.Scopes {
		if !isScope(scope) {
			add("Config.Scopes has %q, which can't be a scope; use visible ASCII characters without space, quote and backslash", scope)
		}
		if tokens.IsIgnored(scope) {
			add("Config.Scopes has %q, which is a scope of OpenID Connect and grants nothing; choose another name", scope)
		}
	}
	for _, scope := range c.DefaultScopes {
		if _, ok := c.Scopes[scope]; !ok {
			add("Config.DefaultScopes has %q, which Config.Scopes lacks; add it there with what it allows", scope)
		}
	}
	c.checkTimes(add)
	mistakes = append(mistakes, c.Limits.check()...)
	return errors.Join(append(mistakes, checkProviders(c.IdentityProviders))...)
}

// checkTimes adds the mistakes in the times.
func (c Config) checkTimes(add func(format string, args ...any)) {
	checkAccess := func(name string, access time.Duration) {
		if access < time.Minute || access > limits.MaxAccessTime {
			add("Config.%s is %v; set it to a time from %v to %v", name, access, time.Minute, limits.MaxAccessTime)
		}
		if c.IdleTime < access {
			add("Config.IdleTime is %v, which is less than Config.%s, %v; set it to a longer time", c.IdleTime, name, access)
		}
	}
	checkAccess("AccessTime", c.AccessTime)
	if c.PublicAccessTime != c.AccessTime {
		checkAccess("PublicAccessTime", c.PublicAccessTime)
	}
	if c.TotalTime < c.IdleTime {
		add("Config.TotalTime is %v, which is less than Config.IdleTime, %v; set it to a longer time", c.TotalTime, c.IdleTime)
	}
}

// isScope reports whether a text can be a scope (RFC 6749, section 3.3).
func isScope(text string) bool {
	for _, b := range []byte(text) {
		if b <= ' ' || b > '~' || b == '"' || b == '\\' {
			return false
		}
	}
	return text != ""
}

// checkProviders returns the mistakes in the identity providers.
func checkProviders(providers []auth.Issuer) error {
	var mistakes []error
	seen := map[string]bool{}
	for _, provider := range providers {
		if _, err := auth.JWT(provider).Issuers(); err != nil {
			mistakes = append(mistakes, fmt.Errorf("oauth: Config.IdentityProviders: %w", err))
		}
		if provider.Audiences != nil || provider.Implies != nil || provider.Claims != (auth.Claims{}) {
			mistakes = append(mistakes, fmt.Errorf("oauth: Config.IdentityProviders has %s with Audiences, Claims or Implies, which its assertions don't have; remove them", provider.URL))
		}
		if seen[provider.URL] {
			mistakes = append(mistakes, fmt.Errorf("oauth: Config.IdentityProviders has %s twice; remove one", provider.URL))
		}
		seen[provider.URL] = true
	}
	return errors.Join(mistakes...)
}
