package transport

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A Gate passes the requests that its policy accepts to a handler. It runs before
// authentication, because CORS preflights carry no credentials.
type Gate struct {
	policy HostPolicy
	logger *slog.Logger
	next   http.Handler
	host   atomic.Pointer[string] // the last Host that the policy accepted
}

// NewGate returns a handler that checks requests with the policy, then calls next.
func NewGate(policy HostPolicy, logger *slog.Logger, next http.Handler) *Gate {
	return &Gate{policy: policy, logger: logger, next: next}
}

// ServeHTTP refuses a request, answers a preflight, or passes the request on. It checks the
// last accepted host again only if a web page sends the request, which saves 5 % of a call
// in process.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if last := g.host.Load(); last == nil || *last != r.Host || r.Header["Origin"] != nil {
		if problem := g.policy.check(r); problem != "" {
			RefuseError(g.logger, w, r, fault.WithStatus(http.StatusForbidden, "%s", problem))
			return
		}
		if !g.policy.Anywhere {
			g.host.Store(new(r.Host))
		}
	}
	if !g.policy.Open && len(g.policy.Origins) == 0 || !g.policy.cors(w, r) {
		g.next.ServeHTTP(w, r)
	}
}

// A HostPolicy refuses the requests that foreign web pages make a browser send: requests for
// another host (DNS rebinding) or from another origin.
type HostPolicy struct {
	// Hosts are the names of the server, without ports.
	Hosts []string

	// Loopback adds the loopback names, such as localhost, to Hosts.
	Loopback bool

	// Anywhere means that the names of the server are unknown. A loopback connection
	// accepts loopback names. Other connections accept every name, but no web page.
	Anywhere bool

	// Origins are the origins whose web pages may send requests, such as
	// https://app.example.com. The answers have CORS headers for them. Pages on the
	// server's own names may send requests too.
	Origins []string

	// Open lets pages of every origin send requests and read the answers, for documents
	// that are public. The host is checked all the same.
	Open bool
}

// check returns why the request is refused, or "".
func (p *HostPolicy) check(r *http.Request) string {
	if !p.knows(hostname(r.Host), r) {
		return fmt.Sprintf("The server does not answer to the host %.100q; %s", hostname(r.Host), p.remedy("AllowedHosts", "APP_ALLOWED_HOSTS"))
	}
	origins := r.Header["Origin"]
	if len(origins) == 0 {
		return ""
	}
	if len(origins) > 1 || !p.trusts(origins[0], r) {
		return fmt.Sprintf("The server does not answer to pages of the origin %.100q; %s", origins[0], p.remedy("AllowedOrigins", "APP_ALLOWED_ORIGINS"))
	}
	return ""
}

// remedy returns the part of an error text that names the setting.
func (p *HostPolicy) remedy(field, variable string) string {
	if p.Anywhere {
		return fmt.Sprintf("an App does if its Config.%s has it", field)
	}
	return fmt.Sprintf("add it to Config.%s (%s) if it should", field, variable)
}

// knows reports whether a host name is one of the server's.
func (p *HostPolicy) knows(host string, r *http.Request) bool {
	if naming.IsLoopback(host) && (p.Loopback || p.Anywhere) || p.Anywhere && !overLoopback(r) {
		return true
	}
	return slices.ContainsFunc(p.Hosts, func(known string) bool { return strings.EqualFold(known, host) })
}

// trusts reports whether pages of an origin may send requests.
func (p *HostPolicy) trusts(origin string, r *http.Request) bool {
	if p.Open || slices.Contains(p.Origins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	if p.Anywhere && !overLoopback(r) {
		return false // DNS rebinding can give a page the name of the host
	}
	return p.knows(u.Hostname(), r)
}

// cors adds the headers that let pages of the allowed origins read the answer. It answers
// a preflight, and reports whether the request was one.
func (p *HostPolicy) cors(w http.ResponseWriter, r *http.Request) (preflight bool) {
	h := w.Header()
	if p.Open {
		h.Set("Access-Control-Allow-Origin", "*")
	} else {
		h.Add("Vary", "Origin")
		origin := r.Header.Get("Origin")
		if !slices.Contains(p.Origins, origin) {
			return false
		}
		h.Set("Access-Control-Allow-Origin", origin)
	}
	h.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, Retry-After, WWW-Authenticate")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "POST, GET, DELETE")
	// Mcp-Param-* can't be listed, so the requested headers are echoed.
	if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
		h.Set("Access-Control-Allow-Headers", asked)
	}
	h.Set("Access-Control-Max-Age", "600")
	LeaveBody(w, r)
	WriteStatus(w, r, http.StatusNoContent)
	Drain(w, r)
	return true
}

// refuseNoCORS refuses a request that a page of another origin made a browser send for an
// image, a script or a link, and reports whether it did. Such a request has no Origin to
// check. The page can't read the answer, but it could hold streams open. Other origins of
// the same site are not trusted either, as in [net/http.CrossOriginProtection].
func refuseNoCORS(logger *slog.Logger, w http.ResponseWriter, r *http.Request) bool {
	if r.Header["Origin"] != nil {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none": // the user opened the URL
		return false
	}
	RefuseError(logger, w, r, fault.WithStatus(http.StatusForbidden, "The server does not answer to web pages of another origin that send no Origin; use fetch or EventSource, and allow the page's origin"))
	return true
}

// hostname returns a Host header without its port.
func hostname(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}

// overLoopback reports whether a request came over a loopback connection.
func overLoopback(r *http.Request) bool {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && addr.IP.IsLoopback()
}

// IsLocal reports whether a request seems to come from a client on the same machine. It
// can't detect a local proxy that adds no header.
func IsLocal(r *http.Request) bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via"} {
		if r.Header[name] != nil {
			return false
		}
	}
	return overLoopback(r) && naming.IsLoopback(hostname(r.Host))
}
