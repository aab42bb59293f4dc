package mcp

import (
	"net/http"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/servers"
)

// A Route is a server at an HTTP path.
type Route struct {
	router     *Router
	path       string
	server     servers.Interface
	guards     []Guard
	public     bool
	middleware []func(http.Handler) http.Handler
	throttle   *throttling
	legacySSE  bool
}

// throttling is the rate limit for each client.
type throttling struct {
	n     int
	per   time.Duration
	burst []int
}

// Throttle allows each client n HTTP requests per duration to the route. The burst, n by
// default, is the number of requests that may arrive at once. Further requests get the
// status 429, with a Retry-After header, before their body is read. Each message of a
// batch counts, and a batch with more messages than the burst gets 400. Only clients of
// 2025-03-26 send batches.
//
// A client is identified by its principal, which a guard returns or middleware stores in
// the context (exchange.WithPrincipal), or by its address if it is anonymous (see
// Config.TrustedProxies). A request that a guard refuses doesn't count. The route remembers 10 000 clients. To limit one tool, or
// clients on stdio, use guardrails.RateLimit.
func (r *Route) Throttle(n int, per time.Duration, burst ...int) *Route {
	r.throttle = &throttling{n, per, burst}
	return r
}

// LegacySSE also serves the route to clients that support only the transport of protocol
// version 2024-11-05, HTTP with SSE. It adds two paths below the route's path:
//
//	GET  /mcp/demo/sse        a stream of events; the first one, endpoint, has the other path
//	POST /mcp/demo/messages   accepts a message with 202; the answer is an event of the stream
//
// The session lasts as long as the stream and belongs to its principal. Handlers see the
// request that opened the stream: its address, its path, and the values that middleware
// stored in its context. Of a POST they see only the message and the principal. Config.Sessions limits the
// number of streams; each runs at most 16 calls at once. Clients of later versions don't
// need LegacySSE.
func (r *Route) LegacySSE() *Route {
	r.legacySSE = true
	return r
}

// Use adds middleware to the route. It runs after the router's middleware, in the given
// order.
func (r *Route) Use(middleware ...func(http.Handler) http.Handler) *Route {
	r.middleware = append(r.middleware, middleware...)
	return r
}

// prefix returns what precedes the route's path: the prefixes of its groups.
func (r *Route) prefix() (prefix string) {
	for router := r.router; router != nil; router = router.parent {
		prefix = router.prefix + prefix
	}
	return prefix
}

// fullPath returns the path of the route in the program.
func (r *Route) fullPath() string { return r.prefix() + r.path }

// below returns a path below the route's own.
func (r *Route) below(path string) string { return strings.TrimSuffix(r.path, "/") + path }
