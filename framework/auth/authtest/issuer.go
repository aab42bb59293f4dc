package authtest

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
)

// The client and the user that each issuer starts with.
const (
	DefaultClient  = "test-client" // with the secret DefaultSecret
	DefaultSecret  = "test-secret"
	DefaultSubject = "alice"
)

// An Issuer is an authorization server for tests. Its methods can be called at any time
// and from several goroutines.
type Issuer struct {
	base      string
	product   product
	discovery map[string]any // the discovery document, without the changes of a test
	handler   http.Handler
	server    *http.Server // nil if the program serves the handler

	mu        sync.Mutex
	algorithm string
	lifetime  time.Duration
	subject   string
	keys      keyRing // for access tokens, and ID tokens unless the product has separate keys
	idKeys    keyRing
	clients   map[string]Client
	codes     map[string]authorization
	refreshes map[string]grant
	issued    map[string]map[string]any // claims of access tokens that aren't revoked
	fetches   map[Endpoint]int
	replaced  map[Endpoint]http.Handler
	metadata  map[string]any
}

// New returns an issuer that listens on a free port of 127.0.0.1. Close stops it.
func New(shape Shape) (*Issuer, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("authtest: the issuer can't listen: %w", err)
	}
	issuer, err := NewAt("http://"+listener.Addr().String(), shape)
	if err != nil {
		_ = listener.Close()
		return nil, err
	}
	issuer.server = &http.Server{Handler: issuer.handler, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = issuer.server.Serve(listener) }() // it returns when Close is called
	return issuer, nil
}

// NewAt returns an issuer for a program that serves [Issuer.Handler] itself. The base is
// the scheme, host and port at which clients reach it, such as https://login.example.com.
func NewAt(base string, shape Shape) (*Issuer, error) {
	product, err := shape.product()
	if err != nil {
		return nil, err
	}
	issuer := &Issuer{
		base: strings.TrimSuffix(base, "/"), product: product, discovery: product.discovery(strings.TrimSuffix(base, "/")),
		algorithm: jose.RS256, lifetime: time.Hour, subject: DefaultSubject,
		clients:   map[string]Client{DefaultClient: {ID: DefaultClient, Secret: DefaultSecret}},
		codes:     map[string]authorization{},
		refreshes: map[string]grant{},
		issued:    map[string]map[string]any{},
		fetches:   map[Endpoint]int{},
		replaced:  map[Endpoint]http.Handler{},
		metadata:  map[string]any{},
	}
	issuer.handler = issuer.routes()
	return issuer, nil
}

// TB is the part of testing.TB that [For] uses. A program that imports this package does
// not link package testing.
type TB interface {
	Helper()
	Fatal(args ...any)
	Cleanup(f func())
}

// For returns an issuer that listens until the test ends.
func For(t TB, shape Shape) *Issuer {
	t.Helper()
	issuer, err := New(shape)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(issuer.Close)
	return issuer
}

// URL returns the URL of the issuer: the claim iss of its tokens.
func (i *Issuer) URL() string { return i.discovery["issuer"].(string) }

// EndpointURL returns the URL of an endpoint, or "" if the product doesn't have it. For
// [DiscoveryEndpoint] it is the first document.
func (i *Issuer) EndpointURL(endpoint Endpoint) string {
	if endpoint == DiscoveryEndpoint {
		return i.base + i.product.documents[0]
	}
	address, _ := i.discovery[endpoint.member()].(string)
	if slices.Contains(i.product.closed, endpoint) {
		return ""
	}
	return address
}

// Handler returns the HTTP handler of the issuer, to be mounted at the root of its base.
func (i *Issuer) Handler() http.Handler { return i.handler }

// Close stops the issuer and closes its connections.
func (i *Issuer) Close() {
	if i.server != nil {
		_ = i.server.Close()
	}
}

// SetAlgorithm sets the algorithm of keys that the issuer makes from now on, one of
// jose.Algorithms. The default is RS256. Keys of other algorithms than RS256 and PS256 take
// much less time to make.
func (i *Issuer) SetAlgorithm(algorithm string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.algorithm = algorithm
}

// SetLifetime sets how long new access tokens are valid. The default is an hour.
func (i *Issuer) SetLifetime(lifetime time.Duration) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.lifetime = lifetime
}

// SetSubject sets the user who is logged in at the authorization endpoint, and for whom
// tokens are made. The default is [DefaultSubject].
func (i *Issuer) SetSubject(subject string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.subject = subject
}

// SetMetadata changes a member of the discovery documents, or removes it if the value is
// nil.
func (i *Issuer) SetMetadata(name string, value any) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.metadata[name] = value
}

// Replace lets a handler serve an endpoint, such as one that never answers, redirects or
// sends too much. Nil restores the endpoint.
func (i *Issuer) Replace(endpoint Endpoint, handler http.Handler) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.replaced[endpoint] = handler
}

// Fetches returns how many requests an endpoint has received. Preflight requests and
// requests to other paths don't count.
func (i *Issuer) Fetches(endpoint Endpoint) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.fetches[endpoint]
}
