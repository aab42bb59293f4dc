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

// read reads the body of a request, up to the limits of size and time.
func (t *HTTP) read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength > t.limits.Body {
		return nil, errTooLarge
	}
	timer, ok := t.timers.Get().(*bodyTimer)
	if !ok {
		timer = &bodyTimer{limit: t.limits.BodyTime}
	}
	defer t.timers.Put(timer)
	timer.begin(w)
	body, err := readBody(r.Body, r.ContentLength, t.limits.Body)
	switch slow := timer.end(); {
	case slow && err == nil: // the body ended just before the deadline was set
		return body, http.NewResponseController(w).SetReadDeadline(time.Time{})
	case slow:
		return nil, errTooSlow
	}
	return body, err
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

// A bodyTimer ends the reading of a body that takes too long, for one request after the
// other. Its timer ticks while there are requests, and a body is too slow after a few
// ticks. So a body may take up to a quarter longer than the limit.
type bodyTimer struct {
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

func (t *bodyTimer) begin(w http.ResponseWriter) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.w, t.slow = w, false
	t.left = ticksPerLimit
	if t.ticks {
		t.left++ // the next tick may come at once
	} else {
		t.tickLater()
	}
}

// tickLater sets the timer. The caller holds the lock.
func (t *bodyTimer) tickLater() {
	t.ticks = true
	if t.timer == nil {
		t.timer = time.AfterFunc(t.limit/ticksPerLimit, t.tick)
	} else {
		t.timer.Reset(t.limit / ticksPerLimit)
	}
}

// end reports whether the reading was cut short.
func (t *bodyTimer) end() bool {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.w = nil
	return t.slow
}

// tick makes a read that takes too long fail.
func (t *bodyTimer) tick() {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.ticks = t.w != nil; !t.ticks {
		return
	}
	if t.left--; t.left > 0 {
		t.tickLater()
		return
	}
	t.ticks, t.slow = false, true
	_ = http.NewResponseController(t.w).SetReadDeadline(time.Unix(1, 0))
}
