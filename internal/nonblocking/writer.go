// Package nonblocking writes output that nobody may have to wait for.
package nonblocking

import (
	"bytes"
	"io"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// A Writer buffers output for another writer. It keeps up to 1 MiB that is not written yet,
// and writes it within 10 ms unless the other writer blocks.
type Writer struct {
	to      io.Writer
	dropped func(lines int) // reports that lines were dropped

	lock    sync.Mutex
	waiting []byte        // lines that are not written yet
	spare   []byte        // the buffer of lines that were written
	lost    int           // lines that were dropped since dropped was called
	done    chan struct{} // closed when nothing waits; nil unless a goroutine writes or will write
}

// pause is how long the first line waits for others, and the time between writes. Writing the
// lines of 100 000 calls one by one takes three times as long.
const pause = 10 * time.Millisecond

// New returns a writer to another one. When it can write again after it dropped output, it
// calls dropped with the number of lines.
func New(to io.Writer, dropped func(lines int)) *Writer { return &Writer{to: to, dropped: dropped} }

// Write adds lines to those that wait, or drops them all if they don't fit. It never blocks,
// and reports no error.
func (w *Writer) Write(lines []byte) (int, error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if len(w.waiting)+len(lines) > limits.LogBacklog {
		w.lost += max(1, bytes.Count(lines, []byte{'\n'}))
	} else {
		w.waiting = append(w.waiting, lines...)
	}
	if w.done == nil {
		w.done = make(chan struct{})
		time.AfterFunc(pause, w.run)
	}
	return len(lines), nil
}

// run writes the lines that wait. If more have come meanwhile, it runs again after the pause.
func (w *Writer) run() {
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

// Flush waits until all lines are written, but no longer than the limit. It reports whether
// all were written.
func (w *Writer) Flush(limit time.Duration) bool {
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
