// Package exchange defines the part of a request that all handlers share: the client, its
// principal and capabilities, the metadata of the request, and methods that send
// something before the answer. It also defines the errors that become JSON-RPC errors.
package exchange

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// A Request is the request being served, whatever its method. Handlers get it embedded in
// their own request type. After the answer has been sent, methods that send something
// return an error and send nothing.
type Request request.Request

// call returns the call that the request belongs to.
func (r *Request) call() request.Call { return (*request.Request)(r).Call() }

// A Client is a client's description of itself (specification: Implementation). It is not
// verified: display it or log it, but don't base decisions on it.
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
	if raw := r.call().Facts().Info; raw != nil {
		_ = codec.Unmarshal(raw, &client) // a malformed description is treated as absent
	}
	return client
}

// ProtocolVersion returns the protocol version of the request, such as
// "2026-07-28".
func (r *Request) ProtocolVersion() string { return r.call().Facts().Version.String() }

// Method returns the request's method, such as "tools/call".
func (r *Request) Method() string { return string(r.call().Facts().Method) }

// SessionID returns the ID of the session that the request belongs to. It is "" in
// 2026-07-28, which has no sessions, and on stdio, where the process is the session.
func (r *Request) SessionID() string { return r.call().Facts().Session }

// Address returns the client's address: the address of the connection, or the one that a
// proxy of Config.TrustedProxies reports. It returns the zero Addr, which is invalid, if
// there is no address, as on stdio.
func (r *Request) Address() netip.Addr { return r.call().Address() }

// Set stores a value for the rest of the request. Guardrails use it to pass values to
// the handler.
func (r *Request) Set(key string, value any) { r.call().Set(key, value) }

// Value returns the value stored under the key, or nil. Values that HTTP middleware
// stores in the context are in the handler's context instead.
func (r *Request) Value(key string) any { return r.call().Value(key) }

// Meta decodes a member of the request's _meta into v. It returns false if the member
// doesn't exist, is null, or doesn't fit.
func (r *Request) Meta(name string, v any) bool {
	var members map[string]codec.Value
	if raw := r.call().Facts().Meta; raw == nil || codec.Unmarshal(raw, &members) != nil {
		return false
	}
	value, ok := members[name]
	return ok && value.Kind() != 'n' && codec.Unmarshal(value, v) == nil
}

// PathValue returns a parameter of the request's path, such as "team" in
// mcp.Web("/teams/{team}/mcp", …); Router.Web documents which values are refused. It is
// "" on other transports. If mcp.Handler is mounted in another router, PathValue returns
// that router's value unchecked: with net/http's ServeMux, it may be "/etc/passwd" or
// "..". Check it before you use it as a path, or open files in an os.Root.
func (r *Request) PathValue(name string) string {
	if carrier := r.call().Facts().HTTP; carrier != nil {
		return carrier.PathValue(name)
	}
	return ""
}

// Progress reports the progress of the request to the client: done of total, where a
// total of 0 means unknown. It does nothing if the client didn't ask for progress or if
// done hasn't increased. The message may be "". It returns an error if the client has
// disconnected.
func (r *Request) Progress(done, total float64, message string) error {
	return r.call().Progress(done, total, message)
}

// Notify sends the client a notification of any method. Params must encode as a JSON
// object, or be nil. A client that doesn't accept a stream doesn't get it. Notify returns
// an error if the client has disconnected, if params don't encode, or if the method is
// empty.
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

// CloseStream closes the connection on which the client waits for the answer, while the
// handler continues. The client reconnects after the duration retry and gets the messages
// that it missed, so a long-running handler keeps no connection open. It works for
// clients of 2025-11-25 that have a session and accept a stream (SEP-1699). For all other
// clients, and over HTTP/2, stdio and the modern protocol, it does nothing. Some clients
// of 2025-11-25 don't reconnect, and their call fails. Retry is sent in milliseconds; 0
// lets the client choose.
func (r *Request) CloseStream(retry time.Duration) { r.call().CloseStream(retry) }

// Bind decodes the request's params into v. It is for methods of your own.
func (r *Request) Bind(v any) error {
	params := r.call().Facts().Params
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

// A Trace is the trace that a request is part of, as in W3C Trace Context and Baggage.
// Fields that the client didn't send are "".
type Trace struct {
	Parent  string // traceparent
	State   string // tracestate
	Baggage string // baggage
}

// Trace returns the trace context of the request's _meta. It isn't validated.
func (r *Request) Trace() (trace Trace) {
	r.Meta("traceparent", &trace.Parent)
	r.Meta("tracestate", &trace.State)
	r.Meta("baggage", &trace.Baggage)
	return trace
}
