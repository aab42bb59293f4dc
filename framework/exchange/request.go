// Package exchange defines the part of a request that all handlers share: who the
// client is, what it sent besides the arguments, and how to send it something before
// the answer. It also defines the errors that become JSON-RPC errors.
package exchange

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/request"
)

// A Request is the request being served, whatever its method. Handlers get it as part
// of their own request type. Once the answer is sent, methods that send something drop
// it and return an error.
type Request request.Request

// call returns the call that the request belongs to.
func (r *Request) call() request.Call { return (*request.Request)(r).Call() }

// A Client is a client's description of itself (specification: Implementation). It is
// not verified: show it or log it, but don't base decisions on it.
type Client struct {
	Name        string         `json:"name"`
	Title       string         `json:"title,omitempty"`
	Version     string         `json:"version"`
	Description string         `json:"description,omitempty"`
	WebsiteURL  string         `json:"websiteUrl,omitempty"`
	Icons       []content.Icon `json:"icons,omitempty"`
}

// Client returns the client's description of itself, or the zero value if it sent none.
func (r *Request) Client() Client {
	var client Client
	if raw := r.call().Client(); raw != nil {
		_ = codec.Unmarshal(raw, &client) // a malformed description counts as none
	}
	return client
}

// ProtocolVersion returns the protocol version of the request, such as
// "2026-07-28".
func (r *Request) ProtocolVersion() string { return r.call().Version().String() }

// Method returns the request's method, such as "tools/call".
func (r *Request) Method() string { return r.call().Method() }

// SessionID returns the id of the session that the request belongs to: "" in
// 2026-07-28, which has none, and on stdio, where the process is the session.
func (r *Request) SessionID() string { return r.call().Session() }

// Address returns the client's address: that of the connection, or the one that a proxy
// of Config.TrustedProxies reports. It is the invalid zero value if there is none, as
// on stdio.
func (r *Request) Address() netip.Addr { return r.call().Address() }

// Set stores a value for the rest of the request. Guardrails use it to pass values to
// the handler.
func (r *Request) Set(key string, value any) { r.call().Set(key, value) }

// Value returns the value stored under the key, or nil. Values that HTTP middleware put
// into the context are in the handler's context instead.
func (r *Request) Value(key string) any { return r.call().Value(key) }

// Meta decodes a member of the request's _meta into v. It reports false if there is no
// such member, if it is null, or if it doesn't fit.
func (r *Request) Meta(name string, v any) bool {
	var members map[string]codec.Value
	if raw := r.call().Meta(); raw == nil || codec.Unmarshal(raw, &members) != nil {
		return false
	}
	value, ok := members[name]
	return ok && value.Kind() != 'n' && codec.Unmarshal(value, v) == nil
}

// PathValue returns a parameter of the request's path, such as "team" in
// mcp.Web("/teams/{team}/mcp", …), whose documentation says what it can't be. It is "" on
// other transports. If mcp.Handler is mounted in another router, it is that router's value.
func (r *Request) PathValue(name string) string {
	if carrier := r.call().HTTP(); carrier != nil {
		return carrier.PathValue(name)
	}
	return ""
}

// Progress tells the client how far the work is: done of total, or of an unknown total
// if that is 0. It does nothing if the client didn't ask for progress, or if done isn't
// more than the last time. The message may be "". The error says that the client is
// gone.
func (r *Request) Progress(done, total float64, message string) error {
	return r.call().Progress(done, total, message)
}

// Notify sends the client a notification of any method. Params must encode as a JSON
// object, or be nil. A client that doesn't accept a stream doesn't get it. The error
// says that the client is gone, that params don't encode, or that there is no method.
func (r *Request) Notify(method string, params any) error {
	if method == "" {
		return errors.New("the notification has no method; give it one, such as \"notifications/acme/opened\"")
	}
	if params == nil {
		return r.call().Notify(method, nil)
	}
	encoded, err := codec.Marshal(params)
	if err != nil {
		return fmt.Errorf("notification %s: %w", method, err)
	}
	if len(encoded) == 0 || encoded[0] != '{' {
		return fmt.Errorf("notification %s: its params must be a JSON object, not %.20s", method, encoded)
	}
	return r.call().Notify(method, encoded)
}

// CloseStream ends the connection on which the client waits for the answer, while the
// handler goes on. The client reconnects after the time given by retry and gets what it
// missed, so a long-running handler holds no connection open. It works for clients of
// 2025-11-25 that have a session and accept a stream (SEP-1699). For all others, and
// over HTTP/2, stdio and the modern protocol, it does nothing: the connection stays
// open. Some clients of 2025-11-25 don't come back, and their call fails. Retry is sent in milliseconds; 0 leaves the time to the client.
func (r *Request) CloseStream(retry time.Duration) { r.call().CloseStream(retry) }

// Bind decodes the request's params into v, for methods of your own.
func (r *Request) Bind(v any) error {
	params := r.call().Params()
	if params == nil {
		params = []byte("{}")
	}
	if err := codec.Unmarshal(params, v); err != nil {
		if mistake := codec.CheckTarget(v); mistake != nil {
			return fmt.Errorf("Bind: %w", mistake)
		}
		return &Error{Code: CodeInvalidParams, Message: "Invalid params: " + codec.Explain(err), Err: err}
	}
	return nil
}

// A Principal is the authenticated caller of a request. The zero value is the anonymous
// principal, which all unauthenticated requests share.
type Principal struct {
	// ID tells principals apart: the subject of a token, say. State that is kept for a
	// client between requests is bound to it.
	ID string

	// Claims hold what else the authentication says about the principal, such as the
	// claims of a token, by their names; nil if there are none. Nobody may change them.
	Claims map[string]any
}

type principalKey struct{}

// WithPrincipal returns a context for requests of a principal. HTTP middleware that
// authenticates calls it.
func WithPrincipal(ctx context.Context, principal Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, principal)
}

// PrincipalFrom returns the principal of a context, such as that of VisibleTo, or the
// anonymous one if none is set.
func PrincipalFrom(ctx context.Context) Principal {
	principal, _ := ctx.Value(principalKey{}).(Principal)
	return principal
}

// Principal returns the caller of the request.
func (r *Request) Principal() Principal { return PrincipalFrom(r.call().Context()) }

// A Trace is the trace that a request is part of, in the words of W3C Trace Context
// and Baggage. Members that the client didn't send are "".
type Trace struct {
	Parent  string // traceparent
	State   string // tracestate
	Baggage string // baggage
}

// Trace returns the trace context of the request's _meta, unchecked.
func (r *Request) Trace() (trace Trace) {
	r.Meta("traceparent", &trace.Parent)
	r.Meta("tracestate", &trace.State)
	r.Meta("baggage", &trace.Baggage)
	return trace
}
