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

// An intake takes in the bodies of requests, one after the other, into one buffer
// and each within a time. Its timer isn't stopped after each: it goes off once in a
// while, for the body of that moment.
type intake struct {
	body  []byte
	limit time.Duration
	timer *time.Timer

	lock  sync.Mutex
	w     http.ResponseWriter // of the request being read, nil between requests
	begun time.Time
	set   bool // whether the timer is
	slow  bool // whether the reading was cut short
}

// read reads a request's body.
func (t *HTTP) read(w http.ResponseWriter, r *http.Request, in *intake) error {
	if r.ContentLength > t.limits.Body {
		return errTooLarge
	}
	in.begin(w)
	err := fill(&in.body, r.Body, t.limits.Body)
	switch slow := in.end(); {
	case slow && err == nil: // it was read just in time
		return http.NewResponseController(w).SetReadDeadline(time.Time{})
	case slow:
		return errTooSlow
	}
	return err
}

func (b *intake) begin(w http.ResponseWriter) {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.w, b.begun, b.slow = w, time.Now(), false
	if !b.set {
		b.arm(b.limit)
	}
}

// arm sets the timer. The caller holds the lock.
func (b *intake) arm(after time.Duration) {
	b.set = true
	if b.timer == nil {
		b.timer = time.AfterFunc(after, b.wake)
	} else {
		b.timer.Reset(after)
	}
}

// end reports whether the reading was cut short.
func (b *intake) end() bool {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.w = nil
	return b.slow
}

// wake makes a read that takes too long fail.
func (b *intake) wake() {
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

// intakes are the idle intakes.
type intakes struct {
	lock sync.Mutex
	idle []*intake
}

const (
	maxIntakes    = 64       // that are kept
	maxIdleIntake = 64 << 10 // bytes of the buffer of one that is kept
)

func (p *intakes) take(limit time.Duration) *intake {
	p.lock.Lock()
	defer p.lock.Unlock()
	n := len(p.idle)
	if n == 0 {
		return &intake{body: make([]byte, 0, 4096), limit: limit}
	}
	in := p.idle[n-1]
	p.idle = p.idle[:n-1]
	return in
}

func (p *intakes) give(in *intake) {
	if cap(in.body) > maxIdleIntake {
		return
	}
	in.body = in.body[:0]
	p.lock.Lock()
	defer p.lock.Unlock()
	if len(p.idle) < maxIntakes {
		p.idle = append(p.idle, in)
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
