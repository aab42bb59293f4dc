package proxy

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/bowline-mcp/bowline/internal/cli/dev/programs"
	"github.com/bowline-mcp/bowline/internal/eventstream"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// resume chooses the program that runs the call whose stream a client resumes on another connection.
// It reports false if the request is another one, or if the call has ended. The caller holds the
// lock.
func (e *exchange) resume() bool {
	p := e.session.streams[streamOf(e.in.Header.Get(lastEventID))]
	if p == nil {
		return false
	}
	requests := e.client.RequestsOf(p) // one of them has the stream
	if p.HasExited() && len(requests) == 0 || !e.proxy.Hold(p) {
		e.in.Header.Del(lastEventID) // no other program knows the event
		return false
	}
	e.program, e.requests, e.resumed = p, requests, true
	for _, r := range requests {
		r.Attach()
	}
	return true
}

// streamOf returns the part of an event's id that all events of its stream have, and that no
// stream of another program has.
func streamOf(eventID string) string {
	if end := strings.LastIndexByte(eventID, '-'); end >= 0 {
		return eventID[:end]
	}
	return eventID
}

// sees keeps which program has the stream of an event, for a client that resumes it.
func (e *exchange) sees(eventID string) {
	stream := streamOf(eventID)
	if e.resumable && e.stream == stream {
		return
	}
	e.resumable, e.stream = true, stream
	e.proxy.Lock()
	defer e.proxy.Unlock()
	if len(e.session.streams) >= limits.RememberedStreams {
		clear(e.session.streams) // a client resumes soon, if ever
	}
	e.session.streams[stream] = e.program
}

// lostStream returns the stream that answers the requests of a program that has ended, or the error
// if it hasn't.
func (e *exchange) lostStream(err error) (*http.Response, error) {
	lost := e.lostAnswers(err)
	if lost == nil {
		return nil, err
	}
	header := http.Header{"Content-Type": {"text/event-stream"}, "Cache-Control": {"no-cache"}}
	return &http.Response{StatusCode: http.StatusOK, Header: header, Body: io.NopCloser(bytes.NewReader(lost))}, nil
}

// lostAnswers returns the events that answer the requests of a stream that broke off with an
// error, or nil if the program hasn't ended.
func (e *exchange) lostAnswers(err error) (answers eventstream.Event) {
	p := e.program
	if errors.Is(err, io.EOF) && !p.HasExited() || e.in.Context().Err() != nil || !programs.ClosesSoon(p.Exited) {
		return nil
	}
	e.proxy.Lock()
	defer e.proxy.Unlock()
	for _, r := range e.requests {
		if lost := r.Lose(); lost != nil {
			answers = append(answers, eventstream.Event(nil).With("data", lost)...)
		}
	}
	e.requests = nil
	return answers
}
