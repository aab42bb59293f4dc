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
	err := fill(&in.body, r.Body, r.ContentLength, t.limits.Body)
	switch slow := in.end(); {
	case slow && err == nil: // it was read just in time
		return http.NewResponseController(w).SetReadDeadline(time.Time{})
	case slow:
		return errTooSlow
	}
	return err
}

func (in *intake) begin(w http.ResponseWriter) {
	in.lock.Lock()
	defer in.lock.Unlock()
	in.w, in.slow = w, false
	in.left = ticksPerLimit
	if in.ticks {
		in.left++ // the next tick may come at once
	} else {
		in.tickLater()
	}
}

// tickLater sets the timer. The caller holds the lock.
func (in *intake) tickLater() {
	in.ticks = true
	if in.timer == nil {
		idle := weak.Make(in) // the timer doesn't keep an intake that nobody uses again
		in.timer = time.AfterFunc(in.limit/ticksPerLimit, func() {
			if in := idle.Value(); in != nil {
				in.tick()
			}
		})
	} else {
		in.timer.Reset(in.limit / ticksPerLimit)
	}
}

// end reports whether the reading was cut short.
func (in *intake) end() bool {
	in.lock.Lock()
	defer in.lock.Unlock()
	in.w = nil
	return in.slow
}

// tick makes a read that takes too long fail.
func (in *intake) tick() {
	in.lock.Lock()
	defer in.lock.Unlock()
	if in.ticks = in.w != nil; !in.ticks {
		return
	}
	if in.left--; in.left > 0 {
		in.tickLater()
		return
	}
	in.ticks, in.slow = false, true
	_ = http.NewResponseController(in.w).SetReadDeadline(time.Unix(1, 0))
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
func (in *intake) small() bool { return cap(in.body) <= maxIdleIntake }

func (p *intakes) give(in *intake) {
	if in != nil && in.small() {
		in.body = in.body[:0]
		p.pool.Put(in)
	}
}

// fill reads r to its end, at most limit bytes. The length is what it is said to have,
// -1 if that is unknown.
func fill(buffer *[]byte, r io.Reader, length, limit int64) error {
	b := *buffer
	for {
		if len(b) == cap(b) {
			b = grow(b, length)
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

// grow returns a full buffer with room for more: for the rest of the length, but for no
// more than came already, since the rest may never come.
func grow(b []byte, length int64) []byte {
	size := 2 * cap(b)
	if length >= int64(len(b)) {
		size = int(min(int64(max(size, maxIdleIntake)), length+1)) // the last read finds the end
	}
	return append(make([]byte, 0, size), b...)
}
