package servers

import (
	"context"
	"time"

	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/internal/engine/attachment"
)

// An Extension is a part of the protocol that a server adds to the specification's own: methods,
// topics whose changes clients can follow, and types of results (specification: extensions). The
// server declares it in its capabilities. A client declares it too, in each request, or, if it is
// older than 2026-07-28, when it sends initialize.
//
// What the server's guardrails, events and log do for tools they do for the methods of an
// extension.
type Extension struct {
	// Identifier names the extension: a reversed domain name, a slash and a name, such as
	// "com.example/search".
	Identifier string

	// Settings is the value of the capability. It encodes as a JSON object; nil is {}.
	Settings any

	// Methods are the request methods of the extension.
	Methods []ExtensionMethod

	// Topics are what clients can follow by subscriptions/listen.
	Topics []*Topic

	// ResultTypes are the types of results that handlers and guardrails of the server may end a
	// call in, by an exchange.TypedResult, if the client declares the extension.
	ResultTypes []string

	// Start is called when the server is registered, after Boot. The context ends when the
	// program stops serving the server, which is when goroutines of the extension end. If Start
	// returns an error, the program doesn't start. It may be nil.
	Start func(ctx context.Context) error
}

// An ExtensionMethod is a request method of an [Extension].
type ExtensionMethod struct {
	Name   string // such as "search/suggest"
	Handle Method

	// Mirrors is the member of the params, a string, that the header Mcp-Name of a request over
	// HTTP repeats. A header with another value is refused, without calling Handle. "" means
	// that there is no such header.
	Mirrors string

	// Asks means that Handle may ask the client; see package ask.
	Asks bool

	// AnyClient means that clients may call the method without declaring the extension. The
	// others get an error that names it, with the code exchange.CodeMissingClientCapability.
	AnyClient bool

	// VisibleTo reports whether a client may know of the method; to others it doesn't exist.
	// It may be nil.
	VisibleTo func(ctx context.Context) bool

	// Guardrails run around the method, after the server's guardrails have let the call through.
	Guardrails []guardrails.Guardrail

	// Timeout is how long a call may take; 0 means the server's timeout.
	Timeout time.Duration
}

type (
	published   = attachment.Publisher
	publishable interface{ attachment.Topic }
)

var _ publishable = (*Topic)(nil)

// A Topic is something that changes on a server, such as a list, and that clients follow by
// subscriptions/listen. Clients of older versions that declare the extension are notified
// without asking for it, unless the topic has keys. A topic may belong to several servers.
type Topic struct {
	// Filter is the member by which a client subscribes, such as "searchesListChanged". It is
	// true, or an array of keys if the topic has keys.
	Filter string

	// Notification is the method of the notification, such as
	// "notifications/searches/list_changed".
	Notification string

	// Key is the member of the notification's params that has the key of what has changed, ""
	// for a topic without keys.
	Key string

	// VisibleTo reports whether a client may know of a key, or of a topic without keys. It is
	// asked when the client subscribes and before each notification. It may be nil.
	VisibleTo func(ctx context.Context, key string) bool

	// Params returns further params of a notification, a value that encodes as a JSON object.
	// It is called for each client, whose context it gets, when the notification is sent. It
	// may be nil.
	Params func(ctx context.Context, key string) (any, error)

	published
}

// Publish notifies the clients that follow the topic, or the given keys of it. It doesn't wait
// for them. Changes in quick succession may become one notification.
func (t *Topic) Publish(keys ...string) {
	if t.Key == "" {
		attachment.Publish(t, "")
		return
	}
	for _, key := range keys {
		attachment.Publish(t, key)
	}
}
