package ask

import (
	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/request"
)

// A Question is a question from a handler to its client. [Form], [Confirm], [URL],
// [Sample] and [Roots] make one. Setters never fail; contradictions are reported when
// the question is asked.
type Question interface{ source }

// A source is the unexported part of a question, which its type gets by embedding a
// draft.
type source interface{ Compile() (*checked, error) }

type (
	draft   = request.Draft[*Answer]
	checked = request.Compiled[*Answer]
)

// The methods of questions.
const (
	methodElicit = "elicitation/create"
	methodSample = "sampling/createMessage"
	methodRoots  = "roots/list"
)

// capabilities are a client's capabilities, as a raw object or nil.
type capabilities []byte

// declare reports whether the client declares the capability at a path, such as
// "elicitation", "url". A capability is an object.
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
