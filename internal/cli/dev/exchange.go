package dev

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/http/httputil"
	"strconv"
	"strings"

	"github.com/bowline-mcp/bowline/internal/cli/dev/eventstream"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// maxSeen is how many bytes of a body the proxy reads. A longer one is passed on unseen: the
// app refuses it, or has raised its limit.
const maxSeen = 16 << 20

// The JSON-RPC codes of the errors that the proxy and the relay answer with.
const (
	parseError     = -32700
	invalidRequest = -32600
	internalError  = -32603
)

// An exchange is one HTTP request and its answer on their way through the proxy.
type exchange struct {
	proxy    *proxy
	request  *http.Request
	body     []byte          // nil if it wasn't read
	message  jsonrpc.Message // of the body
	session  *session        // nil without one
	program  *program
	requests []*pending // in the message
	status   int
	lost     bool // whether the program ended before its answer
	unsent   bool // whether the program ended before it could get the request
	unseen   bool // whether a part of the answer was too long to look at

	// Of a stream of a session's call.
	lastEvent string // the id of the event after which the client resumes it, as the program knows it
	resumable bool   // whether the client has the id of an event

	// Of a stream on which the client listens.
	begun        bool // whether the client has the headers of the answer
	acknowledged bool // whether the client has the acknowledgement
}

// ServeHTTP serves a request.
func (x *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e := &exchange{proxy: x, request: r, session: x.session(r)}
	e.read()
	client := ""
	if e.session != nil {
		client = e.session.client()
	}
	e.requests = newPending(&e.message, client)
	defer e.finish() // even if the client leaves and ReverseProxy panics
	switch {
	case e.resume(w):
	case e.listens():
		e.listen(w)
	default:
		e.pass(w)
	}
}

// read reads the message of a request.
func (e *exchange) read() {
	r := e.request
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if r.Method != http.MethodPost || kind != "application/json" || r.Header.Get("Content-Encoding") != "" {
		return
	}
	var read bytes.Buffer
	if r.ContentLength > 0 && r.ContentLength <= int64(e.proxy.seenLimit) {
		read.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	_, err := read.ReadFrom(io.LimitReader(r.Body, int64(e.proxy.seenLimit)+1))
	body := read.Bytes()
	if err != nil || len(body) > e.proxy.seenLimit {
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
		return
	}
	e.body = body
	if e.message.Scan(body) != nil {
		e.message = jsonrpc.Message{} // the app says what is wrong
	}
}

// choose returns the program that gets the request, which must be released.
func (e *exchange) choose() (*program, error) {
	if e.session == nil {
		return e.proxy.acquire(e.request.Context())
	}
	m := &e.message
	switch {
	case m.Kind == jsonrpc.Response:
		if p, id := e.session.asker(m.ID); e.proxy.hold(p) {
			e.body = replaced(e.body, "id", id)
			return p, nil
		}
	case m.Kind == jsonrpc.Notification && string(m.Method) == "notifications/cancelled":
		if r := e.session.request(m.RequestID); r != nil && e.proxy.hold(r.program) {
			e.proxy.finish(r, cancelledCall)
			return r.program, nil
		}
	}
	return e.proxy.acquire(e.request.Context())
}

// pass passes the request to a program, and the answer to the client. The next program gets it if
// the first one has just ended.
func (e *exchange) pass(w http.ResponseWriter) {
	for again := true; again; again = e.unsent {
		e.unsent = false
		e.passOnce(w)
	}
}

func (e *exchange) passOnce(w http.ResponseWriter) {
	p, err := e.choose()
	if err != nil {
		e.refuse(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	defer e.proxy.release(p)
	ctx, cancel := context.WithCancel(e.request.Context())
	defer cancel()
	if e.request.Method == http.MethodGet && strings.Contains(e.request.Header.Get("Accept"), "text/event-stream") {
		// A client of HTTP with SSE (2024-11-05) has to connect to the next program.
		defer context.AfterFunc(retirement(ctx, p), cancel)()
	}
	e.passTo(ctx, p, w)
}

// passTo passes the request to a program that the caller holds, and the answer to the client.
func (e *exchange) passTo(ctx context.Context, p *program, w http.ResponseWriter) {
	e.program = p
	for _, r := range e.requests {
		r.program = p
	}
	out := e.outgoing(ctx, p)
	if e.session != nil {
		e.session.begin(&e.message, e.requests)
	}
	defer e.end() // the requests are noted while the program is held
	(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.URL.RawQuery = "http", p.address, r.In.URL.RawQuery
			for _, name := range []string{"Forwarded", forwardedFor, "X-Forwarded-Host", "X-Forwarded-Proto"} {
				if values, ok := r.In.Header[name]; ok {
					r.Out.Header[name] = values
				}
			}
		},
		Transport: e.transport(), FlushInterval: -1, BufferPool: &e.proxy.buffers, ModifyResponse: e.see, ErrorHandler: e.fail,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}).ServeHTTP(w, out)
}

// transport returns the transport of the request. A handler may close the stream of a session's
// call (SEP-1699), and the program then closes the connection. Another request could be on its way
// on that one.
func (e *exchange) transport() *http.Transport {
	if e.session != nil && e.request.Method == http.MethodPost {
		return e.program.unshared
	}
	return e.program.transport
}

// outgoing returns the request for a program, in the session that the program knows.
func (e *exchange) outgoing(ctx context.Context, p *program) *http.Request {
	out := e.request.Clone(ctx)
	if e.body != nil {
		out.Body, out.ContentLength, out.TransferEncoding = newBody(e.body), int64(len(e.body)), nil
		out.GetBody = func() (io.ReadCloser, error) { return newBody(e.body), nil }
	}
	p.addClient(out.Header, out.RemoteAddr)
	if e.session == nil {
		return out
	}
	id, moved, err := e.session.connect(ctx, p, e.request)
	switch {
	case err != nil: // the program answers with 404, and the client begins again
		if ctx.Err() == nil {
			e.proxy.log.printf("%v", err)
		}
		return out
	case id == "":
		out.Header.Del("Mcp-Session-Id")
	default:
		out.Header.Set("Mcp-Session-Id", id)
	}
	switch {
	case e.lastEvent != "":
		out.Header.Set(lastEventID, e.lastEvent)
	case moved:
		out.Header.Del(lastEventID) // of another program
	}
	return out
}

// see looks at the headers of an answer, and prepares to look at its messages.
func (e *exchange) see(response *http.Response) error {
	e.status = response.StatusCode
	switch id := response.Header.Get("Mcp-Session-Id"); {
	case string(e.message.Method) == "initialize" && id != "" && response.StatusCode == http.StatusOK:
		e.proxy.remember(newSession(id, e.request, &e.message, e.program))
	case e.session == nil:
	case response.StatusCode == http.StatusNotFound:
		if e.session.isOf(e.request) {
			e.proxy.forget(e.session)
		}
	case response.StatusCode >= 300:
	case e.request.Method == http.MethodDelete:
		e.proxy.forget(e.session)
	default:
		e.session.accepted(e.request)
	}
	if e.session == nil && len(e.requests) == 0 {
		return nil
	}
	response.Body = newAnswerBody(e, response)
	if isEventStream(response.Header) {
		response.Header.Del("Content-Length")
	}
	return nil
}

// passed notes an event of an answer, and returns it as the client gets it. In a session, ids of
// events and of questions name the program.
func (e *exchange) passed(event eventstream.Event) eventstream.Event {
	if id := event.ID(); id != nil && e.session != nil {
		e.resumable = true
		event = event.With("id", []byte(mark(id, e.program.generation)))
	}
	data := event.Data()
	var m jsonrpc.Message
	if len(data) == 0 || m.Scan(data) != nil {
		return event
	}
	e.answered(&m)
	if e.session != nil {
		if seen := marked(&m, data, e.program.generation); !bytes.Equal(seen, data) {
			event = event.With("data", seen)
		}
	}
	return event
}

// answered notes a message of an answer, which may end requests.
func (e *exchange) answered(m *jsonrpc.Message) {
	for m := range messages(m) {
		if m.Kind != jsonrpc.Response {
			continue
		}
		if r := e.answers(m); r != nil {
			if e.session != nil && r.call == nil {
				e.session.answered(m)
			}
			e.proxy.finish(r, outcome(m))
		}
	}
}

// answers returns the request that a message answers, or nil.
func (e *exchange) answers(m *jsonrpc.Message) *pending {
	for _, r := range e.requests {
		if r.id == string(m.ID) || len(e.requests) == 1 && (m.ID == nil || string(m.ID) == "null") {
			return r
		}
	}
	if e.session != nil && e.lastEvent != "" {
		return e.session.request(m.ID)
	}
	return nil
}

// fail answers a request whose program gives no answer.
func (e *exchange) fail(w http.ResponseWriter, _ *http.Request, err error) {
	if e.request.Context().Err() != nil {
		return // the client has left
	}
	if dial := new(net.OpError); errors.As(err, &dial) && dial.Op == "dial" && len(e.requests) > 0 && closesSoon(e.program.retired) {
		e.unsent = true
		return
	}
	e.lost = true
	e.refuse(w, http.StatusBadGateway, "the program ended before it answered: "+err.Error()+"; mcp dev shows its log")
}

// refuse answers a request with an error.
func (e *exchange) refuse(w http.ResponseWriter, status int, reason string) {
	e.status = status
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(status)
	_, _ = w.Write(jsonrpc.AppendError(nil, e.message.AnswerID(), internalError, reason, nil))
}

// end ends the exchange with a program. Requests whose answer the client may fetch on another
// connection stay.
func (e *exchange) end() {
	if e.unsent {
		return
	}
	for _, r := range e.requests {
		if !e.resumable || e.lost || !e.proxy.keep(r) {
			e.proxy.finish(r, e.outcome())
		}
	}
}

// finish ends the requests that no program got.
func (e *exchange) finish() {
	for _, r := range e.requests {
		if r.program == nil {
			e.proxy.finish(r, e.outcome())
		}
	}
}

// outcome describes the end of a request without an answer.
func (e *exchange) outcome() string {
	switch {
	case e.unseen:
		return fmt.Sprintf("an answer of more than %d MiB", e.proxy.seenLimit>>20)
	case e.request.Context().Err() != nil && e.session == nil:
		return cancelledCall
	case e.request.Context().Err() != nil:
		return leftCall // its call goes on
	case e.lost:
		return lostCall
	case e.status != 0 && e.status != http.StatusOK:
		return "HTTP " + strconv.Itoa(e.status)
	}
	return "no answer"
}
