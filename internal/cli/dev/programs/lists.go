package programs

import (
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
)

// lists is a set of lists, such as the lists whose changes a server declares, the lists that a
// client wants to hear of, or the lists that have items.
type lists uint8

const (
	tools lists = 1 << iota
	resources
	prompts
)

// listOf returns the list with a name in a result, or none.
func listOf(name string) lists {
	switch name {
	case "tools":
		return tools
	case "resources", "resourceTemplates":
		return resources
	case "prompts":
		return prompts
	}
	return 0
}

// declaredIn returns the lists in the result of initialize.
func declaredIn(result []byte) (declared lists) {
	var initialized struct {
		Capabilities map[string]struct {
			ListChanged bool `json:"listChanged"`
		} `json:"capabilities"`
	}
	_ = codec.Unmarshal(result, &initialized) // an invalid result declares nothing
	for name, capability := range initialized.Capabilities {
		if capability.ListChanged {
			declared |= listOf(name)
		}
	}
	return declared
}

// wantedIn returns the lists in the params of subscriptions/listen.
func wantedIn(params []byte) (wanted lists) {
	var listen struct {
		Notifications map[string]codec.Value `json:"notifications"`
	}
	_ = codec.Unmarshal(params, &listen) // the program refuses invalid ones
	for name, value := range listen.Notifications {
		if name, ok := strings.CutSuffix(name, "ListChanged"); ok && string(value) == "true" {
			wanted |= listOf(name)
		}
	}
	return wanted
}

// filledIn returns the lists that have items in a result. It reports false if the result has
// no list: then the program may have items or not.
func filledIn(result []byte) (filled lists, isList bool) {
	for name, value := range rawjson.Members(result) {
		list := listOf(name)
		isList = isList || list != 0
		for range rawjson.Elements(value) {
			filled |= list
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
func (l lists) requests() []listRequest {
	return slices.DeleteFunc([]listRequest{
		{"tools/list", tools}, {"resources/list", resources}, {"resources/templates/list", resources}, {"prompts/list", prompts},
	}, func(request listRequest) bool { return l&request.of == 0 })
}

// changed returns a notification for each list, since a new program may have others.
// Subscription is the raw id of a subscriptions/listen request, or nil for an older client.
func (l lists) changed(subscription []byte) (messages [][]byte) {
	var params []byte
	if subscription != nil {
		params = append(append([]byte(`{"_meta":{"`+subscriptionID+`":`), subscription...), "}}"...)
	}
	for _, name := range []string{"tools", "resources", "prompts"} {
		if l&listOf(name) != 0 {
			messages = append(messages, jsonrpc.AppendNotification(nil, "notifications/"+name+"/list_changed", params))
		}
	}
	return messages
}
