package dev

import (
	"context"
	"sync/atomic"
)

// A backlog counts the bytes of a client's messages that no program has read. While it is full, the
// relay reads no further messages, so that a client waits for its program as it does without a
// relay.
type backlog struct {
	limit   int64 // in bytes
	bytes   atomic.Int64
	reduced chan struct{} // receives a token when messages were read or dropped
}

func newBacklog() *backlog { return &backlog{limit: maxSeen, reduced: make(chan struct{}, 1)} }

// add counts a message.
func (b *backlog) add(message []byte) { b.bytes.Add(int64(len(message))) }

// remove counts messages that a program has read, or that no program will read.
func (b *backlog) remove(messages ...[]byte) {
	for _, message := range messages {
		b.bytes.Add(-int64(len(message)))
	}
	select {
	case b.reduced <- struct{}{}:
	default:
	}
}

// await waits until the backlog isn't full.
func (b *backlog) await(ctx context.Context) {
	for b.bytes.Load() > b.limit {
		select {
		case <-b.reduced:
		case <-ctx.Done():
			return
		}
	}
}
