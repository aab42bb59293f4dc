package dev

import (
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
)

// lists is a set of lists: of those whose changes a server declares, of those that a client
// wants to hear of, or of those that have items.
type lists struct{ tools, resources, prompts bool }

// declaredIn returns the lists in the result of initialize.
func declaredIn(result []byte) lists {
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
	_ = codec.Unmarshal(result, &initialized) // an invalid result declares nothing
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

// filledIn returns the lists that have items in a result. It reports false if the result isn't
// that of a list: then the list may have items or not.
func filledIn(result []byte) (filled lists, isList bool) {
	for name, value := range rawjson.Members(result) {
		items := lists{}
		switch name {
		case "tools":
			items.tools = true
		case "resources", "resourceTemplates":
			items.resources = true
		case "prompts":
			items.prompts = true
		default:
			continue
		}
		isList = true
		for range rawjson.Elements(value) {
			filled = filled.or(items)
			break
		}
	}
	return filled, isList
}

// A listRequest is the method of a request for one of the lists.
type listRequest struct {
	method string
	of     lists
}

// requests returns the requests for the lists. There are two for resources.
func (l lists) requests() (requests []listRequest) {
	for _, request := range []listRequest{
		{"tools/list", lists{tools: true}},
		{"resources/list", lists{resources: true}},
		{"resources/templates/list", lists{resources: true}},
		{"prompts/list", lists{prompts: true}},
	} {
		if l.or(request.of) == l {
			requests = append(requests, request)
		}
	}
	return requests
}

func (l lists) or(other lists) lists {
	return lists{l.tools || other.tools, l.resources || other.resources, l.prompts || other.prompts}
}

func (l lists) without(other lists) lists {
	return lists{l.tools && !other.tools, l.resources && !other.resources, l.prompts && !other.prompts}
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
