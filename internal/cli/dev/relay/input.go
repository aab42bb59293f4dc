package relay

import (
	"bytes"
	"io"
	"slices"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// An input has the messages that a program hasn't read yet.
type input struct {
	backlog *semaphore.Weighted   // shared by the inputs of the relay
	answers chan *jsonrpc.Message // the answers to requests of our own, one at a time

	lock   sync.Mutex
	wake   sync.Cond // has the lock
	queue  []queued
	closed bool // whether stdin ends after the queue
	ended  bool // whether the program reads no further messages
}

// A queued message waits for its program to read it.
type queued struct {
	message []byte
	weight  int64 // what it takes of the backlog
}

func newInput(backlog *semaphore.Weighted) *input {
	in := &input{backlog: backlog, answers: make(chan *jsonrpc.Message, 1)}
	in.wake.L = &in.lock
	return in
}

// send queues a message for the program, which has a weight in the backlog. It never blocks, since
// the relay holds its lock.
func (in *input) send(message []byte, weight int64) {
	in.lock.Lock()
	defer in.lock.Unlock()
	if in.ended {
		in.backlog.Release(weight)
		return
	}
	in.queue = append(in.queue, queued{message, weight})
	in.wake.Signal()
}

// close ends stdin after the queue.
func (in *input) close() {
	in.lock.Lock()
	defer in.lock.Unlock()
	in.closed = true
	in.wake.Signal()
}

// deliver writes the queue to the stdin of the program, until its end. Then it drops what the program
// won't read.
func (in *input) deliver(stdin io.WriteCloser) {
	defer func() {
		_ = stdin.Close()
		in.lock.Lock()
		defer in.lock.Unlock()
		in.ended = true
		for _, left := range in.queue {
			in.backlog.Release(left.weight)
		}
		in.queue = nil
	}()
	for {
		in.lock.Lock()
		for len(in.queue) == 0 && !in.closed {
			in.wake.Wait()
		}
		if len(in.queue) == 0 {
			in.lock.Unlock()
			return
		}
		next := in.queue[0]
		in.queue = in.queue[1:]
		in.lock.Unlock()
		_, err := stdin.Write(append(slices.Clip(next.message), '\n'))
		in.backlog.Release(next.weight)
		if err != nil {
			return // the process has ended, or has closed its stdin
		}
	}
}

// answered receives an answer to a request of our own.
func (in *input) answered(m *jsonrpc.Message) {
	select {
	case in.answers <- &jsonrpc.Message{Result: bytes.Clone(m.Result), Error: bytes.Clone(m.Error)}:
	default: // nobody waits for it any longer
	}
}
