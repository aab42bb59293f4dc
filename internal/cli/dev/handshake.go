package dev

import (
	"bytes"
	"iter"
	"maps"
	"slices"

	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
)

// A handshake is what a client before 2026-07-28 has told a server. A new program is told
// the same, so that the client needn't begin again.
type handshake struct {
	initialize    []byte            // the params of initialize; nil if the client hasn't sent it
	level         []byte            // those of logging/setLevel
	subscriptions map[string][]byte // those of resources/subscribe, by URI
	announced     lists             // those in which a program so far has had items
}

// observe remembers what a message of the client changes.
func (h *handshake) observe(m *jsonrpc.Message) {
	for m := range messages(m) {
		switch string(m.Method) {
		case "initialize":
			*h = handshake{initialize: bytes.Clone(m.Params)}
		case "logging/setLevel":
			h.level = bytes.Clone(m.Params)
		case "resources/subscribe":
			if h.subscriptions == nil {
				h.subscriptions = map[string][]byte{}
			}
			h.subscriptions[string(m.URI)] = bytes.Clone(m.Params)
		case "resources/unsubscribe":
			delete(h.subscriptions, string(m.URI))
		}
	}
}

// observeAnswer remembers the lists in which the client has seen items.
func (h *handshake) observeAnswer(m *jsonrpc.Message) {
	filled, _ := filledIn(m.Result)
	h.announced = h.announced.or(filled)
}

// messages yields a message, or those of a batch.
func messages(m *jsonrpc.Message) iter.Seq[*jsonrpc.Message] {
	return func(yield func(*jsonrpc.Message) bool) {
		if m.Kind != jsonrpc.Batch {
			yield(m)
			return
		}
		for member, err := range m.Members() {
			if err == nil && !yield(member) {
				return
			}
		}
	}
}

// client returns the name of the client.
func (h *handshake) client() string {
	for name, value := range rawjson.Members(h.initialize) {
		if name == "clientInfo" {
			return clientName(value)
		}
	}
	return ""
}

// request returns the initialize request for a new program.
func (h *handshake) request() []byte { return ownRequest("initialize", h.initialize) }

// following returns what follows the answer to initialize: notifications, and requests with ids of
// our own.
func (h *handshake) following() [][]byte {
	messages := [][]byte{jsonrpc.AppendNotification(nil, "notifications/initialized", nil)}
	if h.level != nil {
		messages = append(messages, ownRequest("logging/setLevel", h.level))
	}
	for _, uri := range slices.Sorted(maps.Keys(h.subscriptions)) {
		messages = append(messages, ownRequest("resources/subscribe", h.subscriptions[uri]))
	}
	return messages
}

// ownID begins the ids of the requests that the client didn't send. Their answers aren't
// passed on.
const ownID = `"mcp-dev:`

// ownRequest returns a request of our own. Params may be nil.
func ownRequest(method string, params []byte) []byte {
	message := append([]byte(`{"jsonrpc":"2.0","id":`), ownID...)
	message = append(append(message, method...), `","method":"`...)
	message = append(append(message, method...), '"')
	if params != nil {
		message = append(append(message, `,"params":`...), params...)
	}
	return append(message, '}')
}

func isOwn(id []byte) bool { return bytes.HasPrefix(id, []byte(ownID)) }
