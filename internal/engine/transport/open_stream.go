package transport

import (
	"context"
	"net/http"
	"sync"
)

// An openStream is the state of a reply that stays open after its message was served.
type openStream struct {
	disconnected func(error)
	done         chan struct{} // closed when the reply is finished
	failed       error         // why a write failed
	stops        bool          // whether the HTTP server shut down before the stream was open
}

// KeepOpen keeps the reply open as a stream, if the client accepts one. It first registers
// with the HTTP server, so that a shutdown ends even a stream that is just beginning.
func (r *httpReply) KeepOpen(disconnected func(error)) bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.acceptsStream {
		stops := r.http.servers.add(r.request, r.http.endStreams)
		r.open = &openStream{disconnected: disconnected, done: make(chan struct{}), stops: stops}
	}
	return r.acceptsStream
}

// Wait waits until the reply is finished, or returns why its client disconnected or may no
// longer listen.
func (r *httpReply) Wait(ctx context.Context) error {
	ctx, stop := whileAuthorized(ctx, r.request)
	defer stop()
	select {
	case <-r.open.done:
		return nil
	case <-ctx.Done():
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.open.failed != nil { // a write that fails ends the context too
		return r.open.failed
	}
	return context.Cause(ctx)
}

// note records why a write failed.
func (r *httpReply) note(err error) error {
	if r.open != nil && err != nil {
		r.open.failed = err
	}
	return err
}

// httpServers are the HTTP servers of a program that have streams open. Their Shutdown
// would wait for the streams, which don't end by themselves.
type httpServers struct {
	lock  sync.Mutex
	known map[*http.Server]bool // whether each is shutting down
}

// add registers end as a shutdown function of the HTTP server that serves a request, once
// for each server. It reports whether the server is already shutting down.
func (h *httpServers) add(r *http.Request, end func()) (stops bool) {
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
