package transport

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
	"weak"
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
// and each within a time. Reading the clock for each would cost more than the rest:
// a timer ticks while there are requests, and a body that is there for a few ticks is
// too slow. So it may take up to a quarter longer.
type intake struct {
	body  []byte
	limit time.Duration
	timer *time.Timer

	lock  sync.Mutex
	w     http.ResponseWriter // of the request being read, nil between requests
	left  int                 // ticks until it is too slow
	ticks bool                // whether the timer is set
	slow  bool                // whether the reading was cut short
}

// ticksPerLimit is how often the timer ticks within the time for a body.
const ticksPerLimit = 4

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
	b.w, b.slow = w, false
	b.left = ticksPerLimit
	if b.ticks {
		b.left++ // the next tick may come at once
	} else {
		b.tickLater()
	}
}

// tickLater sets the timer. The caller holds the lock.
func (b *intake) tickLater() {
	b.ticks = true
	if b.timer == nil {
		idle := weak.Make(b) // the timer doesn't keep an intake that nobody uses again
		b.timer = time.AfterFunc(b.limit/ticksPerLimit, func() {
			if b := idle.Value(); b != nil {
				b.tick()
			}
		})
	} else {
		b.timer.Reset(b.limit / ticksPerLimit)
	}
}

// end reports whether the reading was cut short.
func (b *intake) end() bool {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.w = nil
	return b.slow
}

// tick makes a read that takes too long fail.
func (b *intake) tick() {
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.ticks = b.w != nil; !b.ticks {
		return
	}
	if b.left--; b.left > 0 {
		b.tickLater()
		return
	}
	b.ticks, b.slow = false, true
	_ = http.NewResponseController(b.w).SetReadDeadline(time.Unix(1, 0))
}

// intakes are the idle intakes.
type intakes struct{ pool sync.Pool }

// maxIdleIntake is the size, in bytes, beyond which an intake's buffer isn't kept.
const maxIdleIntake = 64 << 10

func (p *intakes) take(limit time.Duration) *intake {
	if in, ok := p.pool.Get().(*intake); ok {
		return in
	}
	return &intake{body: make([]byte, 0, 4096), limit: limit}
}

// small reports whether the buffer is kept.
func (b *intake) small() bool { return cap(b.body) <= maxIdleIntake }

func (p *intakes) give(in *intake) {
	if in != nil && in.small() {
		in.body = in.body[:0]
		p.pool.Put(in)
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
