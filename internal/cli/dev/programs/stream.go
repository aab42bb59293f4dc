package programs

import (
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
)

// A Stream is an open subscriptions/listen, which moves to each new program.
type Stream struct {
	// Moved says whether the client has yet to hear of the lists of a new program.
	Moved bool
	// Message is the request, if the transport keeps it.
	Message []byte

	id           []byte // raw, of the request
	wanted       lists
	acknowledged bool // whether the client has the acknowledgement
}

// acknowledged is the method of the first message of a stream (specification: Subscriptions).
const acknowledged = "notifications/subscriptions/acknowledged"

// Passes reports whether the client gets a message of the stream. The client gets one acknowledgement,
// before anything else. Each program after the first one makes the client hear that the lists have
// changed: changed are the notifications that follow.
func (s *Stream) Passes(m *jsonrpc.Message) (passes bool, changed [][]byte) {
	if string(m.Method) != acknowledged {
		return true, nil
	}
	passes = !s.acknowledged
	s.acknowledged = true
	if s.Moved {
		s.Moved = false
		changed = s.wanted.changed(s.id)
	}
	return passes, changed
}

const subscriptionID = "io.modelcontextprotocol/subscriptionId"

// SubscriptionOf returns the raw id of the subscription that a notification belongs to, or nil.
func SubscriptionOf(m *jsonrpc.Message) []byte {
	for name, value := range rawjson.Members(m.Meta.Raw) {
		if name == subscriptionID {
			return value
		}
	}
	return nil
}
