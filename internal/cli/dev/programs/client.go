package programs

import (
	"bytes"
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// The JSON-RPC codes of errors for clients.
const (
	ParseError     = -32700
	InvalidRequest = -32600
	InternalError  = -32603
)

// A Client is what the programs have to know about a client. The lock of the set guards it.
type Client[T any] struct {
	set       *Set[T]
	handshake handshake
	requests  map[string]*Request[T] // by raw id
	asked     map[string]*Program[T] // the program that asks a question, by the raw id of the question
}

// NewClient returns a client that hasn't sent a message yet.
func (s *Set[T]) NewClient() *Client[T] {
	return &Client[T]{set: s, requests: map[string]*Request[T]{}, asked: map[string]*Program[T]{}}
}

// Name returns the name and version of a client that has sent initialize, or "". The caller holds
// the lock.
func (c *Client[T]) Name() string { return c.handshake.client() }

// Messages yields a message, or each message of a batch.
func Messages(m *jsonrpc.Message) iter.Seq[*jsonrpc.Message] {
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

// Requests returns the requests in a message, on their first connection. The caller holds the lock.
func (c *Client[T]) Requests(m *jsonrpc.Message) (requests []*Request[T]) {
	for member := range Messages(m) {
		if member.Kind != jsonrpc.Request {
			continue
		}
		r := &Request[T]{ID: string(member.ID), client: c, call: newCall(member, c.Name()), connections: 1}
		if member == m && string(m.Method) == "subscriptions/listen" {
			r.Stream = &Stream{id: bytes.Clone(m.ID), wanted: wantedIn(m.Params)}
		}
		requests = append(requests, r)
	}
	return requests
}

// Choose returns the program that gets a message: the one that asked what the message answers, the
// one that runs the request that the message cancels, or the one that serves, for which it waits.
// Without an error the program must be released. The caller holds the lock afterwards.
func (c *Client[T]) Choose(ctx context.Context, m *jsonrpc.Message) (*Program[T], error) {
	c.set.Lock()
	switch r := c.requests[string(m.RequestID)]; {
	case m.Kind == jsonrpc.Response:
		if p := c.asked[string(m.ID)]; p != nil && c.set.Hold(p) {
			delete(c.asked, string(m.ID))
			return p, nil
		}
	case r != nil && string(m.Method) == cancelled && c.set.Hold(r.Program):
		r.Finish(Canceled())
		return r.Program, nil
	}
	c.set.Unlock()
	p, err := c.set.Await(ctx)
	if err == nil {
		p.requests++
	}
	return p, err
}

const cancelled = "notifications/cancelled"

// Begin notes a message that a program is about to get, and the requests in it. The caller holds
// the lock.
func (c *Client[T]) Begin(p *Program[T], m *jsonrpc.Message, requests []*Request[T]) {
	c.handshake.observe(m)
	for _, r := range requests {
		r.begin(p)
	}
}

// MoveStreams moves the streams on which the client listens to a program, and returns them. The
// caller holds the lock.
func (c *Client[T]) MoveStreams(p *Program[T]) (streams []*Stream) {
	for _, r := range c.requests {
		if r.Stream != nil {
			r.begin(p)
			r.Stream.Moved = true
			streams = append(streams, r.Stream)
		}
	}
	return streams
}

// Request returns the request with an id, or nil. The caller holds the lock.
func (c *Client[T]) Request(id []byte) *Request[T] { return c.requests[string(id)] }

// RequestsOf returns the requests that a program has. The caller holds the lock.
func (c *Client[T]) RequestsOf(p *Program[T]) []*Request[T] {
	return slices.DeleteFunc(slices.Collect(maps.Values(c.requests)), func(r *Request[T]) bool { return r.Program != p })
}

// Abandon ends the requests whose client has left. The caller holds the lock.
func (c *Client[T]) Abandon() {
	for _, r := range c.requests {
		if r.connections == 0 {
			r.Finish(Left())
		}
	}
}

// Asked notes the question in a message of a program, or that the program withdraws one. The caller
// holds the lock.
func (c *Client[T]) Asked(p *Program[T], m *jsonrpc.Message) {
	switch {
	case m.Kind == jsonrpc.Request:
		c.asked[string(m.ID)] = p
	case string(m.Method) == cancelled:
		delete(c.asked, string(m.RequestID))
	}
}

// Introduce gives a program the handshake of the client, and asks it for the lists of which the
// client hasn't seen items. Send sends a message, and returns its answer, or nil for a
// notification. When the program knows all that the client has said meanwhile, Introduce returns what
// done does, with the lock held.
func (c *Client[T]) Introduce(send func(message []byte) (*jsonrpc.Message, error), done func() error) error {
	var told [][]byte
	for {
		c.set.Lock()
		untold := c.handshake.after(told)
		if len(untold) == 0 {
			maps.DeleteFunc(c.asked, func(_ string, p *Program[T]) bool { return p.HasExited() })
			defer c.set.Unlock()
			return done()
		}
		known := c.handshake.announced
		c.set.Unlock()
		var declared, filled lists
		for _, message := range untold {
			answer, err := send(message)
			if err != nil {
				return err
			}
			if answer != nil {
				declared |= declaredIn(answer.Result)
			}
		}
		for _, request := range (declared &^ known).requests() {
			answer, err := send(OwnRequest(request.method, nil))
			if err != nil {
				return err
			}
			if items, isList := filledIn(answer.Result); !isList || items != 0 { // an error says nothing about items
				filled |= request.of
			}
		}
		c.set.Lock()
		c.handshake.announced |= filled
		c.set.Unlock()
		told = append(told, untold...)
	}
}

// ListChanges returns what the client hears when a program replaces another: that the lists have
// changed in which a program so far has had items. The caller holds the lock.
func (c *Client[T]) ListChanges() [][]byte { return c.handshake.announced.changed(nil) }
