package dev

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/http/httputil"
	"strconv"
	"strings"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
)

// maxSeen is how many bytes of a body the proxy reads. A longer one is passed on unseen: the
// app refuses it, or has raised its limit.
const maxSeen = 16 << 20

// The JSON-RPC codes of the errors that the proxy and the relay answer with.
const (
	invalidRequest = -32600
	internalError  = -32603
)

// An exchange is one HTTP request and its answer on their way through the proxy.
type exchange struct {
	proxy   *proxy
	request *http.Request
	body    []byte          // nil if it wasn't read
	message jsonrpc.Message // of the body
	session *session        // nil without one
	program *program
	call    *call // nil if the log doesn't show it
	answer  []byte
	status  int
	lost    bool // whether the program ended before its answer

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
	e.call = newCall(&e.message, client)
	defer e.finish() // even if the client leaves and ReverseProxy panics
	if e.listens() {
		e.listen(w)
		return
	}
	e.pass(w)
}

// read reads the message of a request.
func (e *exchange) read() {
	r := e.request
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if r.Method != http.MethodPost || kind != "application/json" || r.Header.Get("Content-Encoding") != "" {
		return
	}
	var read bytes.Buffer
	if r.ContentLength > 0 && r.ContentLength <= maxSeen {
		read.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	_, err := read.ReadFrom(io.LimitReader(r.Body, maxSeen+1))
	body := read.Bytes()
	if err != nil || len(body) > maxSeen {
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
	if e.session != nil && e.body != nil {
		at, message := e.session.recipient(&e.message, e.body)
		if e.proxy.hold(at.program) {
			e.body = message
			return at.program, nil
		}
	}
	return e.proxy.acquire(e.request.Context())
}

// pass passes the request to a program, and the answer to the client.
func (e *exchange) pass(w http.ResponseWriter) {
	p, err := e.choose()
	if err != nil {
		e.refuse(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	defer e.proxy.release(p)
	e.program = p
	ctx, cancel := context.WithCancel(e.request.Context())
	defer cancel()
	if e.request.Method == http.MethodGet && strings.Contains(e.request.Header.Get("Accept"), "text/event-stream") {
		// A client of HTTP with SSE (2024-11-05) has to connect to the next program.
		defer context.AfterFunc(retirement(ctx, p), cancel)()
	}
	out := e.outgoing(ctx, p)
	if e.session != nil {
		e.session.begin(&e.message, p)
		defer e.session.end(&e.message)
	}
	(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.URL.RawQuery = "http", p.address, r.In.URL.RawQuery
			for _, name := range []string{"Forwarded", forwardedFor, "X-Forwarded-Host", "X-Forwarded-Proto"} {
				if values, ok := r.In.Header[name]; ok {
					r.Out.Header[name] = values
				}
			}
		},
		Transport: p.transport, FlushInterval: -1, BufferPool: &e.proxy.buffers, ModifyResponse: e.see, ErrorHandler: e.fail,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}).ServeHTTP(w, out)
}

// retirement returns a context that ends when a program no longer gets requests, or with ctx.
func retirement(ctx context.Context, p *program) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		select {
		case <-p.retired:
		case <-ctx.Done():
		}
	}()
	return ctx
}

// outgoing returns the request for a program, in the session that the program knows.
func (e *exchange) outgoing(ctx context.Context, p *program) *http.Request {
	out := e.request.Clone(ctx)
	if e.body != nil {
		out.Body, out.ContentLength, out.TransferEncoding = newBody(e.body), int64(len(e.body)), nil
		out.GetBody = func() (io.ReadCloser, error) { return newBody(e.body), nil }
	}
	p.addClient(out)
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
	if moved {
		out.Header.Del("Last-Event-Id") // of another program
	}
	return out
}

// see looks at the headers of an answer, and prepares to look at its messages.
func (e *exchange) see(response *http.Response) error {
	e.status = response.StatusCode
	var begun *session
	switch id := response.Header.Get("Mcp-Session-Id"); {
	case string(e.message.Method) == "initialize" && id != "" && response.StatusCode == http.StatusOK:
		begun = newSession(id, e.request, &e.message, e.program)
		e.proxy.remember(begun)
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
	if e.session == nil && begun == nil && e.call == nil {
		return nil
	}
	response.Body = newPassage(response, func(data []byte) []byte {
		var m jsonrpc.Message
		if m.Scan(data) != nil {
			return data
		}
		if begun != nil && m.Result != nil {
			begun.welcomed(&m)
		}
		if e.session != nil {
			data = marked(&m, data, e.program.generation)
		}
		if m.Kind == jsonrpc.Response {
			e.answer = bytes.Clone(data)
		}
		return data
	})
	if isEventStream(response.Header) {
		response.Header.Del("Content-Length")
	}
	return nil
}

// fail answers a request whose program gives no answer.
func (e *exchange) fail(w http.ResponseWriter, r *http.Request, err error) {
	if e.request.Context().Err() != nil {
		return // the client has left
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

// finish writes the line of a call.
func (e *exchange) finish() {
	if e.call != nil {
		e.proxy.log.ended(e.call, e.outcome())
	}
}

func (e *exchange) outcome() string {
	switch {
	case e.answer != nil:
		return outcome(e.answer)
	case e.request.Context().Err() != nil:
		return "cancelled"
	case e.lost:
		return "lost: the program ended"
	case e.status != 0 && e.status != http.StatusOK:
		return "HTTP " + strconv.Itoa(e.status)
	}
	return "no answer"
}
