package dev

import (
	"bytes"
	"iter"
	"maps"
	"slices"

	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/rawjson"
)

// A handshake is what a client before 2026-07-28 has told a server. A new program is told
// the same, so that the client needn't begin again.
type handshake struct {
	initialize    []byte            // the params of initialize; nil if the client hasn't sent it
	level         []byte            // those of logging/setLevel
	subscriptions map[string][]byte // those of resources/subscribe, by URI
	announced     lists             // by the programs so far
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

// lists are the lists whose changes a server announces or a client wants to hear of.
type lists struct{ tools, resources, prompts bool }

// announcedIn returns the lists in the result of initialize.
func announcedIn(result []byte) lists {
	type capability struct {
		ListChanged bool `json:"listChanged"`
	}
	var initialized struct {
		Capabilities struct {
			Tools     capability `json:"tools"`
			Resources capability `json:"resources"`
			Prompts   capability `json:"prompts"`
		} `json:"capabilities"`
	}
	_ = codec.Unmarshal(result, &initialized) // an invalid result announces nothing
	c := initialized.Capabilities
	return lists{c.Tools.ListChanged, c.Resources.ListChanged, c.Prompts.ListChanged}
}

// wantedIn returns the lists in the params of subscriptions/listen.
func wantedIn(params []byte) lists {
	var listen struct {
		Notifications struct {
			Tools     bool `json:"toolsListChanged"`
			Resources bool `json:"resourcesListChanged"`
			Prompts   bool `json:"promptsListChanged"`
		} `json:"notifications"`
	}
	_ = codec.Unmarshal(params, &listen) // the program refuses invalid ones
	n := listen.Notifications
	return lists{n.Tools, n.Resources, n.Prompts}
}

func (l lists) or(other lists) lists {
	return lists{l.tools || other.tools, l.resources || other.resources, l.prompts || other.prompts}
}

// changed returns a notification for each list, since a new program may have others.
// Subscription is the raw id of a subscriptions/listen request, or nil for an older client.
func (l lists) changed(subscription []byte) (messages [][]byte) {
	var params []byte
	if subscription != nil {
		params = append(append([]byte(`{"_meta":{"`+subscriptionID+`":`), subscription...), "}}"...)
	}
	for _, list := range []struct {
		name   string
		listed bool
	}{{"tools", l.tools}, {"resources", l.resources}, {"prompts", l.prompts}} {
		if list.listed {
			messages = append(messages, jsonrpc.AppendNotification(nil, "notifications/"+list.name+"/list_changed", params))
		}
	}
	return messages
}

const subscriptionID = "io.modelcontextprotocol/subscriptionId"

// subscriptionOf returns the raw id of the subscription that a notification belongs to, or
// nil.
func subscriptionOf(m *jsonrpc.Message) []byte {
	for name, value := range rawjson.Members(m.Meta.Raw) {
		if name == subscriptionID {
			return value
		}
	}
	return nil
}
