package dev

import (
	"errors"
	"io"
	"net/http"

	"github.com/bowline-mcp/bowline/internal/cli/dev/eventstream"
)

// lastEventID is the header by which a client resumes a stream after an event. The id of an event
// of a call's stream names its program.
const lastEventID = "Last-Event-Id"

// resume continues the stream of a session's call for a client whose connection to it has ended,
// in the program that runs the call. It reports false if the request is another one, or if the
// call has ended.
func (e *exchange) resume(w http.ResponseWriter) bool {
	if e.session == nil || e.request.Method != http.MethodGet {
		return false
	}
	generation, id, ok := cutGeneration(e.request.Header.Get(lastEventID))
	if !ok {
		return false
	}
	e.request.Header.Del(lastEventID)
	p := e.session.programOf(generation)
	switch {
	case p == nil:
		return false
	case p.HasExited():
		return e.answerLost(w, p)
	case !e.proxy.hold(p):
		return false
	}
	defer e.proxy.release(p)
	e.lastEvent = id
	defer e.proxy.attach(e.session.requestsOf(p))()
	e.passTo(e.request.Context(), p, w)
	return true
}

// answerLost answers the requests of a session whose program has ended, in the stream that a
// client resumes. It reports false if there are none.
func (e *exchange) answerLost(w http.ResponseWriter, p *program) bool {
	lost := e.endLost(e.session.requestsOf(p))
	if lost == nil {
		return false
	}
	e.status = http.StatusOK
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(lost)
	return true
}

// lostAnswers returns the events that answer the requests of a stream that broke off with an
// error, or nil if the program hasn't ended.
func (e *exchange) lostAnswers(err error) eventstream.Event {
	if errors.Is(err, io.EOF) && !e.program.HasExited() || e.request.Context().Err() != nil || !closesSoon(e.program.Exited) {
		return nil
	}
	if e.lastEvent != "" {
		return e.endLost(e.session.requestsOf(e.program))
	}
	return e.endLost(e.requests)
}

// endLost ends the requests of a program that has ended, and returns the events that answer them.
func (e *exchange) endLost(requests []*pending) (answers eventstream.Event) {
	for _, r := range requests {
		if e.proxy.isPending(r) {
			answers = append(answers, eventstream.Event(nil).With("data", r.lost())...)
			e.proxy.finish(r, lostCall)
		}
	}
	return answers
}
