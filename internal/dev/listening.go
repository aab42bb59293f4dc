package dev

import (
	"io"
	"maps"
	"net/http"
	"time"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
)

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
	for first := true; ; first = false {
		p, err := e.proxy.acquire(e.request.Context())
		if err != nil {
			if first {
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
// ended.
func (e *exchange) listenAt(w http.ResponseWriter, p *program, first bool) (again bool) {
	e.program = p
	ctx := retirement(e.request.Context(), p)
	out := e.outgoing(ctx, p)
	out.URL.Scheme, out.URL.Host = "http", p.address
	out.Header.Del("Connection")
	if !first {
		out.Header.Del("Last-Event-Id")
	}
	response, err := p.transport.RoundTrip(out)
	if err != nil {
		if first && !isDone(p.retired) && !awaitRetirement(p) {
			e.fail(w, e.request, err)
			return false
		}
		return e.continues(p)
	}
	defer func() { _ = response.Body.Close() }()
	if first {
		maps.Copy(w.Header(), response.Header)
		w.WriteHeader(response.StatusCode)
	}
	if response.StatusCode != http.StatusOK || !isEventStream(response.Header) {
		if first {
			_, _ = io.Copy(w, response.Body)
		}
		return false
	}
	if flush(w); !first && !e.tell(w) {
		return false
	}
	swallow := !first && e.request.Method == http.MethodPost // the acknowledgement
	for stream := newEvents(response.Body); ; {
		event, err := stream.next()
		if err != nil {
			return e.continues(p)
		}
		if data := event.data(); len(data) > 0 {
			var m jsonrpc.Message
			if m.Scan(data) == nil {
				if swallow && string(m.Method) == "notifications/subscriptions/acknowledged" {
					swallow = false
					continue
				}
				if m.Kind == jsonrpc.Request {
					event = event.with(marked(&m, data, p.generation))
				}
			}
		}
		if _, err := w.Write(event); err != nil {
			return false
		}
		flush(w)
	}
}

// continues reports whether a stream that ended at a program continues at another one.
func (e *exchange) continues(p *program) bool {
	return e.request.Context().Err() == nil && (isDone(p.retired) || awaitRetirement(p))
}

// awaitRetirement waits a moment for the end of a process whose connection has ended. It
// reports whether it has ended.
func awaitRetirement(p *program) bool {
	select {
	case <-p.retired:
		return true
	case <-time.After(200 * time.Millisecond):
		return false
	}
}

// tell tells the client that lists may have changed.
func (e *exchange) tell(w http.ResponseWriter) bool {
	var changed [][]byte
	if e.request.Method == http.MethodGet {
		changed = e.session.announced().changed(nil)
	} else {
		changed = wantedIn(e.message.Params).changed(e.message.ID)
	}
	for _, message := range changed {
		if _, err := w.Write(event(nil).with(message)); err != nil {
			return false
		}
	}
	flush(w)
	return true
}

func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }

func isDone(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// hasExited reports whether the process has ended.
func (p *process) hasExited() bool { return isDone(p.exited) }
