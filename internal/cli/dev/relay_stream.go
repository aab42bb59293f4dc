package dev

import "github.com/bowline-mcp/bowline/internal/json/jsonrpc"

// A stream is an open subscriptions/listen, which moves to each new program.
type stream struct {
	message      []byte
	wanted       lists
	program      *stdioProgram
	acknowledged bool // whether the client has the acknowledgement
	moved        bool // whether the client has yet to hear of the lists of a new program
}

// passesStream reports whether the client gets a notification of a stream.
func (x *relay) passesStream(p *stdioProgram, m *jsonrpc.Message, of *stream) bool {
	if of == nil || of.program != p {
		return false // the client has ended it, or it continues at another program
	}
	if string(m.Method) == acknowledged {
		again := of.acknowledged
		of.acknowledged = true
		return !again
	}
	return true
}

// isChange reports whether a notification is about a list or a resource. A program whose
// successor serves no longer has anything to say about them.
func isChange(m *jsonrpc.Message) bool {
	switch string(m.Method) {
	case "notifications/tools/list_changed", "notifications/resources/list_changed", "notifications/prompts/list_changed", "notifications/resources/updated":
		return true
	}
	return false
}

// changedLists returns what the client hears after a message of a new program. A stream hears of
// its lists when the program has acknowledged it. An older client hears of a list in which only
// the new program has items when the program has answered one of our own requests. The caller
// holds the lock.
func (x *relay) changedLists(p *stdioProgram, m *jsonrpc.Message) [][]byte {
	if isOwn(m.ID) {
		return x.newLists(p, m)
	}
	id := subscriptionOf(m)
	stream := x.streams[string(id)]
	if string(m.Method) != acknowledged || stream == nil || stream.program != p || !stream.moved {
		return nil
	}
	stream.moved = false
	return stream.wanted.changed(id)
}

// newLists returns what an older client hears after the answer to one of our own requests.
func (x *relay) newLists(p *stdioProgram, m *jsonrpc.Message) (changed [][]byte) {
	if x.current != p {
		return nil
	}
	for _, request := range p.untold.requests() {
		if string(m.ID) != ownID+request.method+`"` {
			continue
		}
		if filled, isList := filledIn(m.Result); isList && filled == (lists{}) {
			return nil
		}
		p.untold = p.untold.without(request.of)
		x.handshake.announced = x.handshake.announced.or(request.of)
		return request.of.changed(nil)
	}
	return nil
}
