package changes

import (
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A Change is a change on a server, of which clients can be notified.
type Change struct {
	Kind ChangeKind
	URI  string // of the resource, for ResourceUpdated

	// A private change concerns only the clients of the principal with an ID, which is "" for
	// anonymous clients.
	Private   bool
	Principal string
}

// A ChangeKind is the kind of a [Change].
type ChangeKind uint8

// The kinds of change: to a list, or to the contents of one resource.
const (
	ToolsChanged ChangeKind = iota
	PromptsChanged
	ResourcesChanged // the list of resources or of templates
	ResourceUpdated
)

// lastList is the last kind of change to a list.
const lastList = ResourcesChanged

// Lists is the set of lists that a client follows.
type Lists struct{ Tools, Prompts, Resources bool }

// include reports whether the set has the list that a kind of change affects.
func (l Lists) include(kind ChangeKind) bool {
	switch kind {
	case ToolsChanged:
		return l.Tools
	case PromptsChanged:
		return l.Prompts
	case ResourcesChanged:
		return l.Resources
	default:
		return false
	}
}

// method returns the method of the notification.
func (k ChangeKind) method() string {
	switch k {
	case ToolsChanged:
		return "notifications/tools/list_changed"
	case PromptsChanged:
		return "notifications/prompts/list_changed"
	case ResourcesChanged:
		return "notifications/resources/list_changed"
	case ResourceUpdated:
	}
	return "notifications/resources/updated"
}

// AppendNotification appends the notification of the change. Subscription is the raw id of
// the client's subscriptions/listen request, nil for legacy clients.
func (c Change) AppendNotification(dst, subscription []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","method":"`...)
	dst = append(append(dst, c.Kind.method()...), '"')
	if subscription == nil && c.Kind != ResourceUpdated {
		return append(dst, '}')
	}
	dst = append(dst, `,"params":{`...)
	if c.Kind == ResourceUpdated {
		dst = codec.AppendQuote(append(dst, `"uri":`...), c.URI)
	}
	if subscription != nil {
		if c.Kind == ResourceUpdated {
			dst = append(dst, ',')
		}
		dst = AppendSubscriptionMeta(dst, subscription)
	}
	return append(dst, "}}"...)
}

// AppendSubscriptionMeta appends the member _meta with the id of a message's subscription.
func AppendSubscriptionMeta(dst, subscription []byte) []byte {
	dst = append(dst, `"_meta":{"`+spec.MetaSubscriptionID+`":`...)
	return append(append(dst, subscription...), '}')
}
