package transport

import (
	"context"
	"log/slog"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// HTTP serves a core over Streamable HTTP, in both eras at one path.
type HTTP struct {
	core    *protocol.Core
	legacy  Legacy
	limits  Limits
	bodies  bodies
	logger  *slog.Logger
	idle    sync.Pool // of httpMessage
	metas   jsonrpc.MetaCache
	servers httpServers
	gone    disconnects
}

// NewHTTP returns a handler for the core. If legacy is nil, it serves only modern clients.
func NewHTTP(core *protocol.Core, legacy Legacy, limits Limits, logger *slog.Logger) *HTTP {
	bodies := bodies{size: limits.Body, time: limits.BodyTime, memory: &core.Server().Shares.Memory}
	return &HTTP{core: core, legacy: legacy, limits: limits, bodies: bodies, logger: logger}
}

// admit reports whether the rate limit admits a request. If not, admit answers it.
func (t *HTTP) admit(w http.ResponseWriter, r *http.Request) bool {
	wait := t.limits.Throttle(r, 1)
	if wait <= 0 {
		return true
	}
	RefuseError(t.logger, w, r, tooMany(wait))
	return false
}

func tooMany(wait time.Duration) *exchange.Error {
	return fault.TryAgain(wait, http.StatusTooManyRequests, "Too many requests: try again in %d s", int(wait.Seconds()))
}

// countBatch counts the messages of a batch for the rate limit, and returns its error. One
// of the messages was counted by admit.
func (t *HTTP) countBatch(r *http.Request, m *jsonrpc.Message) *exchange.Error {
	if t.limits.Throttle == nil || m.Kind != jsonrpc.Batch {
		return nil
	}
	n := 0
	for _, err := range m.Members() {
		_ = err                        // invalid messages count too
		if n++; n == limits.MaxBatch { // more are refused
			break
		}
	}
	if n < 2 {
		return nil
	}
	switch wait := t.limits.Throttle(r, n); {
	case wait < 0:
		return fault.InvalidRequest("the batch has %d messages, more than this endpoint takes at once; send fewer at a time", n)
	case wait > 0:
		return tooMany(wait)
	}
	return nil
}

// ServeHTTP serves one request.
func (t *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header["Sec-Fetch-Site"] != nil && refuseNoCORS(t.logger, w, r) {
		return
	}
	if t.limits.Throttle != nil && !t.admit(w, r) {
		return
	}
	switch r.Method {
	case http.MethodPost:
		t.post(w, r)
		return
	case http.MethodGet:
		if t.legacy != nil && !protocol.ClaimsModern(r.Header) {
			t.get(w, r)
			return
		}
	case http.MethodDelete:
		if t.legacy != nil && !protocol.ClaimsModern(r.Header) {
			t.legacy.Delete(w, r)
			return
		}
	}
	w.Header().Set("Allow", "POST")
	RefuseError(t.logger, w, r, fault.WithStatus(http.StatusMethodNotAllowed, "This endpoint takes POST requests"))
}

// httpMessage holds the state of a request while it is served. It is reused unless the answer
// streams, which saves 6 % of a call in process.
type httpMessage struct {
	arrival call.Arrival
	reply   httpReply
}

// post serves a message.
func (t *HTTP) post(w http.ResponseWriter, r *http.Request) {
	if !isJSON(r.Header) {
		RefuseError(t.logger, w, r, fault.WithStatus(http.StatusUnsupportedMediaType, "Content-Type must be application/json, and nothing else may encode the body"))
		return
	}
	json, stream := accepts(r.Header["Accept"])
	if !json && !stream {
		RefuseError(t.logger, w, r, fault.WithStatus(http.StatusNotAcceptable, "Accept must include application/json and text/event-stream"))
		return
	}
	var held throttle.Holding
	defer t.bodies.memory.Return(&held)
	body, noWriteTimeout, err := t.bodies.read(w, r, &held)
	if err != nil {
		t.unread(w, r, err)
		return
	}
	in, ok := t.idle.Get().(*httpMessage)
	if !ok {
		in = &httpMessage{}
	}
	in.arrival.HTTP = r
	if stream {
		in.arrival.KeepAlive = t.limits.KeepAlive
	}
	in.reply.w, in.reply.limits, in.reply.acceptsJSON, in.reply.acceptsStream = w, &t.limits, json, stream
	in.reply.http, in.reply.request = t, r
	in.reply.chunked, in.reply.noWriteTimeout = r.ProtoAtLeast(1, 1), noWriteTimeout
	t.serve(r.Context(), in, body)
	if in.reply.open != nil {
		in.arrival = call.Arrival{} // frees the message of a stream that is open for long
		t.bodies.memory.Return(&held)
		if in.reply.open.stops {
			t.endStreams()
		}
		if err := in.reply.Wait(r.Context()); err != nil {
			in.reply.open.disconnected(err)
		}
	}
	if in.reply.begun {
		in.reply.close()
		return
	}
	*in = httpMessage{}
	t.idle.Put(in)
}

// get serves a GET, by which an older client opens a stream.
func (t *HTTP) get(w http.ResponseWriter, r *http.Request) {
	if t.servers.add(r, t.endStreams) {
		RefuseError(t.logger, w, r, fault.ShuttingDown())
		return
	}
	_, stream := accepts(r.Header["Accept"])
	reply := &httpReply{w: w, request: r, limits: &t.limits, acceptsStream: stream}
	t.legacy.Get(w, r, reply)
	reply.close()
	if reply.open != nil {
		LeaveBody(w, r) // again, since a stream removes the deadline
	}
}

// endStreams ends the streams on which clients listen.
func (t *HTTP) endStreams() {
	t.core.EndStreams()
	if t.legacy != nil {
		t.legacy.EndStreams()
	}
}

// serve serves a message in its era.
func (t *HTTP) serve(ctx context.Context, in *httpMessage, body []byte) {
	a, reply := &in.arrival, &in.reply
	if err := a.Message.ScanTo(t.limits.Depth, body, &t.metas); err != nil {
		call.Refuse(a.Message.ID, fault.Malformed(err), t.version(a.HTTP), reply)
		return
	}
	era, refusal := protocol.Classify(&a.Message, a.HTTP.Header)
	switch {
	case refusal != nil:
		call.Refuse(a.Message.AnswerID(), refusal, spec.Newest, reply)
	case era == protocol.Modern:
		t.core.Serve(ctx, a, reply)
	case t.legacy == nil:
		call.Refuse(a.Message.AnswerID(), t.core.NoHandshake(&a.Message), spec.Newest, reply)
	default:
		t.serveOlder(ctx, in)
	}
}

// serveOlder serves a message of an older client. Its call continues if the client
// disconnects.
func (t *HTTP) serveOlder(ctx context.Context, in *httpMessage) {
	a, reply := &in.arrival, &in.reply
	if refusal := t.countBatch(a.HTTP, &a.Message); refusal != nil {
		call.Refuse(nil, refusal, t.version(a.HTTP), reply)
		return
	}
	t.gone.enter(in)
	defer t.gone.leave(in)
	t.legacy.Post(context.WithoutCancel(ctx), a, reply)
}

// version returns the version of a request whose body isn't a message.
func (t *HTTP) version(r *http.Request) spec.Version {
	if t.legacy == nil || protocol.ClaimsModern(r.Header) {
		return spec.VersionUnknown
	}
	return t.legacy.Version(r)
}

// unread answers a request whose body was not read to its end. The connection can't be
// reused.
func (t *HTTP) unread(w http.ResponseWriter, r *http.Request, err error) {
	w.Header().Set("Connection", "close")
	refusal := unreadable(err)
	if refusal.Status == http.StatusRequestTimeout { // the read deadline has passed, and a new one would keep the connection open
		logRefusal(t.logger, r, refusal.Status, refusal.Message)
		call.Refuse(nil, refusal, spec.VersionUnknown, &httpReply{w: w, request: r, acceptsJSON: true})
		return
	}
	RefuseError(t.logger, w, r, refusal)
}

// isJSON reports whether the headers announce JSON without compression.
func isJSON(h http.Header) bool {
	values := h["Content-Type"]
	if len(values) != 1 {
		return false
	}
	if encoding := h["Content-Encoding"]; encoding != nil && (len(encoding) != 1 || encoding[0] != "identity") {
		return false
	}
	if values[0] == "application/json" { // the rest costs 2 % of a call in process
		return true
	}
	kind, params, err := mime.ParseMediaType(values[0])
	charset := params["charset"]
	return err == nil && kind == "application/json" && (charset == "" || strings.EqualFold(charset, "utf-8"))
}

// accepts reports which types of answers a client accepts. Without an Accept header, it
// accepts both.
func accepts(values []string) (json, stream bool) {
	if len(values) == 0 {
		return true, true
	}
	for _, value := range values {
		if value == "application/json, text/event-stream" { // the rest costs 2 % of a call in process
			return true, true
		}
		for part := range strings.SplitSeq(value, ",") {
			kind, quality, _ := strings.Cut(part, ";")
			if q := strings.ReplaceAll(quality, " ", ""); strings.Trim(q, "0.") == "q=" {
				continue
			}
			switch strings.ToLower(strings.TrimSpace(kind)) {
			case "application/json", "application/*":
				json = true
			case "text/event-stream", "text/*":
				stream = true
			case "*/*":
				json, stream = true, true
			}
		}
	}
	return json, stream
}
