package transport

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

var (
	errTooLarge = errors.New("the body is too large")
	errTooSlow  = errors.New("the body came too slowly")
)

// maxIdleBuffer is the size beyond which a buffer isn't kept for the next message.
const maxIdleBuffer = 256 << 10

// buffers are idle buffers for incoming messages.
type buffers struct{ pool sync.Pool }

func (b *buffers) get() *[]byte {
	if buffer, ok := b.pool.Get().(*[]byte); ok {
		return buffer
	}
	return new(make([]byte, 0, 4096))
}

func (b *buffers) put(buffer *[]byte) {
	if cap(*buffer) <= maxIdleBuffer {
		*buffer = (*buffer)[:0]
		b.pool.Put(buffer)
	}
}

// A bodyReader reads the bodies of requests, one after the other, within a size
// and a time. Its timer is set for each and fires for hardly any.
type bodyReader struct {
	timer *time.Timer
	slow  chan struct{} // a token once the timer has fired and done its work
	w     http.ResponseWriter
}

// read appends a request's body to the buffer.
func (t *HTTP) read(w http.ResponseWriter, r *http.Request, buffer *[]byte) error {
	if r.ContentLength > t.limits.Body {
		return errTooLarge
	}
	reader, ok := t.readers.Get().(*bodyReader)
	if !ok {
		reader = &bodyReader{slow: make(chan struct{}, 1)}
	}
	reader.w = w
	if reader.timer == nil {
		reader.timer = time.AfterFunc(t.limits.BodyTime, reader.expire)
	} else {
		reader.timer.Reset(t.limits.BodyTime)
	}
	err := fill(buffer, r.Body, t.limits.Body)
	if !reader.timer.Stop() {
		<-reader.slow
		if err == nil { // it was read just in time
			return http.NewResponseController(w).SetReadDeadline(time.Time{})
		}
		return errTooSlow
	}
	reader.w = nil
	t.readers.Put(reader)
	return err
}

// expire makes the read that is under way fail.
func (b *bodyReader) expire() {
	_ = http.NewResponseController(b.w).SetReadDeadline(time.Unix(1, 0))
	b.slow <- struct{}{}
}

// fill reads r to its end, at most limit bytes.
func fill(buffer *[]byte, r io.Reader, limit int64) error {
	b := *buffer
	for {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		*buffer = b
		switch {
		case int64(len(b)) > limit:
			return errTooLarge
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}
