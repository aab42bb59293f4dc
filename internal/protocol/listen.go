package protocol

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/jsonrpc"
)

// listen answers subscriptions/listen: with an acknowledgement of what the client will
// be told of, and then with a stream that stays open. No call waits for it, and nothing
// of the message is kept but its id.
func (c *Core) listen(ctx context.Context, a *Arrival, reply Reply) {
	m, r := &a.Message, c.current.Load()
	if r.lists() == [ResourceUpdated]bool{} {
		c.Refuse(m.ID, methodNotFound(m.Method), Newest, reply)
		return
	}
	filter, fault := parseFilter(m.Params)
	if fault == nil {
		fault = c.open(ctx, a, reply, filter, r)
	}
	if fault != nil {
		c.Refuse(m.ID, fault, Newest, reply)
	}
}

// A filter is what a client asks to be told of.
type filter struct {
	lists [ResourceUpdated]bool // by the kind of change
	uris  []string
}

// parseFilter reads the params of a listen request. Members that aren't known belong to
// extensions.
func parseFilter(params []byte) (f filter, fault *Fault) {
	raw := lookup(params, []string{"notifications"})
	if !jsonrpc.IsObject(raw) {
		return f, invalidParams("Invalid params: the member \"notifications\" must be an object that says what to listen to, such as {\"toolsListChanged\":true}")
	}
	object := parseObject(raw)
	for kind, member := range filterMembers() {
		switch value := object.get(member); string(value) {
		case "", "false":
		case "true":
			f.lists[kind] = true
		default:
			return f, invalidParams("Invalid params: the member %q of \"notifications\" must be true or false", member)
		}
	}
	uris := object.get(filterURIs)
	if uris != nil && uris[0] != '[' {
		return f, badURIs()
	}
	for _, value := range parseArray(uris) {
		uri, ok := jsonrpc.Text(value)
		if !ok {
			return f, badURIs()
		}
		f.uris = append(f.uris, string(uri))
	}
	return f, nil
}

// filterMembers are the members of a filter that ask for lists, by the kind of change.
func filterMembers() [ResourceUpdated]string {
	return [ResourceUpdated]string{ToolsChanged: "toolsListChanged", PromptsChanged: "promptsListChanged", ResourcesChanged: "resourcesListChanged"}
}

// filterURIs is the member that asks for resources.
const filterURIs = "resourceSubscriptions"

func badURIs() *Fault {
	return invalidParams("Invalid params: the member %q of \"notifications\" must be an array of URIs", filterURIs)
}

// honour returns what of a filter the client is told of, and those of its resources that
// are there for the client.
func (c *Core) honour(ctx context.Context, f *filter, r *Registry) (interest *Interest, uris []string, fault *Fault) {
	interest = &Interest{all: &c.uris}
	for kind, declared := range r.lists() {
		interest.lists[kind] = declared && f.lists[kind]
	}
	if len(f.uris) > maxInterest { // before anything is looked for
		return nil, nil, tooInterested()
	}
	for _, uri := range f.uris {
		if interest.includes(Change{ResourceUpdated, uri}) || !r.readable(ctx, uri) {
			continue
		}
		if fault := interest.add(uri); fault != nil {
			interest.End()
			return nil, nil, fault
		}
		uris = append(uris, uri)
	}
	return interest, uris, nil
}

// open opens the stream.
func (c *Core) open(ctx context.Context, a *Arrival, reply Reply, f filter, r *Registry) *Fault {
	interest, uris, fault := c.honour(ctx, &f, r)
	if fault != nil {
		return fault
	}
	s := &subscription{core: c, id: bytes.Clone(a.Message.ID), calls: a.Calls, reply: reply, number: c.numbers.Add(1), start: time.Now()}
	if streamer, ok := reply.(Streamer); !ok || !streamer.Hold(s.gone) {
		interest.End()
		return &Fault{
			Code: jsonrpc.InvalidRequest, Message: "Invalid request: the answer is a stream, so Accept must include text/event-stream",
			Status: http.StatusNotAcceptable,
		}
	}
	a.Kept = true
	s.follower = c.Follow(interest, func(change Change) error { return s.tell(ctx, change) }, s.gone)
	if fault := c.streams.enter(s); fault != nil {
		s.follower.Stop()
		interest.End()
		return fault
	}
	s.acknowledge(appendAcknowledgement(nil, s.id, interest, uris))
	return nil
}

// appendAcknowledgement appends the first message of a stream.
func appendAcknowledgement(dst, id []byte, interest *Interest, uris []string) []byte {
	dst = append(dst, `{`...)
	dst = append(appendSubscriptionMeta(dst, id), `,"notifications":`...)
	var o object
	for kind, member := range filterMembers() {
		if interest.lists[kind] {
			o.set(member, []byte("true"))
		}
	}
	if len(uris) > 0 {
		values := make([][]byte, len(uris))
		for i, uri := range uris {
			values[i] = codec.AppendQuote(nil, uri)
		}
		o.set(filterURIs, appendArray(nil, values))
	}
	return append(o.append(dst), '}')
}
