package protocol

import (
	"context"
	"net/http"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
)

// takesSubscriptions reports whether a legacy client can subscribe to resources here. A
// method of the user's own goes before the engine's.
func (r *Registry) takesSubscriptions(call *Call) bool {
	return r.offersResources() && call.peer.Interest != nil && r.methods[string(call.Message().Method)] == nil
}

// subscribe answers resources/subscribe and resources/unsubscribe of a legacy client. A
// resource that isn't there for it is not subscribed to, which it isn't told: the
// answer would tell what is hidden.
func (c *Core) subscribe(call *Call, r *Registry, wants bool) {
	text, ok := jsonrpc.Text(call.Message().URI)
	if !ok {
		call.fail(invalidParams("Invalid params: the member \"uri\" must be the URI of a resource"))
		return
	}
	uri, interest := string(text), call.peer.Interest
	if !wants {
		interest.remove(uri)
	} else if r.readable(call.parent, uri) {
		if fault := interest.add(uri); fault != nil {
			call.fail(fault)
			return
		}
	}
	frame := jsonrpc.NewFrame()
	b := jsonrpc.AppendResult(frame.Open(), call.Message().ID)
	frame.Close(jsonrpc.AppendEnd(append(b, "{}"...)))
	call.finish("ok", http.StatusOK, frame)
}

// tooInterested is the fault for more resources than a client may be told of.
func tooInterested() *Fault {
	return invalidParams("Invalid params: at most %d resources may be subscribed to, and their URIs may have %d bytes together", maxInterest, maxInterestBytes)
}

// ResourceUpdated tells the clients that have subscribed to a resource that its contents
// are others. It reports false if there is no such resource, so that nobody can have.
func (c *Core) ResourceUpdated(uri string) bool {
	if !c.current.Load().exists(uri) {
		return false
	}
	if c.serving.Load() {
		c.bus.Publish(Change{ResourceUpdated, uri})
	}
	return true
}

// Shows reports whether a change may be told to the client of a context: it must be
// able to see a resource to hear of it.
func (c *Core) Shows(ctx context.Context, change Change) bool {
	return change.Kind != ResourceUpdated || c.current.Load().readable(ctx, change.URI)
}
