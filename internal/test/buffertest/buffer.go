// Package buffertest has the buffer for output that a test reads while the program writes it.
package buffertest

import (
	"bytes"
	"sync"
)

// A Buffer is a bytes.Buffer that several goroutines may use at a time. The zero value is
// empty.
type Buffer struct {
	lock sync.Mutex
	text bytes.Buffer
}

// Write adds to the text.
func (b *Buffer) Write(p []byte) (int, error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.text.Write(p)
}

// String returns the text.
func (b *Buffer) String() string {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.text.String()
}

// Reset removes the text and frees its memory.
func (b *Buffer) Reset() {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.text = bytes.Buffer{}
}
