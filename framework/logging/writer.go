package logging

import (
	"io"
	"sync"
	"time"
)

// A writer buffers lines for another writer.
type writer struct {
	to      io.Writer
	dropped func(lines int) // logs that lines were dropped

	lock    sync.Mutex
	waiting []byte        // lines that are not written yet
	spare   []byte        // the buffer of lines that were written
	lost    int           // lines that were dropped since dropped was called
	done    chan struct{} // closed when nothing waits; nil unless a goroutine writes or will write
}

const (
	// maxWaiting is how many bytes of lines may wait to be written.
	maxWaiting = 1 << 20

	// pause is how long the first line waits for others, and the time between writes. Writing the lines of 100 000 calls
	// one by one takes three times as long.
	pause = 10 * time.Millisecond
)

// Write adds a line to those that wait. It never blocks, and reports no error.
func (w *writer) Write(line []byte) (int, error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if len(w.waiting)+len(line) > maxWaiting {
		w.lost++
	} else {
		w.waiting = append(w.waiting, line...)
	}
	if w.done == nil {
		w.done = make(chan struct{})
		time.AfterFunc(pause, w.run)
	}
	return len(line), nil
}

// run writes the lines that wait. If more have come meanwhile, it runs again after the pause.
func (w *writer) run() {
	w.lock.Lock()
	lines, lost := w.waiting, w.lost
	w.waiting, w.spare, w.lost = w.spare[:0], nil, 0
	w.lock.Unlock()
	if lost > 0 {
		w.dropped(lost) // now, since the buffer is empty
	}
	if len(lines) > 0 {
		_, _ = w.to.Write(lines) // there is nowhere to report an error to
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	if cap(lines) <= 256<<10 {
		w.spare = lines[:0]
	}
	if len(w.waiting) > 0 || w.lost > 0 {
		time.AfterFunc(pause, w.run)
		return
	}
	close(w.done)
	w.done = nil
}

// flush waits until no lines wait.
func (w *writer) flush(limit time.Duration) bool {
	w.lock.Lock()
	done := w.done
	w.lock.Unlock()
	if done == nil {
		return true
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
