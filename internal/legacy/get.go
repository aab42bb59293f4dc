package legacy

import (
	"errors"
	"net/http"
	"os"

	"github.com/bowline-mcp/bowline/internal/protocol"
	"github.com/bowline-mcp/bowline/internal/transport"
)

// Get serves a stream that a client opens: to be told what it hasn't asked for, or to
// have the rest of one whose connection has ended.
func (w *Wing) Get(rw http.ResponseWriter, r *http.Request, out transport.EventStream) {
	s := w.owned(rw, r)
	if s == nil {
		return
	}
	switch {
	case !out.Accepted():
		http.Error(rw, "Accept must include text/event-stream.", http.StatusNotAcceptable)
	case w.core.Lifecycle().Draining():
		http.Error(rw, protocol.Stopping+".", http.StatusServiceUnavailable)
	default:
		s.enter(1)
		defer s.leave(1)
		s.follow(w.core)
		w.stream(rw, r, s, out)
	}
}

// stream lets a connection carry one of a session's streams until it ends.
func (w *Wing) stream(rw http.ResponseWriter, r *http.Request, s *session, out transport.EventStream) {
	var carried *stream
	if id := r.Header.Get("Last-Event-ID"); id == "" {
		if carried = s.journal.listen(r.Context()); carried == nil {
			http.Error(rw, "The session has as many streams open as it may have; close one.", http.StatusTooManyRequests)
			return
		}
		out.Open()
		carried.begin(r.Context(), out)
	} else {
		broken, last := s.journal.find(id)
		if broken == nil {
			http.Error(rw, "The session has no event of that Last-Event-ID, or not any more; open a new stream without it.", http.StatusNotFound)
			return
		}
		if broken.over(last) {
			rw.WriteHeader(http.StatusNoContent) // which tells a client not to come again
			return
		}
		carried = broken
		out.Open()
		carried.resume(r.Context(), out, last)
	}
	if carried.listens {
		s.catchUp(w.core)
	}
	if w.core.Lifecycle().Draining() { // since a moment ago
		w.EndStreams()
	}
	err := out.Wait(r.Context())
	carried.release(out)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		w.core.Logger().Warn("a stream was closed, since its client does not read what it is sent")
	}
}

// EndStreams ends the streams that clients have opened to be told what they haven't
// asked for. Those of calls end with the calls.
func (w *Wing) EndStreams() {
	for _, s := range w.sessions.all() {
		s.journal.endListening()
	}
}

// Delete ends a session.
func (w *Wing) Delete(rw http.ResponseWriter, r *http.Request) {
	s := w.owned(rw, r)
	if s == nil {
		return
	}
	w.sessions.close(s)
	rw.WriteHeader(http.StatusNoContent)
}

// owned returns the session of a request without a message, or refuses the request.
func (w *Wing) owned(rw http.ResponseWriter, r *http.Request) *session {
	transport.LeaveBody(rw, r)
	id := r.Header.Get("Mcp-Session-Id")
	if w.config.Sessionless {
		rw.Header().Set("Allow", "POST")
		http.Error(rw, "This endpoint keeps no sessions; send POST requests.", http.StatusMethodNotAllowed)
		return nil
	}
	if id == "" {
		http.Error(rw, "There is no Mcp-Session-Id; begin with initialize, and send the one that its answer has.", http.StatusBadRequest)
		return nil
	}
	if _, fault := w.headerVersion(r); fault != nil {
		http.Error(rw, fault.Message, fault.Status)
		return nil
	}
	s := w.sessions.find(id, w.core.Principal(r.Context()))
	if s == nil {
		http.Error(rw, "The session is not known, or has ended; begin with initialize.", http.StatusNotFound)
	}
	return s
}
