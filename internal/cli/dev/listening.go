package dev

import (
	"io"
	"maps"
	"net/http"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/dev/eventstream"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// acknowledged is the method of the first message of a stream (specification: Subscriptions).
const acknowledged = "notifications/subscriptions/acknowledged"

// listens reports whether the request opens a stream on which the client listens.
func (e *exchange) listens() bool {
	if e.request.Method == http.MethodGet {
		return e.session != nil
	}
	return e.message.Kind == jsonrpc.Request && string(e.message.Method) == "subscriptions/listen"
}

// listen serves a stream on which the client listens. When another program serves, the
// stream continues there, and the client hears that the lists have changed.
func (e *exchange) listen(w http.ResponseWriter) {
	if e.session != nil {
		e.session.listens(1)
		defer e.session.listens(-1)
	}
	for first := true; ; first = false {
		p, err := e.proxy.acquire(e.request.Context())
		if err != nil {
			if !e.begun {
				e.refuse(w, http.StatusServiceUnavailable, err.Error())
			}
			return
		}
		again := e.listenAt(w, p, first)
		e.proxy.release(p)
		if !again {
			return
		}
	}
}

// listenAt serves the stream until another program serves. It reports false if the stream has
// ended. First is false for the programs after the one that the request arrived for.
func (e *exchange) listenAt(w http.ResponseWriter, p *program, first bool) (again bool) {
	e.program = p
	out := e.outgoing(retirement(e.request.Context(), p), p)
	out.URL.Scheme, out.URL.Host = "http", p.address
	out.Header.Del("Connection")
	if !first {
		out.Header.Del("Last-Event-Id")
	}
	response, err := p.transport.RoundTrip(out)
	if err != nil {
		if e.continues(p) {
			return true
		}
		if !e.begun {
			e.fail(w, e.request, err)
		}
		return false
	}
	defer func() { _ = response.Body.Close() }()
	listening := response.StatusCode == http.StatusOK && isEventStream(response.Header)
	if !e.begun {
		e.begun = true
		maps.Copy(w.Header(), response.Header)
		w.WriteHeader(response.StatusCode)
		if !listening {
			_, _ = io.Copy(w, response.Body)
		}
	}
	if !listening {
		return false
	}
	flush(w)
	if !first && e.request.Method == http.MethodGet && !e.listsChanged(w) {
		return false
	}
	for stream := eventstream.NewReader(response.Body, e.proxy.seenLimit); ; {
		event, complete, err := stream.Next()
		if err != nil {
			return e.continues(p)
		}
		if !e.forward(w, event, complete, first) {
			return false
		}
		flush(w)
	}
}

// forward writes an event of a stream to the client. The client gets one acknowledgement, before
// anything else; each program after the first one makes the client hear that lists have changed.
func (e *exchange) forward(w http.ResponseWriter, event eventstream.Event, complete, first bool) bool {
	data := event.Data()
	var m jsonrpc.Message
	if !complete || len(data) == 0 || m.Scan(data) != nil {
		_, err := w.Write(event)
		return err == nil
	}
	acknowledges := string(m.Method) == acknowledged
	if m.Kind == jsonrpc.Request {
		event = event.With("data", marked(&m, data, e.program.generation))
	}
	if !acknowledges || !e.acknowledged {
		if _, err := w.Write(event); err != nil {
			return false
		}
	}
	if !acknowledges {
		return true
	}
	e.acknowledged = true
	return first || e.listsChanged(w)
}

// continues reports whether a stream that ended at a program continues at another one.
func (e *exchange) continues(p *program) bool {
	return e.request.Context().Err() == nil && closesSoon(p.retired)
}

// closingLimit is how long the end of a process is awaited after the end of its connections.
const closingLimit = time.Second

// closesSoon waits for a channel that is closed when a process has ended, since its connections end
// before. It reports whether the channel was closed within closingLimit.
func closesSoon(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	case <-time.After(closingLimit):
		return false
	}
}

// listsChanged tells the client that lists may have changed.
func (e *exchange) listsChanged(w http.ResponseWriter) bool {
	var changed [][]byte
	if e.request.Method == http.MethodGet {
		changed = e.session.announced().changed(nil)
	} else {
		changed = wantedIn(e.message.Params).changed(e.message.ID)
	}
	for _, message := range changed {
		if _, err := w.Write(eventstream.Event(nil).With("data", message)); err != nil {
			return false
		}
	}
	flush(w)
	return true
}

func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }
