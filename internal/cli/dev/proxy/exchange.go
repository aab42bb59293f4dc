package proxy

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

	"github.com/bowline-mcp/bowline/internal/cli/dev/programs"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// An exchange is one HTTP request and its answer on their way through the proxy. It is the transport
// that sends the request to a program.
type exchange struct {
	proxy    *Proxy
	in       *http.Request
	body     []byte          // nil if it wasn't read
	message  jsonrpc.Message // the message in the body
	session  *session        // nil without one
	client   *client         // the client of the session, or a client for this exchange only
	requests []*request      // the requests in the message, or the requests whose stream the client resumes
	program  *program        // held; nil before one is chosen

	listens bool          // whether the answer is a stream on which the client listens
	out     *http.Request // for a program
	moved   bool          // whether another program has had the request

	status      int
	unavailable string // why no program got the request, "" if one did
	lost        bool   // whether the program ended before its answer
	unseen      bool   // whether a part of the answer was too long to look at
	resumable   bool   // whether the client has the id of an event of the answer
	stream      string // the part of that id that all events of the answer have
	resumed     bool   // whether the client resumes the stream of a call
}

// ServeHTTP serves a request.
func (x *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e := &exchange{proxy: x, in: r}
	e.read()
	e.begin()
	defer e.end() // even if the client leaves and ReverseProxy panics
	(&httputil.ReverseProxy{
		Rewrite: e.rewrite, Transport: e, FlushInterval: -1, ErrorHandler: e.refuse,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}).ServeHTTP(w, r)
}

// read reads the message of the request.
func (e *exchange) read() {
	r := e.in
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if r.Method != http.MethodPost || kind != "application/json" || r.Header.Get("Content-Encoding") != "" {
		return
	}
	e.body, r.Body, _ = look(r.Body, e.proxy.seenLimit) // the program gets the error too
	if e.message.Scan(e.body) != nil {
		e.message = jsonrpc.Message{} // the app says what is wrong
	}
}

// look returns a body of up to limit bytes, and a reader of the same body. The bytes are nil if the
// body is longer.
func look(body io.ReadCloser, limit int) (seen []byte, all io.ReadCloser, err error) {
	read, err := io.ReadAll(io.LimitReader(body, int64(limit)+1))
	if err == nil && len(read) <= limit {
		seen = read
	}
	return seen, struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(read), body), body}, err
}

// begin finds the session of the request, and the program if the client resumes the stream of a
// call.
func (e *exchange) begin() {
	x := e.proxy
	x.Lock()
	defer x.Unlock()
	if e.session = x.sessions[e.in.Header.Get(sessionID)]; e.session == nil {
		e.client = x.NewClient()
	} else {
		e.client = e.session.client
	}
	e.requests = e.client.Requests(&e.message)
	e.listens = len(e.requests) == 1 && e.requests[0].Stream != nil
	if e.session != nil && e.in.Method == http.MethodGet {
		e.listens = !e.resume()
	}
}

// end ends the exchange. Requests whose answer the client may fetch on another connection stay.
func (e *exchange) end() {
	outcome := e.outcome()
	e.proxy.Lock()
	defer e.proxy.Unlock()
	for _, r := range e.requests {
		r.Detach(e.resumed || e.resumable && !e.lost, outcome)
	}
	e.release()
}

// release releases the program. The caller holds the lock.
func (e *exchange) release() {
	if e.program != nil {
		e.proxy.Release(e.program)
		e.program = nil
	}
}

// rewrite keeps the query, and the headers of proxies before mcp dev.
func (*exchange) rewrite(r *httputil.ProxyRequest) {
	r.Out.URL.RawQuery = r.In.URL.RawQuery
	for _, name := range []string{"Forwarded", forwardedFor, "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if values, ok := r.In.Header[name]; ok {
			r.Out.Header[name] = values
		}
	}
}

// RoundTrip sends the request to a program, and returns the answer.
func (e *exchange) RoundTrip(out *http.Request) (*http.Response, error) {
	e.out = out
	response, err := e.send()
	if err != nil {
		return nil, err
	}
	e.see(response)
	if e.session == nil && len(e.requests) == 0 {
		return response, nil
	}
	if isEventStream(response) {
		response.Header.Del("Content-Length")
		body := &eventBody{exchange: e}
		body.open(response.Body)
		response.Body = body
		return response, nil
	}
	answer, body, err := look(response.Body, e.proxy.seenLimit)
	var m jsonrpc.Message
	if response.Body = body; m.Scan(answer) == nil {
		e.passed(&m)
	}
	e.unseen = err == nil && answer == nil
	return response, nil
}

// An unavailableError says why no program gets a request.
type unavailableError struct{ error }

// send sends the request to a program: to the next one if the first one has just ended, or if
// another one has replaced it and the client listens.
func (e *exchange) send() (*http.Response, error) {
	for {
		if e.program == nil {
			p, err := e.client.Choose(e.in.Context(), &e.message)
			e.proxy.Unlock()
			if err != nil {
				return nil, unavailableError{err}
			}
			e.program = p
		}
		response, err := e.sendTo(e.program)
		if err == nil {
			return response, nil
		}
		refused := new(net.OpError)
		unsent := errors.As(err, &refused) && refused.Op == "dial" && len(e.requests) > 0
		switch {
		case e.resumed:
			return e.lostStream(err)
		case !unsent && !e.listens || !e.isReplaced():
			return nil, err
		}
		e.move()
	}
}

// isReplaced reports whether the next program gets the request, after the end of a connection to a
// program.
func (e *exchange) isReplaced() bool {
	return e.in.Context().Err() == nil && programs.ClosesSoon(e.program.Retired.Done())
}

// move leaves the program for the next one.
func (e *exchange) move() {
	e.proxy.Lock()
	defer e.proxy.Unlock()
	e.release()
	e.moved = true
	for _, r := range e.requests {
		if r.Stream != nil {
			r.Stream.Moved = true
		}
	}
}

// sendTo sends the request to a program.
func (e *exchange) sendTo(p *program) (*http.Response, error) {
	if e.resumed && p.HasExited() {
		return nil, io.EOF
	}
	ctx := e.out.Context()
	if e.listens || e.in.Method == http.MethodGet && e.session == nil && strings.Contains(e.in.Header.Get("Accept"), "text/event-stream") {
		untilRetired, cancel := context.WithCancel(ctx) // a client of HTTP with SSE (2024-11-05) has to connect to the next program
		context.AfterFunc(p.Retired, cancel)
		ctx = untilRetired
	}
	out := e.out.Clone(ctx)
	out.URL.Scheme, out.URL.Host = "http", p.Transport.address
	if e.body != nil {
		out.Body, out.ContentLength, out.TransferEncoding = io.NopCloser(bytes.NewReader(e.body)), int64(len(e.body)), nil
		out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(e.body)), nil }
	}
	p.Transport.addClient(out.Header, e.in.RemoteAddr)
	if e.session != nil {
		e.enter(p, out)
	}
	e.proxy.Lock()
	if !e.resumed {
		e.client.Begin(p, &e.message, e.requests)
	}
	e.proxy.Unlock()
	// A handler may close the stream of a session's call (SEP-1699), and the program then closes the
	// connection. Another request could be on its way on that one.
	if e.session != nil && e.in.Method == http.MethodPost {
		return p.Transport.unshared.RoundTrip(out)
	}
	return p.Transport.shared.RoundTrip(out)
}

// enter makes a request one in the session that a program knows.
func (e *exchange) enter(p *program, out *http.Request) {
	id, moved, err := e.proxy.connect(out.Context(), e.session, p, e.in)
	switch {
	case err != nil: // the program answers with 404, and the client begins again
		out.Header.Set(sessionID, "not-moved") // the program would know the session's own id, which is sealed
		if out.Context().Err() == nil {
			e.proxy.Log.Printf("%v", err)
		}
		return
	case id == "":
		out.Header.Del(sessionID)
	default:
		out.Header.Set(sessionID, id)
	}
	if moved || e.moved {
		out.Header.Del(lastEventID) // another program sent the event
	}
}

// see looks at the headers of an answer.
func (e *exchange) see(response *http.Response) {
	e.status = response.StatusCode
	e.proxy.Lock()
	defer e.proxy.Unlock()
	switch id := response.Header.Get(sessionID); {
	case string(e.message.Method) == "initialize" && id != "" && e.status == http.StatusOK:
		e.proxy.remember(newSession(id, e.in, e.client, e.program))
	case e.session == nil:
	case e.status == http.StatusNotFound:
		if e.session.isOf(e.in) {
			e.proxy.forget(e.session)
		}
	case e.status >= 300:
	case e.in.Method == http.MethodDelete:
		e.proxy.forget(e.session)
	default:
		e.session.digest = digestOf(e.in) // a client gets new tokens while its session lasts
	}
}

// passed notes a message of an answer.
func (e *exchange) passed(m *jsonrpc.Message) {
	e.proxy.Lock()
	defer e.proxy.Unlock()
	for member := range programs.Messages(m) {
		e.client.Asked(e.program, member)
		if member.Kind != jsonrpc.Response {
			continue
		}
		for _, r := range e.requests {
			if r.ID == string(member.ID) || len(e.requests) == 1 && !e.resumed && (member.ID == nil || string(member.ID) == "null") {
				r.Answer(member)
				break
			}
		}
	}
}

// refuse answers a request whose program gives no answer, or for which there is no program.
func (e *exchange) refuse(w http.ResponseWriter, _ *http.Request, err error) {
	if e.in.Context().Err() != nil {
		return // the client has left
	}
	reason := err.Error()
	if e.status = http.StatusServiceUnavailable; errors.As(err, new(unavailableError)) {
		e.unavailable = reason
	} else {
		e.status, e.lost = http.StatusBadGateway, true
		reason = "the program ended before it answered: " + reason + "; mcp dev shows its log"
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(e.status)
	_, _ = w.Write(jsonrpc.AppendError(nil, e.message.AnswerID(), programs.InternalError, reason, nil))
}

// outcome describes the end of a request without an answer.
func (e *exchange) outcome() programs.Outcome {
	switch {
	case e.unseen:
		return programs.Outcome{Name: "ok", Reason: fmt.Sprintf("an answer of more than %d MiB", e.proxy.seenLimit>>20), Reported: true}
	case e.in.Context().Err() != nil && e.session == nil:
		return programs.Canceled()
	case e.in.Context().Err() != nil:
		return programs.Left() // its call goes on
	case e.lost:
		return programs.Lost()
	case e.unavailable != "":
		return programs.Outcome{Name: "failed", Reason: e.unavailable}
	case e.status >= http.StatusInternalServerError:
		return programs.Outcome{Name: "failed", Reason: "HTTP " + strconv.Itoa(e.status), Reported: true}
	case e.status != 0 && e.status != http.StatusOK:
		return programs.Outcome{Name: "refused", Reason: "HTTP " + strconv.Itoa(e.status), Reported: true}
	}
	return programs.Outcome{Name: "no answer", Reported: true}
}
