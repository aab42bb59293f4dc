package store

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// bus is the Bus of Memory.
type bus struct {
	guard       sync.Mutex
	subscribers []*subscriber
}

// A subscriber has messages that wait. A goroutine passes them on while there are some.
type subscriber struct {
	ctx     context.Context
	receive func(Message)

	lock    sync.Mutex
	waiting []Message
	running bool
}

// Publish sends a message to all subscribers.
func (b *bus) Publish(ctx context.Context, topic string, payload []byte) error {
	if err := check(ctx, topic, 0); err != nil {
		return err
	}
	if len(payload) > MaxMessage {
		return ErrTooLarge
	}
	message := Message{Topic: topic, Payload: bytes.Clone(payload)}
	b.guard.Lock()
	defer b.guard.Unlock()
	for _, s := range b.subscribers {
		s.add(message)
	}
	return nil
}

// Subscribe has receive called for all messages until the context ends.
func (b *bus) Subscribe(ctx context.Context, receive func(Message)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	added := &subscriber{ctx: ctx, receive: receive}
	b.guard.Lock()
	b.subscribers = append(b.subscribers, added)
	b.guard.Unlock()
	context.AfterFunc(ctx, func() {
		b.guard.Lock()
		defer b.guard.Unlock()
		b.subscribers = slices.DeleteFunc(b.subscribers, func(s *subscriber) bool { return s == added })
	})
	return nil
}

// add adds a message. If too many wait, a gap replaces them.
func (s *subscriber) add(m Message) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if len(s.waiting) >= limits.StoreMessages {
		m, s.waiting = Message{Gap: true}, nil
	}
	s.waiting = append(s.waiting, m)
	if !s.running {
		s.running = true
		go s.run()
	}
}

// run passes on the messages that wait.
func (s *subscriber) run() {
	for {
		messages := s.take()
		if messages == nil {
			return
		}
		for _, m := range messages {
			if s.ctx.Err() != nil {
				return
			}
			s.receive(m)
		}
	}
}

// take returns the messages that wait, or nil if the goroutine isn't needed any longer.
func (s *subscriber) take() []Message {
	s.lock.Lock()
	defer s.lock.Unlock()
	taken := s.waiting
	s.waiting, s.running = nil, taken != nil
	return taken
}
