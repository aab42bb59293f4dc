package ask

import (
	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/request"
)

// A Question is what a handler asks its client. [Form], [Confirm], [URL], [Sample]
// and [Roots] make one. Setters record and never fail; what contradicts itself is
// found when the question is asked.
type Question interface{ source }

// A source is what makes a question one: the draft that its type embeds.
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

// capabilities are those of a client, as a raw object or nil.
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
