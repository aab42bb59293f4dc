package transport

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// SSE serves a core over HTTP with SSE, the transport of protocol version 2024-11-05. A
// client opens a stream of events. The first event names the endpoint to which the client
// posts its messages. All answers are events of the stream. The session ends with the
// stream's connection.
type SSE struct {
	http    *HTTP
	limit   int    // the most open streams
	prefix  string // the path of the program's URL, which a proxy removes
	servers httpServers

	lock   sync.Mutex
	open   map[string]*sseSession
	closed bool // whether the program is stopping
}

// The paths of the two endpoints, below the path of the route.
const (
	EventsPath   = "/sse"
	MessagesPath = "/messages"
)

// NewSSE returns the two endpoints. They check and throttle requests as h does. The prefix is
// the decoded path of the program's URL, without a slash at its end. A proxy removes it from
// requests, so the event endpoint adds it again.
func NewSSE(h *HTTP, limit int, prefix string) *SSE {
	t := &SSE{http: h, limit: limit, prefix: prefix, open: map[string]*sseSession{}}
	h.core.Server().Lifecycle.AtDrain(func() {
		t.lock.Lock()
		t.closed = true
		t.lock.Unlock()
		t.endStreams()
	})
	return t
}

// An sseSession serves the client of one stream. The client's messages arrive in other
// requests.
type sseSession struct {
	*Custom
	principal string
	path      string             // the route's path
	end       context.CancelFunc // ends the stream after its calls
}

// admit reports whether an endpoint takes a request. If not, admit answers it.
func (t *SSE) admit(w http.ResponseWriter, r *http.Request, method, otherwise string) bool {
	if refuseNoCORS(t.http.logger, w, r) || t.http.limits.Throttle != nil && !t.http.admit(w, r) {
		return false
	}
	if r.Method != method {
		w.Header().Set("Allow", method)
		RefuseError(t.http.logger, w, r, fault.WithStatus(http.StatusMethodNotAllowed, "%s", otherwise))
	}
	return r.Method == method
}

// Events serves the stream.
func (t *SSE) Events(w http.ResponseWriter, r *http.Request) {
	if !t.admit(w, r, http.MethodGet, "This endpoint is a stream of events; GET it") {
		return
	}
	if _, stream := accepts(r.Header["Accept"]); !stream {
		RefuseError(t.http.logger, w, r, fault.WithStatus(http.StatusNotAcceptable, "Accept must include text/event-stream"))
		return
	}
	if t.servers.add(r, t.endStreams) {
		RefuseError(t.http.logger, w, r, fault.ShuttingDown())
		return
	}
	var held throttle.Stream
	shares := t.http.core.Server().Shares
	if refusal := shares.Open(&held, r); refusal != nil {
		RefuseError(t.http.logger, w, r, refusal)
		return
	}
	defer shares.Close(&held)
	LeaveBody(w, r)
	reply := &httpReply{w: w, request: r, limits: &t.http.limits, acceptsStream: true}
	ctx, end := context.WithCancel(context.WithoutCancel(r.Context()))
	defer end()
	id := rand.Text()
	session := &sseSession{t.custom(id, r, reply), t.http.core.Server().Principal(ctx), routePath(r), end}
	if problem := t.enter(id, session); problem != "" {
		RefuseError(t.http.logger, w, r, fault.TryAgain(limits.RetryFull, http.StatusServiceUnavailable, "%s", problem))
		return
	}
	defer t.leave(id)
	gone := context.AfterFunc(r.Context(), func() {
		session.End()
		session.conn.drop()
	})
	defer gone()
	ctx, stop := whileAuthorized(ctx, r)
	defer stop()
	if err := session.Serve(ctx, func(context.Context) error { return reply.endpointEvent(t.messagesPath(r), id) }); err != nil && r.Context().Err() == nil {
		t.http.logger.WarnContext(ctx, "a stream was closed", "error", err)
	}
	reply.close()
	LeaveBody(w, r) // again, since the stream removes the deadline
}

// custom returns the server of a session's messages.
func (t *SSE) custom(id string, r *http.Request, reply *httpReply) *Custom {
	own := t.http.limits
	own.Line, own.Calls = int(own.Body), min(own.Calls, limits.SSECalls)
	c := newCustom(t.http.core, t.http.legacy, id, eventSender{reply}, own, t.http.logger)
	c.conn.request = r
	c.conn.apart = func(time.Time) { reply.Apart() }
	return c
}

// endpointEvent begins the stream with the event that names the endpoint for messages.
func (r *httpReply) endpointEvent(path, id string) error {
	r.Open()
	return r.namedEvent("endpoint", []byte(path+"?sessionId="+id))
}

// messagesPath returns the path of the endpoint for messages as the client sees it, escaped.
func (t *SSE) messagesPath(r *http.Request) string {
	path := *r.URL
	if asked, err := url.ParseRequestURI(r.RequestURI); err == nil { // before middleware rewrote the path
		asked.Path, asked.RawPath = strings.TrimSuffix(asked.Path, "/"), strings.TrimSuffix(asked.RawPath, "/")
		// What the program itself has removed, such as by http.StripPrefix, may be the end of
		// the prefix already.
		removed, ok := strings.CutSuffix(asked.Path, r.URL.Path)
		if !ok || removed == "" || !strings.HasSuffix(t.prefix, removed) {
			path = *asked
		}
	}
	escaped := path.EscapedPath()
	escaped = escaped[:strings.LastIndexByte(escaped, '/')] // up to EventsPath, however it is escaped
	return (&url.URL{Path: t.prefix}).EscapedPath() + escaped + MessagesPath
}

// routePath returns the path of the route to whose endpoints a request is. A route with
// parameters has several.
func routePath(r *http.Request) string { return r.URL.Path[:strings.LastIndexByte(r.URL.Path, '/')+1] }

// enter adds a session, or returns why it can't.
func (t *SSE) enter(id string, session *sseSession) string {
	t.lock.Lock()
	defer t.lock.Unlock()
	switch {
	case t.closed:
		return fault.Stopping
	case len(t.open) >= t.limit:
		return fmt.Sprintf("The server has %d streams open, the maximum; try again later", t.limit)
	}
	t.open[id] = session
	return ""
}

func (t *SSE) leave(id string) {
	t.lock.Lock()
	defer t.lock.Unlock()
	if delete(t.open, id); len(t.open) == 0 {
		t.open = map[string]*sseSession{} // a map doesn't shrink
	}
}

// endStreams ends each stream when its calls have ended.
func (t *SSE) endStreams() {
	t.lock.Lock()
	defer t.lock.Unlock()
	for _, session := range t.open {
		session.end()
	}
}

// Messages serves the endpoint for messages.
func (t *SSE) Messages(w http.ResponseWriter, r *http.Request) {
	if !t.admit(w, r, http.MethodPost, "This endpoint takes POST requests") {
		return
	}
	if !isJSON(r.Header) {
		RefuseError(t.http.logger, w, r, fault.WithStatus(http.StatusUnsupportedMediaType, "Content-Type must be application/json, and nothing else may encode the body"))
		return
	}
	t.lock.Lock()
	session := t.open[r.URL.Query().Get("sessionId")]
	t.lock.Unlock()
	if session == nil || session.path != routePath(r) || session.principal != t.http.core.Server().Principal(r.Context()) {
		RefuseError(t.http.logger, w, r, fault.WithStatus(http.StatusNotFound, "The session is not known, or has ended; GET a new stream"))
		return
	}
	var held throttle.Holding
	defer t.http.bodies.memory.Return(&held)
	body, _, err := t.http.bodies.read(w, r, &held)
	if err != nil {
		t.http.unread(w, r, err)
		return
	}
	if t.http.limits.Throttle != nil {
		var m jsonrpc.Message
		_ = m.ScanTo(t.http.limits.Depth, body, nil) // the session refuses an invalid message
		if refusal := t.http.countBatch(r, &m); refusal != nil {
			RefuseError(t.http.logger, w, r, refusal)
			return
		}
	}
	principal := exchange.PrincipalFrom(r.Context()) // its token may have more scopes than the stream's
	session.deliver(delivery{body, &principal})
	WriteStatus(w, r, http.StatusAccepted)
}

// An eventSender sends messages as the events of a stream.
type eventSender struct{ reply *httpReply }

// Send sends a message.
func (e eventSender) Send(_ context.Context, message []byte) error {
	return e.reply.namedEvent("message", message)
}

// Close ends the stream.
func (e eventSender) Close() error {
	e.reply.Disconnect(0)
	return nil
}

// notOverEvents returns the error for a modern message over HTTP with SSE.
func notOverEvents() *exchange.Error {
	return &exchange.Error{
		Code: exchange.CodeInvalidRequest, Message: "Invalid request: the protocol version " + spec.Newest.String() + " is not supported over HTTP with SSE; POST to the endpoint without " + EventsPath,
	}
}
