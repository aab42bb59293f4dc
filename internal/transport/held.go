package transport

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// held is what a reply has that stays open when its message was served.
type held struct {
	gone   func(error)
	done   chan struct{} // closed when the reply is finished
	failed error         // why nothing could be written
}

// Hold keeps the reply open as a stream, if the client takes one.
func (r *httpReply) Hold(gone func(error)) bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.stream {
		r.held = &held{gone: gone, done: make(chan struct{})}
	}
	return r.stream
}

// park waits until the reply is finished or its client is gone.
func (r *httpReply) park(ctx context.Context) {
	if err := r.Wait(ctx); err != nil {
		r.held.gone(err)
	}
}

// Wait waits until the reply is finished, or returns why its client is gone. The time to
// read the request doesn't end the stream: it was read.
func (r *httpReply) Wait(ctx context.Context) error {
	_ = http.NewResponseController(r.w).SetReadDeadline(time.Time{})
	select {
	case <-r.held.done:
		return nil
	case <-ctx.Done():
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.held.failed != nil { // a write that fails ends the context too
		return r.held.failed
	}
	return ctx.Err()
}

// note keeps the reason why a write failed.
func (r *httpReply) note(err error) error {
	if r.held != nil && err != nil {
		r.held.failed = err
	}
	return err
}

// hosts are the HTTP servers of a program that have streams open. Their Shutdown would
// wait for the streams, which don't end by themselves.
type hosts struct {
	lock  sync.Mutex
	known map[*http.Server]bool // whether it shuts down
}

// add lets a request's server call end when it shuts down. It reports whether it does
// already: then the request was on its way.
func (h *hosts) add(r *http.Request, end func()) (stops bool) {
	server, ok := r.Context().Value(http.ServerContextKey).(*http.Server)
	if !ok {
		return false
	}
	h.lock.Lock()
	defer h.lock.Unlock()
	stops, known := h.known[server]
	if known {
		return stops
	}
	if h.known == nil {
		h.known = map[*http.Server]bool{}
	}
	h.known[server] = false
	server.RegisterOnShutdown(func() {
		h.lock.Lock()
		h.known[server] = true
		h.lock.Unlock()
		end()
	})
	return false
}
