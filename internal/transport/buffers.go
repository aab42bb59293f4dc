package transport

import "sync"

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
