package transport

import (
	"bytes"
	"context"
	"errors"
	"sync"
)

// pairQueue is how many messages may be on the way to an end of a pair.
const pairQueue = 64

// Pair returns the two ends of a connection within the process. What one end sends,
// the other's Message handler gets, one message at a time on a goroutine that lives
// from Start until the pair is closed. Serve one end, and be the client at the other:
//
//	client, server := transport.Pair()
//	go mcp.ServeTransport(ctx, &WeatherServer{}, server)
//	err := client.Start(ctx, transport.Handlers{Message: func(message []byte) { … }})
//	err = client.Send(ctx, request)
//
// Send waits while 64 messages are on the way. Closing one end closes both; messages
// that are on the way are dropped, and each end's Close handler is called. A handler
// that is nil is not called.
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

// Start begins to receive.
func (h *half) Start(_ context.Context, handlers Handlers) error {
	err := errors.New("this end of the pair has been started before")
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
	case <-h.closed: // even if there is room
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
