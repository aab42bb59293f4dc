// Package turn lets one goroutine do one thing after another, and another goroutine go
// on with the rest as soon as one of the things takes its time. Mostly nothing does,
// and then no goroutine is ever woken for a thing, which would cost more than it.
package turn

import (
	"sync"
	"time"
)

// takeOver is how long a thing may hold up the others, at least; twice that at most.
const takeOver = time.Millisecond

// A Turn is one goroutine's turn at doing things. While it does one, the turn may pass
// to another goroutine.
//
// Its timer isn't set for each thing, which would wake a thread each time. It ticks
// while there are things to do, and the turn passes when a tick finds the one that the
// tick before found.
type Turn struct {
	next  func() // goes on in the place of this goroutine
	timer *time.Timer

	lock    sync.Mutex
	begun   uint64 // things
	seen    uint64 // begun at the last tick
	busy    bool
	passed  bool
	ticking bool
}

// New returns a turn that next takes when something takes too long.
func New(next func()) *Turn { return &Turn{next: next} }

// Begin says that a thing begins.
func (t *Turn) Begin() {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.begun++
	t.busy = true
	if !t.ticking {
		t.tickLater()
	}
}

// End says that the thing has ended. It reports whether the turn is still this
// goroutine's.
func (t *Turn) End() bool {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.busy = false
	return !t.passed
}

// Pass gives the turn up because this goroutine ends. It reports whether the turn was
// still its own.
func (t *Turn) Pass() bool {
	t.lock.Lock()
	defer t.lock.Unlock()
	mine := !t.passed
	t.busy, t.passed = false, true
	return mine
}

// tickLater sets the timer. The caller holds the lock.
func (t *Turn) tickLater() {
	t.ticking = true
	if t.timer == nil {
		t.timer = time.AfterFunc(takeOver, t.tick)
	} else {
		t.timer.Reset(takeOver)
	}
}

func (t *Turn) tick() {
	t.lock.Lock()
	switch {
	case t.busy && t.begun == t.seen:
		t.passed = true
		t.lock.Unlock()
		t.next()
		return
	case t.begun == t.seen: // nothing has come since the last tick
		t.ticking = false
	default:
		t.seen = t.begun
		t.tickLater()
	}
	t.lock.Unlock()
}
