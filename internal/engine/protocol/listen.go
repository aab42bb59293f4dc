package protocol

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/changes"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// listen answers subscriptions/listen with an acknowledgment and a stream that stays open.
// The stream isn't a call, so a shutdown doesn't wait for it. The error says why there is no
// stream.
func (c *Core) listen(ctx context.Context, a *call.Arrival, reply call.Reply) *exchange.Error {
	m := &a.Message
	filter, refusal := c.parseFilter(m)
	if refusal != nil {
		return refusal
	}
	interest, keys, refusal := c.allowedInterest(ctx, filter, a.HTTP)
	if refusal != nil {
		return refusal
	}
	opened := &subscription{
		ctx: call.Identify(ctx, m.Meta.ClientInfo), core: c, id: bytes.Clone(m.ID), table: a.Table, http: a.HTTP, reply: reply, interest: interest, start: time.Now(),
	}
	if refusal := c.server.Shares.Open(&opened.held, a.HTTP); refusal != nil {
		interest.End()
		return refusal
	}
	if streamer, ok := reply.(call.Streamer); !ok || !streamer.KeepOpen(opened.disconnected) {
		c.server.Shares.Close(&opened.held)
		interest.End()
		return fault.WithStatus(http.StatusNotAcceptable, "Invalid request: the answer is a stream, so Accept must include text/event-stream")
	}
	opened.follower = c.feed.Follow(interest, opened.notify, opened.disconnected)
	if refusal := c.subscriptions.enter(opened); refusal != nil {
		c.server.Shares.Close(&opened.held)
		opened.follower.Stop()
		interest.End()
		return refusal
	}
	opened.acknowledge(appendAcknowledgement(nil, opened.id, interest, keys))
	return nil
}

// A filter holds what a client subscribes to.
type filter struct {
	topics []*changes.Topic // without keys
	keyed  []keyedTopic
}

// A keyedTopic has keys of a topic to which a client subscribes.
type keyedTopic struct {
	topic *changes.Topic
	keys  []string
}

// parseFilter decodes the params of a listen request. It ignores members that are no filter of
// any topic: they may belong to extensions that the server doesn't have.
func (c *Core) parseFilter(m *jsonrpc.Message) (f filter, refusal *exchange.Error) {
	raw := spec.Lookup(m.Params, "notifications")
	if !jsonrpc.IsObject(raw) {
		return f, fault.InvalidParams("the member \"notifications\" must be an object that lists the subscriptions, such as {\"toolsListChanged\":true}")
	}
	client := request.Client{Capabilities: m.Meta.ClientCapabilities}
	object := spec.ParseObject(raw)
	for _, topic := range c.feed.Topics() {
		value := object.Get(topic.Filter)
		if value == nil || jsonrpc.IsNull(value) {
			continue
		}
		if topic.Extension != "" && !client.Declares(topic.Extension) {
			return f, fault.MissingExtension(topic.Extension, spec.Newest)
		}
		switch text := string(value); {
		case topic.Key != "":
			keys, ok := parseKeys(value)
			if !ok {
				return f, badKeys(topic)
			}
			f.keyed = append(f.keyed, keyedTopic{topic, keys})
		case text == "true":
			f.topics = append(f.topics, topic)
		case text != "false":
			return f, fault.InvalidParams("the member %q of \"notifications\" must be true or false", topic.Filter)
		}
	}
	return f, nil
}

// parseKeys decodes an array of texts.
func parseKeys(raw []byte) (keys []string, ok bool) {
	if raw[0] != '[' {
		return nil, false
	}
	for _, value := range spec.ParseArray(raw) {
		key, ok := jsonrpc.Text(value)
		if !ok {
			return nil, false
		}
		keys = append(keys, string(key))
	}
	return keys, true
}

func badKeys(topic *changes.Topic) *exchange.Error {
	what := "strings"
	if topic.Key == "uri" {
		what = "URIs"
	}
	return fault.InvalidParams("the member %q of \"notifications\" must be an array of %s", topic.Filter, what)
}

// allowedInterest returns the interest of a client in the topics of a filter, and in the keys
// of the filter that the client may know of. It returns these keys too.
func (c *Core) allowedInterest(ctx context.Context, f filter, r *http.Request) (interest *changes.Interest, allowed []keyedTopic, refusal *exchange.Error) {
	count, size := 0, 0
	for _, keyed := range f.keyed {
		count += len(keyed.keys)
		for _, key := range keyed.keys {
			size += len(key)
		}
	}
	if count > limits.MaxResources || size > limits.MaxResourceBytes { // before looking them up
		return nil, nil, changes.TooMany()
	}
	interest = c.interest(ctx, f.topics, r)
	for _, keyed := range f.keyed {
		shown := keyedTopic{topic: keyed.topic}
		for _, key := range keyed.keys {
			if interest.Includes(changes.Change{Topic: keyed.topic, Key: key}) || !keyed.topic.Shows(ctx, key) {
				continue
			}
			if refusal := interest.Add(keyed.topic, key); refusal != nil {
				interest.End()
				return nil, nil, refusal
			}
			shown.keys = append(shown.keys, key)
		}
		if shown.keys != nil {
			allowed = append(allowed, shown)
		}
	}
	return interest, allowed, nil
}

// appendAcknowledgement appends the params of a stream's first message.
func appendAcknowledgement(dst, id []byte, interest *changes.Interest, allowed []keyedTopic) []byte {
	var o spec.Object
	for _, topic := range interest.Topics() {
		o.Set(topic.Filter, []byte("true"))
	}
	for _, keyed := range allowed {
		values := make([][]byte, len(keyed.keys))
		for i, key := range keyed.keys {
			values[i] = codec.AppendQuote(nil, key)
		}
		o.Set(keyed.topic.Filter, spec.AppendArray(nil, values))
	}
	params := spec.Object{{Name: "_meta", Value: changes.SubscriptionMeta(id)}, {Name: "notifications", Value: o.Append(nil)}}
	return params.Append(dst)
}
