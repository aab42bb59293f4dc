package transport

import (
	"bytes"
	"context"
	"errors"
	"sync"
)

// pairQueue is the number of messages that may be in transit to one end of a pair.
const pairQueue = 64

// Pair returns the two ends of a connection within the process. The Message handler of
// one end gets the messages that the other end sends, one at a time, on a goroutine that
// runs from Start until the pair is closed. Serve one end, and use the other as the
// client:
//
//	client, server := transport.Pair()
//	go mcp.ServeTransport(ctx, &WeatherServer{}, server)
//	err := client.Start(ctx, transport.Handlers{Message: func(message []byte) { … }})
//	err = client.Send(ctx, request)
//
// Send waits while 64 messages are in transit. Closing one end closes both: messages in
// transit are dropped, and each end's Close handler is called. A nil handler is not
// called.
func Pair() (client, server Transport) {
	here, there, closed := make(chan []byte, pairQueue), make(chan []byte, pairQueue), make(chan struct{})
	end := sync.OnceFunc(func() { close(closed) })
	return &half{in: here, out: there, closed: closed, end: end}, &half{in: there, out: here, closed: closed, end: end}
}

// A half is one end of a pair.
type half struct {
	in, out chan []byte
	closed  chan struct{}
	end     func()
	started sync.Once
}

// Start begins to receive messages.
func (h *half) Start(_ context.Context, handlers Handlers) error {
	err := errors.New("this end of the pair has already been started; call Start once")
	h.started.Do(func() {
		err = nil
		go h.receive(handlers)
	})
	return err
}

// receive calls the handlers until the pair is closed.
func (h *half) receive(handlers Handlers) {
	for {
		select {
		case <-h.closed:
			if handlers.Close != nil {
				handlers.Close()
			}
			return
		case message := <-h.in:
			if handlers.Message != nil {
				handlers.Message(message)
			}
		}
	}
}

// Send carries a copy of the message to the other end.
func (h *half) Send(ctx context.Context, message []byte) error {
	select {
	case <-h.closed: // checked first, since the queue may have room
		return ErrClosed
	default:
	}
	select {
	case <-h.closed:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	case h.out <- bytes.Clone(message):
		return nil
	}
}

// Close closes both ends.
func (h *half) Close() error {
	h.end()
	return nil
}
