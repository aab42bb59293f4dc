package transport

import (
	"sync/atomic"
	"time"
)

// A turn is one goroutine's turn at reading. While it serves a call, the turn may
// pass to another goroutine.
type turn struct {
	timer *time.Timer
	state atomic.Int32
}

const (
	reading = iota // or serving what takes no time
	serving
	passed
)

// newTurn returns a turn that next takes when a call takes too long.
func newTurn(next func()) *turn {
	t := &turn{}
	t.timer = time.AfterFunc(time.Hour, func() {
		if t.state.CompareAndSwap(serving, passed) {
			next()
		}
	})
	t.timer.Stop()
	return t
}

// begin says that a call begins.
func (t *turn) begin() {
	t.state.Store(serving)
	t.timer.Reset(takeOver)
}

// end says that the call has ended. It reports whether the turn is still this
// goroutine's.
func (t *turn) end() bool {
	mine := t.state.CompareAndSwap(serving, reading)
	t.timer.Stop()
	return mine
}
