package endpoint

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/requestlog"
)

// A subject identifies a request to the server in the log and in events. The endpoints add the
// client and the user once they know them.
type subject struct {
	id      requestlog.ID
	address netip.Addr

	lock         sync.Mutex
	client, user string
	machine      bool // the client acts for itself
}

// Identified returns an endpoint whose requests, and those that it refuses, have an ID.
func (b *Base) Identified(e mcp.Endpoint) mcp.Endpoint {
	handler, refuse := e.Handler, e.Refuse
	e.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, b.identify(r)) })
	e.Refuse = func(w http.ResponseWriter, r *http.Request, refusal *exchange.Error) {
		refuse(w, b.identify(r), refusal)
	}
	return e
}

// identify returns a request whose log lines name it.
func (b *Base) identify(r *http.Request) *http.Request {
	if of(r.Context()) != nil {
		return r
	}
	return r.WithContext(requestlog.With(r.Context(), &subject{id: requestlog.NewID(), address: b.Address(r)}))
}

// of returns the subject of a context, or nil.
func of(ctx context.Context) *subject {
	found, _ := ctx.Value(requestlog.Key{}).(*subject)
	return found
}

// LogAttrs returns the attributes that identify the request.
func (s *subject) LogAttrs() (attrs [requestlog.MaxAttrs]slog.Attr) {
	s.lock.Lock()
	defer s.lock.Unlock()
	principal := s.user
	if s.machine {
		principal = s.client
	}
	if principal != "" {
		principal = PrincipalID(principal)
	}
	attrs[0], attrs[1] = slog.String("request", s.id.String()), slog.String("principal", cmp.Or(principal, "anonymous"))
	if s.client != "" {
		attrs[2] = slog.String("client", naming.Cut(s.client, limits.MaxLogged))
	}
	return attrs
}

// PrincipalID returns the ID of the principal of a user's tokens; see oauth.PrincipalID.
func PrincipalID(user string) string { return "oauth: " + user }

// RequestID returns the ID of a request, as its log lines have it, or "".
func RequestID(ctx context.Context) string {
	if s := of(ctx); s != nil {
		return s.id.String()
	}
	return ""
}

// SetClient adds the client that a request names to its log lines.
func SetClient(ctx context.Context, id string) { set(ctx, func(s *subject) { s.client = id }) }

// SetUser adds the user for whom a request acts to its log lines.
func SetUser(ctx context.Context, id string) { set(ctx, func(s *subject) { s.user = id }) }

// SetMachine notes that the client of a request acts for itself.
func SetMachine(ctx context.Context) { set(ctx, func(s *subject) { s.machine = true }) }

func set(ctx context.Context, change func(*subject)) {
	if s := of(ctx); s != nil {
		s.lock.Lock()
		defer s.lock.Unlock()
		change(s)
	}
}
