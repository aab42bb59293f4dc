package changes

import (
	"context"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A Topic is something that changes on a server, and of which clients can be notified: a list,
// or things that have keys, such as resources. Topics are compared by their addresses.
type Topic struct {
	// Notification is the method of the notification.
	Notification string

	// Filter is the member of the filter of subscriptions/listen that subscribes to the topic:
	// true, or, if the topic has keys, an array of them.
	Filter string

	// Key is the member of the notification's params that has the key, "" for a topic without
	// keys.
	Key string

	// Extension is the identifier of the extension that owns the topic, "" for the protocol's
	// own. Only clients that declare it are notified.
	Extension string

	// Normalize returns the one spelling of a key that is compared. It may be nil.
	Normalize func(key string) string

	// Visible reports whether the client of a request may know of a key. It may be nil.
	Visible func(ctx context.Context, key string) bool

	// Params returns further params of the notification to the client of a request, a raw
	// object. It may be nil.
	Params func(ctx context.Context, key string) ([]byte, error)
}

// normalize returns the spelling of a key that is compared.
func (t *Topic) normalize(key string) string {
	if t.Normalize == nil {
		return key
	}
	return t.Normalize(key)
}

// Shows reports whether the client of a request may know of a key.
func (t *Topic) Shows(ctx context.Context, key string) bool {
	return t.Visible == nil || t.Visible(ctx, key)
}

// A Change is a change on a server, of which clients can be notified.
type Change struct {
	Topic *Topic // nil if changes of any topic may have been lost
	Key   string // "" if the topic has no keys

	// A private change concerns only the clients of the principal with an ID, which is "" for
	// anonymous clients.
	Private   bool
	Principal string
}

// AppendNotification appends the notification of the change to the client of a request. It
// returns nil if the client may not know of it. Subscription is the raw id of the client's
// subscriptions/listen request, nil for legacy clients.
func (c Change) AppendNotification(ctx context.Context, dst, subscription []byte) ([]byte, error) {
	if !c.Topic.Shows(ctx, c.Key) {
		return nil, nil
	}
	var params spec.Object
	if c.Topic.Params != nil {
		raw, err := c.Topic.Params(ctx, c.Key)
		if err != nil {
			return nil, err
		}
		params = spec.ParseObject(raw)
	}
	if c.Topic.Key != "" {
		params.Set(c.Topic.Key, codec.AppendQuote(nil, c.Key))
	}
	if subscription != nil {
		params.Set("_meta", SubscriptionMeta(subscription))
	}
	dst = append(append(append(dst, `{"jsonrpc":"2.0","method":"`...), c.Topic.Notification...), '"')
	if len(params) > 0 {
		dst = params.Append(append(dst, `,"params":`...))
	}
	return append(dst, '}'), nil
}

// SubscriptionMeta returns the raw _meta of a message of a subscription with a raw id.
func SubscriptionMeta(subscription []byte) []byte {
	return append(append([]byte(`{"`+spec.MetaSubscriptionID+`":`), subscription...), '}')
}
