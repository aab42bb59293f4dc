package storetest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/store"
)

// heard are the messages that a subscriber has received.
type heard struct {
	lock     sync.Mutex
	messages []store.Message
}

// hear subscribes until the end of the test.
func hear(t testing.TB, s store.Store) *heard {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	h := &heard{}
	must(t, "subscribe", s.Subscribe(ctx, h.add), nil)
	return h
}

func (h *heard) add(m store.Message) {
	h.lock.Lock()
	defer h.lock.Unlock()
	h.messages = append(h.messages, m)
}

// has reports whether a message was received.
func (h *heard) has(topic, payload string) bool {
	h.lock.Lock()
	defer h.lock.Unlock()
	for _, m := range h.messages {
		if m.Topic == topic && string(m.Payload) == payload && !m.Gap {
			return true
		}
	}
	return false
}

// told reports whether a message was received, or that messages may have been lost.
func (h *heard) told(topic, payload string) bool {
	if h.has(topic, payload) {
		return true
	}
	h.lock.Lock()
	defer h.lock.Unlock()
	return slices.ContainsFunc(h.messages, func(m store.Message) bool { return m.Gap && m.Topic == "" && len(m.Payload) == 0 })
}

func bus(t *testing.T, h handles) {
	one, two := hear(t, h.one), hear(t, h.two)
	for i, payload := range []string{"a", "", "a line\nand another", "\x00\xff"} {
		topic := fmt.Sprintf("%s\x00\n'%d", h.prefix, i)
		must(t, "publish", h.both(i).Publish(t.Context(), topic, []byte(payload)), nil)
		eventually(t, "the message on both handles", func() bool { return one.has(topic, payload) && two.has(topic, payload) })
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := &heard{}
	must(t, "subscribe", h.one.Subscribe(ctx, ended.add), nil)
	cancel()
	must(t, "publish", h.one.Publish(t.Context(), h.prefix+"end", nil), nil)
	eventually(t, "the last message", func() bool { return one.has(h.prefix+"end", "") })
	if time.Sleep(20 * time.Millisecond); ended.has(h.prefix+"end", "") {
		t.Error("a subscriber gets a message after its context has ended")
	}
	must(t, "publish", h.one.Publish(t.Context(), h.prefix+"later", nil), nil)
	eventually(t, "a message after another subscriber has ended", func() bool { return one.has(h.prefix+"later", "") && two.has(h.prefix+"later", "") })
}

// slow checks that 2000 messages reach one subscriber while another one sleeps, which then
// gets them or a gap.
func slow(t *testing.T, h handles) {
	asleep, sleeper, awake := make(chan struct{}), &heard{}, hear(t, h.one)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	must(t, "subscribe", h.one.Subscribe(ctx, func(m store.Message) {
		<-asleep
		sleeper.add(m)
	}), nil)
	for i := range 2000 {
		must(t, "publish", h.both(i).Publish(t.Context(), h.prefix, fmt.Append(nil, i)), nil)
	}
	eventually(t, "the last message or a gap", func() bool { return awake.told(h.prefix, "1999") })
	close(asleep)
	eventually(t, "the last message or a gap after the sleep", func() bool { return sleeper.told(h.prefix, "1999") })
}
