// Package protected serves protected resources: HTTP handlers that need an access token,
// and the metadata by which clients find out where to get one (RFC 6750, RFC 9728).
package protected

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/address"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A Guard authenticates requests. mcp.Guard documents the methods.
type Guard interface {
	Authenticate(r *http.Request, resource string) (exchange.Principal, error)
	Challenge(refusal error, metadata string) string
	Metadata() (exchange.ResourceMetadata, error)
}

// A Config describes protected resources that share guards.
type Config struct {
	Guards []Guard

	// Base returns the URL of the program, without a slash at its end. It may change until
	// the first request.
	Base func() (string, error)

	// The URL of the resource that a request is for is Base followed by Path, or by Fixed
	// if Path is nil, whatever the request's own host is. Both are escaped.
	Path  func(r *http.Request) string
	Fixed string

	// Detached gives the handler a copy of the headers. Middleware may change its headers,
	// such as remove the token, but a stream is authenticated again by the original ones.
	Detached bool

	// Refuse answers a request that isn't authorized. The cause of the error is logged.
	Refuse func(w http.ResponseWriter, r *http.Request, refusal *exchange.Error)

	Name, Documentation string // the resource's, for its metadata
	Logger              *slog.Logger
}

// A Resource is a handler that needs an access token.
type Resource struct {
	Config
	metadata  exchange.ResourceMetadata // without the URL
	base      func() *base
	misplaced sync.Once
}

// A base is the URL of the program when it serves, and its parts.
type base struct{ url, scheme, host, fixed string }

// New returns a resource, or the mistakes in its configuration.
func New(config Config) (*Resource, error) {
	p := &Resource{Config: config}
	if _, err := newBase(&config); err != nil {
		return nil, err
	}
	p.base = sync.OnceValue(func() *base {
		found, _ := newBase(&config)
		return found
	})
	p.metadata = exchange.ResourceMetadata{ResourceName: config.Name, ResourceDocumentation: config.Documentation}
	problems := make([]error, len(config.Guards))
	for i, guard := range config.Guards {
		if IsNil(guard) {
			problems[i] = fmt.Errorf("guard %d is missing or nil; give a guard, such as auth.Bearer(…)", i+1)
			continue
		}
		described, err := guard.Metadata()
		if err != nil {
			problems[i] = fmt.Errorf("guard %d: %w", i+1, err)
		}
		p.describe(described)
	}
	return p, errors.Join(problems...)
}

// IsNil reports whether an interface has no value, or a pointer that is nil.
func IsNil(value any) bool {
	held := reflect.ValueOf(value)
	return !held.IsValid() || held.Kind() == reflect.Pointer && held.IsNil()
}

// describe adds what a guard says about itself to the metadata.
func (p *Resource) describe(m exchange.ResourceMetadata) {
	p.metadata.AuthorizationServers = union(p.metadata.AuthorizationServers, m.AuthorizationServers)
	p.metadata.ScopesSupported = union(p.metadata.ScopesSupported, m.ScopesSupported)
	p.metadata.BearerMethods = union(p.metadata.BearerMethods, m.BearerMethods)
	p.metadata.IssuableScopes = m.IssuableScopes // the last guard names the principal
}

// IssuableScopes returns all scopes that principals can have, or nil if they aren't known.
func (p *Resource) IssuableScopes() []string { return p.metadata.IssuableScopes }

// union returns the values of both lists, each once.
func union(a, b []string) []string {
	for _, value := range b {
		if !slices.Contains(a, value) {
			a = append(a, value)
		}
	}
	return a
}

// newBase returns the base of a configuration. Clients send tokens to it, so it must be
// https except on a loopback address. Clients compare it with the URL that they use, so it
// has the form that they normalize URLs to.
func newBase(config *Config) (*base, error) {
	text, err := config.Base()
	if err != nil {
		return nil, err
	}
	u, err := ParseURL(text)
	if err != nil {
		return nil, err
	}
	host := address.Host(u.Scheme, u.Host)
	origin := u.Scheme + "://" + host + u.EscapedPath()
	return &base{url: origin, scheme: u.Scheme, host: host, fixed: origin + config.Fixed}, nil
}

// ParseURL parses the URL of a program that clients send their tokens to.
func ParseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("the URL %q must be absolute, such as https://example.com", text)
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.User != nil:
		return nil, fmt.Errorf("the URL %q must have no query, fragment or user", text)
	case !naming.IsSecure(u):
		return nil, fmt.Errorf("the URL %q must begin with https://, since clients send their tokens to it", text)
	}
	return u, nil
}

// URL returns the identifier of the resource that a request is for.
func (p *Resource) URL(r *http.Request) string {
	if p.Path == nil {
		return p.base().fixed
	}
	return p.base().url + p.Path(r)
}

// At returns the identifier of the resource at an escaped path below the program's URL.
func (p *Resource) At(path string) string { return p.base().url + path }

// IsAt reports whether a URL is at the scheme and host of the program.
func (p *Resource) IsAt(u *url.URL) bool {
	return strings.EqualFold(u.Scheme, p.base().scheme) && address.Host(u.Scheme, u.Host) == p.base().host
}

// Handler returns a handler that authenticates requests before next. The context that next
// gets carries the principal.
func (p *Resource) Handler(next http.Handler) http.Handler { return &handler{p, next} }

type handler struct {
	*Resource
	next http.Handler
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := &Authorization{ResponseWriter: w, Context: r.Context(), resource: h.Resource, request: r}
	if r.Host != h.base().host {
		h.checkHost(r)
	}
	if err := a.authenticate(); err != nil {
		a.refuse(err)
		return
	}
	a.authorized = *r.WithContext(a) // the compiler keeps the first copy on the stack
	if h.Detached {
		a.authorized.Header = r.Header.Clone()
	}
	h.next.ServeHTTP(a, &a.authorized)
}

// checkHost logs once that a client uses another host than the metadata has. Clients
// drop metadata whose resource isn't the URL that they use (RFC 9728, section 3.3).
func (p *Resource) checkHost(r *http.Request) {
	if address.Host(p.base().scheme, r.Host) == p.base().host {
		return
	}
	p.misplaced.Do(func() {
		p.Logger.WarnContext(r.Context(), "a client uses a host that differs from Config.URL (APP_URL), so it can't log in; give it the URL, or change Config.URL",
			"host", fmt.Sprintf("%.100q", r.Host), "url", p.URL(r))
	})
}
