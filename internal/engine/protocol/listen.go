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
	filter, refusal := parseFilter(m.Params)
	if refusal != nil {
		return refusal
	}
	interest, uris, refusal := c.allowedInterest(ctx, filter, a.HTTP)
	if refusal != nil {
		return refusal
	}
	opened := &subscription{ctx: ctx, core: c, id: bytes.Clone(m.ID), table: a.Table, http: a.HTTP, reply: reply, interest: interest, number: c.server.Number(), start: time.Now()}
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
	opened.acknowledge(appendAcknowledgement(nil, opened.id, interest, uris))
	return nil
}

// A filter holds the lists and resources to which a client subscribes.
type filter struct {
	lists changes.Lists
	uris  []string
}

// A listMember is the member of a filter that subscribes to a list.
type listMember struct {
	name  string
	asked *bool
}

func members(lists *changes.Lists) []listMember {
	return []listMember{{"toolsListChanged", &lists.Tools}, {"promptsListChanged", &lists.Prompts}, {"resourcesListChanged", &lists.Resources}}
}

// parseFilter decodes the params of a listen request. It ignores unknown members, which may
// belong to extensions.
func parseFilter(params []byte) (f filter, refusal *exchange.Error) {
	raw := spec.Lookup(params, "notifications")
	if !jsonrpc.IsObject(raw) {
		return f, fault.InvalidParams("the member \"notifications\" must be an object that lists the subscriptions, such as {\"toolsListChanged\":true}")
	}
	object := spec.ParseObject(raw)
	for _, member := range members(&f.lists) {
		switch value := object.Get(member.name); string(value) {
		case "", "null", "false":
		case "true":
			*member.asked = true
		default:
			return f, fault.InvalidParams("the member %q of \"notifications\" must be true or false", member.name)
		}
	}
	uris := object.Get(filterURIs)
	if uris != nil && uris[0] != '[' && !jsonrpc.IsNull(uris) {
		return f, badURIs()
	}
	for _, value := range spec.ParseArray(uris) {
		uri, ok := jsonrpc.Text(value)
		if !ok {
			return f, badURIs()
		}
		f.uris = append(f.uris, string(uri))
	}
	return f, nil
}

// filterURIs is the member that subscribes to resources.
const filterURIs = "resourceSubscriptions"

func badURIs() *exchange.Error {
	return fault.InvalidParams("the member %q of \"notifications\" must be an array of URIs", filterURIs)
}

// allowedInterest returns the interest of a client in the lists of a filter, and in the
// resources of the filter that the client may see.
func (c *Core) allowedInterest(ctx context.Context, f filter, r *http.Request) (interest *changes.Interest, uris []string, refusal *exchange.Error) {
	size := 0
	for _, uri := range f.uris {
		size += len(uri)
	}
	if len(f.uris) > limits.MaxResources || size > limits.MaxResourceBytes { // before looking them up
		return nil, nil, changes.TooMany()
	}
	interest, s := c.interest(ctx, f.lists, r), c.current.Load()
	for _, uri := range f.uris {
		if interest.Includes(changes.Change{Kind: changes.ResourceUpdated, URI: uri}) || !s.readable(ctx, uri) {
			continue
		}
		if refusal := interest.Add(uri); refusal != nil {
			interest.End()
			return nil, nil, refusal
		}
		uris = append(uris, uri)
	}
	return interest, uris, nil
}

// appendAcknowledgement appends the params of a stream's first message.
func appendAcknowledgement(dst, id []byte, interest *changes.Interest, uris []string) []byte {
	dst = append(changes.AppendSubscriptionMeta(append(dst, '{'), id), `,"notifications":`...)
	var o spec.Object
	lists := interest.Lists()
	for _, member := range members(&lists) {
		if *member.asked {
			o.Set(member.name, []byte("true"))
		}
	}
	if len(uris) > 0 {
		values := make([][]byte, len(uris))
		for i, uri := range uris {
			values[i] = codec.AppendQuote(nil, uri)
		}
		o.Set(filterURIs, spec.AppendArray(nil, values))
	}
	return append(o.Append(dst), '}')
}
