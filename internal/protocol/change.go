package protocol

import "github.com/bowline-mcp/bowline/internal/codec"

// A Change is something that happened to a server that clients may want to know of.
type Change struct {
	Kind ChangeKind
	URI  string // of the resource, when one was updated
}

// A ChangeKind says what happened.
type ChangeKind uint8

// The kinds of change: another list, or other contents of one resource.
const (
	ToolsChanged ChangeKind = iota
	PromptsChanged
	ResourcesChanged // the list of resources, or that of templates
	ResourceUpdated
)

// method returns the notification that tells a client of the change.
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

const metaSubscriptionID = "io.modelcontextprotocol/subscriptionId"

// AppendNotification appends the notification that tells a client of the change.
// Subscription is the raw id of the listen request that it belongs to, nil for legacy
// clients, which have none.
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
		dst = appendSubscriptionMeta(dst, subscription)
	}
	return append(dst, "}}"...)
}

// appendSubscriptionMeta appends the member _meta that tells which subscription a
// message belongs to.
func appendSubscriptionMeta(dst, subscription []byte) []byte {
	dst = append(dst, `"_meta":{"`+metaSubscriptionID+`":`...)
	return append(append(dst, subscription...), '}')
}
