package transport

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
)

var errTooLarge = errors.New("the message is too large")

// bodies reads the bodies of requests, up to limits.
type bodies struct {
	size   int64 // bytes
	time   time.Duration
	memory *throttle.Share
}

// read reads the body of a request. An exchange.Error is meant for the client. It also reports
// whether the HTTP server doesn't limit the time of an answer, since both limits need the
// server.
func (b *bodies) read(w http.ResponseWriter, r *http.Request, held *throttle.Holding) (body []byte, noWriteTimeout bool, err error) {
	limit := b.time
	if server, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok {
		if server.ReadTimeout > 0 {
			limit = min(limit, server.ReadTimeout)
		}
		noWriteTimeout = server.WriteTimeout <= 0
	}
	conn, hasDeadlines := writerAs[interface{ SetReadDeadline(time.Time) error }](w)
	if hasDeadlines {
		_ = conn.SetReadDeadline(time.Now().Add(limit))
	}
	body, err = b.readBody(r, held)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, noWriteTimeout, fault.WithStatus(http.StatusRequestTimeout, "The body took longer than %s", limit)
	case errors.Is(err, errTooLarge):
		return nil, noWriteTimeout, fault.WithStatus(http.StatusRequestEntityTooLarge, "The body is larger than %s", size(b.size))
	case err == nil && hasDeadlines:
		_ = conn.SetReadDeadline(time.Time{})
	}
	return body, noWriteTimeout, err
}

// unreadable returns the refusal of a request whose body was not read to its end.
func unreadable(err error) *exchange.Error {
	if refusal, ok := errors.AsType[*exchange.Error](err); ok {
		return refusal
	}
	return fault.WithStatus(http.StatusBadRequest, "The body could not be read to its end")
}

// writerAs returns the first T among a writer and the writers that it wraps.
// http.ResponseController does the same, but allocates an error if there is none.
func writerAs[T any](w http.ResponseWriter) (found T, ok bool) {
	for {
		if found, ok = w.(T); ok {
			return found, true
		}
		wrapper, wraps := w.(interface{ Unwrap() http.ResponseWriter })
		if !wraps {
			return found, false
		}
		w = wrapper.Unwrap()
	}
}

// firstRead is the initial size of the buffer. It doesn't count towards the client's share
// of memory, so that small messages, such as the answer to a question, always pass.
const firstRead = 4 << 10

// readBody reads a body to its end. The buffer doubles as bytes arrive: it doesn't trust
// Content-Length, since the client may never send that much.
func (b *bodies) readBody(r *http.Request, held *throttle.Holding) ([]byte, error) {
	size, length := firstRead, int(r.ContentLength) // -1 if it is unknown
	if r.ContentLength > b.size {
		return nil, errTooLarge
	}
	if length >= 0 {
		size = min(size, length+1) // the last read finds the end
	}
	if refusal := b.memory.Take(held, int64(size), nil); refusal != nil {
		return nil, refusal
	}
	body := make([]byte, 0, size)
	for {
		if len(body) == cap(body) {
			room := 2 * cap(body)
			if length >= 0 {
				room = min(room, max(length, len(body))+1)
			}
			if refusal := b.memory.Take(held, int64(room-cap(body)), r); refusal != nil {
				return nil, refusal
			}
			body = append(make([]byte, 0, room), body...)
		}
		n, err := r.Body.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case int64(len(body)) > b.size:
			return nil, errTooLarge
		case errors.Is(err, io.EOF):
			return body, nil
		case err != nil:
			return nil, err
		}
	}
}
