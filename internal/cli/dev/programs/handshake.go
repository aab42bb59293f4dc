package programs

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// A handshake is what a client before 2026-07-28 has told a server. A new program is told
// the same, so that the client needn't begin again.
type handshake struct {
	initialize    []byte            // the params of initialize; nil if the client hasn't sent it
	level         []byte            // the params of logging/setLevel
	subscriptions map[string][]byte // the params of resources/subscribe, by URI
	announced     lists             // the lists in which a program has had items
}

// observe remembers what a message of the client changes.
func (h *handshake) observe(m *jsonrpc.Message) {
	for m := range Messages(m) {
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

// client returns the name of the client.
func (h *handshake) client() string {
	var params struct {
		ClientInfo codec.Value `json:"clientInfo"`
	}
	_ = codec.Unmarshal(h.initialize, &params) // the program refuses invalid ones
	return clientName(params.ClientInfo)
}

// after returns what a program has to hear that was told other messages: all, unless it knows the
// same initialize.
func (h *handshake) after(told [][]byte) [][]byte {
	if h.initialize == nil {
		return nil
	}
	isTold := func(message []byte) bool {
		return slices.ContainsFunc(told, func(other []byte) bool { return bytes.Equal(message, other) })
	}
	messages := [][]byte{OwnRequest("initialize", h.initialize), jsonrpc.AppendNotification(nil, "notifications/initialized", nil)}
	if h.level != nil {
		messages = append(messages, OwnRequest("logging/setLevel", h.level))
	}
	for _, uri := range slices.Sorted(maps.Keys(h.subscriptions)) {
		messages = append(messages, OwnRequest("resources/subscribe", h.subscriptions[uri]))
	}
	if !isTold(messages[0]) {
		return messages
	}
	return slices.DeleteFunc(messages, isTold)
}

// ownID begins the ids of the requests that the client didn't send. Their answers aren't
// passed on.
const ownID = `"mcp-dev:`

// OwnRequest returns a request of our own. Params may be nil.
func OwnRequest(method string, params []byte) []byte {
	message := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s%s","method":"%[2]s"`, ownID, method)
	if params != nil {
		message = append(append(message, `,"params":`...), params...)
	}
	return append(message, '}')
}

// IsOwn reports whether an id belongs to a request of our own, for a method unless that is "".
func IsOwn(id []byte, method string) bool {
	return bytes.HasPrefix(id, []byte(ownID+method))
}
