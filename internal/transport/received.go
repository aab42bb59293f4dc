package transport

import (
	"context"
	"fmt"
	"time"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// received is a message that a stream has received, and the reply to it.
type received struct {
	stream  *stream
	ctx     context.Context
	arrival protocol.Arrival
	buffer  *[]byte
	counted bool // whether it holds one of the places of running calls
}

// Notify writes a notification.
func (r *received) Notify(frame *jsonrpc.Frame) error { return r.stream.send(frame) }

// Within does nothing: a stream has no deadline for an answer.
func (r *received) Within(time.Duration) {}

// Late does nothing: a stream goes on.
func (r *received) Late() {}

// Hold keeps the message as the reply that it is, but not its bytes. A client that is
// gone is found out by the stream.
func (r *received) Hold(func(error)) bool {
	r.leave()
	return true
}

// Finish writes the answer. A nil frame, or the refusal of what isn't a request, is
// none.
func (r *received) Finish(_ int, frame *jsonrpc.Frame, rest ...[]byte) {
	if kind := r.arrival.Message.Kind; frame != nil && kind != jsonrpc.Notification && kind != jsonrpc.Response {
		if err := r.stream.send(frame, rest...); err != nil {
			r.stream.logger.Error("writing an answer", "error", err)
			r.stream.stop(fmt.Errorf("the client takes no answers any more: %w", err))
		}
	}
	r.leave()
}

// leave gives the place of a running call to the next.
func (r *received) leave() {
	if !r.counted {
		return
	}
	r.counted = false
	r.stream.queue.leave(func(next *received) {
		next.counted = true
		go r.stream.serve(next)
	})
}
