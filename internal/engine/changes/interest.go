package changes

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// An Interest is the set of topics and keys that one client follows.
type Interest struct {
	feed      *Feed
	topics    []*Topic // without keys
	principal string   // the ID of the client's principal
	memory    *throttle.Share
	mark      uint64 // the feed's count when the client was last notified; guarded by the lock of the feed

	record func(ctx context.Context, key string, follows bool) *exchange.Error // see Keep; it may be nil

	lock  sync.Mutex
	keys  map[followed]string // the client's spellings
	bytes int                 // of the client's spellings
	held  throttle.Holding
	over  bool // whether the client has disconnected
}

// followed is a key of a topic, in the spelling that is compared.
type followed struct {
	topic *Topic
	key   string
}

// Topics returns the topics without keys that the client follows.
func (i *Interest) Topics() []*Topic { return i.topics }

// Add adds a key of a topic. If a limit is reached, it returns the error for the client.
func (i *Interest) Add(topic *Topic, key string) *exchange.Error {
	_, refusal := i.add(topic, key)
	return refusal
}

// add adds a key like Add, and reports whether the interest didn't have it.
func (i *Interest) add(topic *Topic, key string) (isNew bool, refusal *exchange.Error) {
	i.lock.Lock()
	defer i.lock.Unlock()
	added := followed{topic, topic.normalize(key)}
	if _, have := i.keys[added]; have || i.over {
		return false, nil
	}
	if len(i.keys) == limits.MaxResources || i.bytes+len(key) > limits.MaxResourceBytes {
		return false, TooMany()
	}
	if refusal := i.memory.Take(&i.held, cost(key), nil); refusal != nil {
		return false, refusal
	}
	if i.keys == nil {
		i.keys = map[followed]string{}
	}
	i.keys[added] = key
	i.bytes += len(key)
	return true, nil
}

// cost returns how many bytes of memory a key takes.
func cost(key string) int64 { return int64(len(key) + limits.ResourceCost) }

// Remove removes a key, if the interest has it.
func (i *Interest) Remove(topic *Topic, key string) {
	i.lock.Lock()
	defer i.lock.Unlock()
	removed := followed{topic, topic.normalize(key)}
	if spelled, have := i.keys[removed]; have {
		delete(i.keys, removed)
		i.bytes -= len(spelled)
		i.memory.GiveBack(&i.held, cost(spelled))
	}
}

// End removes all keys once the client has disconnected. It may be called more than once.
func (i *Interest) End() {
	i.lock.Lock()
	defer i.lock.Unlock()
	if i.over {
		return
	}
	i.feed.leave(i.principal)
	i.memory.Return(&i.held)
	i.keys, i.bytes, i.over = nil, 0, true
}

// Keep has record called for each key that the client begins or ceases to follow by Subscribe
// and Unsubscribe. It is called before the interest is used.
func (i *Interest) Keep(record func(ctx context.Context, key string, follows bool) *exchange.Error) {
	i.record = record
}

// Subscribe adds a key of a topic, and records that.
func (i *Interest) Subscribe(ctx context.Context, topic *Topic, key string) *exchange.Error {
	isNew, refusal := i.add(topic, key)
	if refusal != nil || i.record == nil {
		return refusal
	}
	if refusal = i.record(ctx, key, true); refusal != nil && isNew {
		i.Remove(topic, key)
	}
	return refusal
}

// Unsubscribe removes a key of a topic, after it has recorded that.
func (i *Interest) Unsubscribe(ctx context.Context, topic *Topic, key string) *exchange.Error {
	if i.record != nil {
		if refusal := i.record(ctx, key, false); refusal != nil {
			return refusal
		}
	}
	i.Remove(topic, key)
	return nil
}

// Replace replaces the keys of a topic by others, as far as the limits allow. The client has
// followed some of them, in another process, since the given times. Replace returns what has
// changed there since then: the client hasn't been notified of it by this process.
func (i *Interest) Replace(topic *Topic, keys []string, since map[string]time.Time) (missed []Change) {
	wanted := map[string]bool{}
	for _, key := range keys {
		wanted[topic.normalize(key)] = true
		isNew, _ := i.add(topic, key)
		at, known := since[key]
		if change := (Change{Topic: topic, Key: key}); isNew && known && i.feed.changed(change, at, i.principal) {
			missed = append(missed, change)
		}
	}
	i.lock.Lock()
	var gone []string
	for followed := range i.keys {
		if followed.topic == topic && !wanted[followed.key] {
			gone = append(gone, followed.key)
		}
	}
	i.lock.Unlock()
	for _, key := range gone {
		i.Remove(topic, key)
	}
	return missed
}

// Includes reports whether the client follows what changed.
func (i *Interest) Includes(change Change) bool {
	_, included := i.spelled(change)
	return included
}

// spelled returns a change as the client gets it: with the client's spelling of the key, and
// without the principal. It reports false if the client doesn't follow what changed, or if the
// change concerns another principal.
func (i *Interest) spelled(change Change) (Change, bool) {
	if change.Private && change.Principal != i.principal {
		return Change{}, false
	}
	if change.Topic.Key == "" {
		return Change{Topic: change.Topic}, slices.Contains(i.topics, change.Topic)
	}
	i.lock.Lock()
	defer i.lock.Unlock()
	key, have := i.keys[followed{change.Topic, change.Topic.normalize(change.Key)}]
	return Change{Topic: change.Topic, Key: key}, have
}

// all returns the changes of everything that the client follows.
func (i *Interest) all() (all []Change) {
	for _, topic := range i.topics {
		all = append(all, Change{Topic: topic})
	}
	i.lock.Lock()
	defer i.lock.Unlock()
	for followed, key := range i.keys {
		all = append(all, Change{Topic: followed.topic, Key: key})
	}
	return all
}

// TooMany returns the error for a client that wants to follow too many keys, which usually are
// the URIs of resources.
func TooMany() *exchange.Error {
	return fault.InvalidParams("at most %d resources may be subscribed to, and their URIs may have %d bytes together", limits.MaxResources, limits.MaxResourceBytes)
}
