package changes

import (
	"context"
	"crypto/rand"
	"slices"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/framework/store"
	"github.com/bowline-mcp/bowline/internal/engine/shared"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// others are the feeds of a server in other processes. They get the changes by the bus of the
// store. If a change can't be sent, the others hear later that changes were lost, and notify
// their clients of everything that these follow.
type others struct {
	feed    *Feed
	store   *shared.Store
	topic   string
	process string // tells messages of this process from those of others

	lock    sync.Mutex
	pending []Change // not yet sent, each once
	running bool     // whether a goroutine sends them
}

// A sent change is a message of the bus. Without a notification, it says that changes were
// lost.
type sent struct {
	Process      string `json:"process"`
	Notification string `json:"notification,omitempty"`
	Key          string `json:"key,omitempty"`
	Private      bool   `json:"private,omitempty"`
	Principal    string `json:"principal,omitempty"`
}

// Share connects the feed with the feeds of the same name in other processes. The extensions of
// the server may publish changes meanwhile.
func (d *Feed) Share(s *shared.Store, name string) {
	others := &others{feed: d, store: s, topic: "changes/" + shared.Key(name), process: rand.Text()}
	d.lock.Lock()
	d.others = others
	d.lock.Unlock()
	s.Listen(others.topic, others.receive)
}

// receive publishes a change of another process.
func (o *others) receive(payload []byte) {
	var got sent
	if payload != nil && codec.Unmarshal(payload, &got) != nil || got.Process == o.process {
		return
	}
	change := Change{Key: got.Key, Private: got.Private, Principal: got.Principal}
	if got.Notification != "" {
		topics := o.feed.Topics()
		i := slices.IndexFunc(topics, func(topic *Topic) bool { return topic.Notification == got.Notification })
		if i < 0 { // another release of the program has it
			return
		}
		change.Topic = topics[i]
	}
	o.feed.publish(change)
}

// add sends a change soon.
func (o *others) add(change Change) {
	o.lock.Lock()
	defer o.lock.Unlock()
	switch {
	case slices.Contains(o.pending, Change{}), slices.Contains(o.pending, change):
		return
	case change == Change{}, len(o.pending) >= limits.StoreMessages:
		o.pending = []Change{{}} // which includes the others
	default:
		o.pending = append(o.pending, change)
	}
	if !o.running {
		o.running = true
		go o.run()
	}
}

// run sends the pending changes.
func (o *others) run() {
	for changes := o.take(); changes != nil; changes = o.take() {
		for _, change := range changes {
			if o.store.Publish(context.Background(), o.topic, o.encode(change)) == nil { // otherwise, the store has logged why
				continue
			}
			o.add(Change{})
			select {
			case <-time.After(limits.StorePause):
			case <-o.store.Ended():
				return
			}
			break
		}
	}
}

// take removes and returns the pending changes, or nil if the goroutine isn't needed any longer.
func (o *others) take() []Change {
	o.lock.Lock()
	defer o.lock.Unlock()
	taken := o.pending
	o.pending, o.running = nil, taken != nil
	return taken
}

// encode returns the message for a change. If the change is too large for one, it says that
// changes were lost.
func (o *others) encode(change Change) []byte {
	message := sent{Process: o.process}
	if change.Topic != nil {
		message = sent{o.process, change.Topic.Notification, change.Key, change.Private, change.Principal}
	}
	encoded, err := codec.Marshal(message)
	if err != nil || len(encoded) > store.MaxMessage {
		return o.encode(Change{})
	}
	return encoded
}
