package transport

import (
	"sync"
	"time"
)

// takeOver is how long a call may hold up reading, at least; twice that at most.
const takeOver = time.Millisecond

// A turn is one goroutine's turn at reading. While it serves a call, the turn may
// pass to another goroutine.
//
// Its timer isn't set for each call, which would wake a thread each time. It ticks
// while there are calls, and the turn passes when a tick finds the call that the
// tick before found.
type turn struct {
	next  func() // reads in the place of this goroutine
	timer *time.Timer

	lock    sync.Mutex
	calls   uint64 // that have begun
	seen    uint64 // calls at the last tick
	serving bool
	passed  bool
	ticking bool
}

// newTurn returns a turn that next takes when a call takes too long.
func newTurn(next func()) *turn { return &turn{next: next} }

// begin says that a call begins.
func (t *turn) begin() {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.calls++
	t.serving = true
	if !t.ticking {
		t.tickLater()
	}
}

// end says that the call has ended. It reports whether the turn is still this
// goroutine's.
func (t *turn) end() bool {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.serving = false
	return !t.passed
}

// pass gives the turn up because this goroutine ends. It reports whether the turn was
// still its own.
func (t *turn) pass() bool {
	t.lock.Lock()
	defer t.lock.Unlock()
	mine := !t.passed
	t.serving, t.passed = false, true
	return mine
}

// tickLater sets the timer. The caller holds the lock.
func (t *turn) tickLater() {
	t.ticking = true
	if t.timer == nil {
		t.timer = time.AfterFunc(takeOver, t.tick)
	} else {
		t.timer.Reset(takeOver)
	}
}

func (t *turn) tick() {
	t.lock.Lock()
	switch {
	case t.serving && t.calls == t.seen:
		t.passed = true
		t.lock.Unlock()
		t.next()
		return
	case t.calls == t.seen: // nothing has come since the last tick
		t.ticking = false
	default:
		t.seen = t.calls
		t.tickLater()
	}
	t.lock.Unlock()
}
