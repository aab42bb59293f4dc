package transport

import (
	"net/http"
	"sync/atomic"
)

// A Gate lets requests through to a handler that its guard has nothing against. It
// stands before everything else: a preflight has no credentials, so that what asks for
// them must not see it.
type Gate struct {
	guard Guard
	next  http.Handler
	host  atomic.Pointer[string] // the last Host that was fine
}

// NewGate returns a handler that asks the guard first.
func NewGate(guard Guard, next http.Handler) *Gate { return &Gate{guard: guard, next: next} }

// ServeHTTP refuses a request, answers it if it is a preflight, or passes it on.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if problem := g.check(r); problem != "" {
		refuse(w, r, http.StatusForbidden, problem)
		return
	}
	if !g.guard.cors(w, r) {
		g.next.ServeHTTP(w, r)
	}
}

// check asks the guard, unless the request is like the last one and not from a web
// page.
func (g *Gate) check(r *http.Request) string {
	if last := g.host.Load(); last != nil && *last == r.Host && r.Header["Origin"] == nil {
		return ""
	}
	problem := g.guard.check(r)
	if problem == "" && !g.guard.Anywhere {
		g.host.Store(new(r.Host))
	}
	return problem
}
