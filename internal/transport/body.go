package transport

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

var (
	errTooLarge = errors.New("the body is too large")
	errTooSlow  = errors.New("the body came too slowly")
)

// read reads the body of a request, up to the limits of size and time.
func (t *HTTP) read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength > t.limits.Body {
		return nil, errTooLarge
	}
	conn, hasDeadlines := writerAs[interface{ SetReadDeadline(time.Time) error }](w)
	if hasDeadlines {
		_ = conn.SetReadDeadline(time.Now().Add(t.bodyTime(r)))
	}
	body, err := readBody(r.Body, r.ContentLength, t.limits.Body)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, errTooSlow
	case err == nil && hasDeadlines:
		_ = conn.SetReadDeadline(time.Time{})
	}
	return body, err
}

// bodyTime returns how long a body may take: no longer than the server's own limit.
func (t *HTTP) bodyTime(r *http.Request) time.Duration {
	if server, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && server.ReadTimeout > 0 {
		return min(t.limits.BodyTime, server.ReadTimeout)
	}
	return t.limits.BodyTime
}

// writerAs returns the first of a writer and those that it wraps that is a T.
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

// firstRead is the size of the buffer before the first byte has arrived.
const firstRead = 4 << 10

// readBody reads r to its end, at most limit bytes. The length is the Content-Length, -1 if
// it is unknown. The buffer doubles as bytes arrive, since the rest may never come.
func readBody(r io.Reader, length, limit int64) ([]byte, error) {
	size := int64(firstRead)
	if length >= 0 {
		size = min(size, length+1) // the last read finds the end
	}
	b := make([]byte, 0, size)
	for {
		if len(b) == cap(b) {
			room := 2 * cap(b)
			if length >= 0 {
				room = min(room, max(int(length), len(b))+1)
			}
			b = append(make([]byte, 0, room), b...)
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case int64(len(b)) > limit:
			return nil, errTooLarge
		case errors.Is(err, io.EOF):
			return b, nil
		case err != nil:
			return nil, err
		}
	}
}
