package ask

import (
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// A Question is a question from a handler to its client. [Form], [Confirm], [URL],
// [Sample] and [Roots] make one. Setters never fail; Ask returns an error for
// contradictions.
type Question interface{ source }

// The types of questions embed a draft, which implements source.
type (
	source  = request.Drafted[*Answer]
	draft   = request.Draft[*Answer]
	checked = request.Compiled[*Answer]
)

// An early question can be accepted without being asked. Self is the type that embeds it.
type early[Self any] struct {
	draft
	self    *Self
	isEarly bool
}

// Early also accepts an answer that arrives unasked, with the first request. Without
// Early, an answer is accepted only with a sealed state that proves that the server
// asked the question. Never use it for consent.
func (e *early[Self]) Early() *Self {
	e.isEarly = true
	return e.self
}

// The methods of questions.
const (
	methodElicit = "elicitation/create"
	methodSample = "sampling/createMessage"
	methodRoots  = "roots/list"
)

// capabilities are a client's capabilities, as a raw object or nil.
type capabilities []byte

// declare reports whether the client declares the capability at a path, such as
// "elicitation", "url". A capability must be an object.
func (c capabilities) declare(path ...string) bool {
	value := codec.Value(c)
	for _, name := range path {
		var members map[string]codec.Value
		if value == nil || codec.Unmarshal(value, &members) != nil {
			return false
		}
		value = members[name]
	}
	return value.Kind() == '{'
}
