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

// A bodyReader bounds how long bodies take, one after the other. Its timer isn't
// stopped after each: it goes off once in a while, for the body of that moment.
type bodyReader struct {
	limit time.Duration
	timer *time.Timer

	lock  sync.Mutex
	w     http.ResponseWriter // of the request being read, nil between requests
	begun time.Time
	set   bool // whether the timer is
	slow  bool // whether the reading was cut short
}

// read appends a request's body to the buffer.
func (t *HTTP) read(w http.ResponseWriter, r *http.Request, buffer *[]byte) error {
	if r.ContentLength > t.limits.Body {
		return errTooLarge
	}
	reader := t.readers.take(t.limits.BodyTime)
	reader.begin(w)
	err := fill(buffer, r.Body, t.limits.Body)
	slow := reader.end()
	t.readers.give(reader)
	switch {
	case slow && err == nil: // it was read just in time
		return http.NewResponseController(w).SetReadDeadline(time.Time{})
	case slow:
		return errTooSlow
	}
	return err
}

func (b *bodyReader) begin(w http.ResponseWriter) {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.w, b.begun, b.slow = w, time.Now(), false
	if !b.set {
		b.arm(b.limit)
	}
}

// arm sets the timer. The caller holds the lock.
func (b *bodyReader) arm(after time.Duration) {
	b.set = true
	if b.timer == nil {
		b.timer = time.AfterFunc(after, b.wake)
	} else {
		b.timer.Reset(after)
	}
}

// end reports whether the reading was cut short.
func (b *bodyReader) end() bool {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.w = nil
	return b.slow
}

// wake makes a read that takes too long fail.
func (b *bodyReader) wake() {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.set = false
	if b.w == nil {
		return
	}
	if left := b.limit - time.Since(b.begun); left > 0 {
		b.arm(left)
		return
	}
	b.slow = true
	_ = http.NewResponseController(b.w).SetReadDeadline(time.Unix(1, 0))
}

// readers are idle body readers.
type readers struct {
	lock sync.Mutex
	idle []*bodyReader
}

// maxIdleReaders is how many are kept.
const maxIdleReaders = 256

func (r *readers) take(limit time.Duration) *bodyReader {
	r.lock.Lock()
	defer r.lock.Unlock()
	n := len(r.idle)
	if n == 0 {
		return &bodyReader{limit: limit}
	}
	reader := r.idle[n-1]
	r.idle = r.idle[:n-1]
	return reader
}

func (r *readers) give(reader *bodyReader) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if len(r.idle) < maxIdleReaders {
		r.idle = append(r.idle, reader)
	}
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
