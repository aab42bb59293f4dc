package ask

import (
	"errors"

	"github.com/bowline-mcp/bowline/internal/codec"
)

// The methods of questions.
const (
	methodElicit = "elicitation/create"
	methodSample = "sampling/createMessage"
	methodRoots  = "roots/list"
)

// A Compiled is a question that has been checked and can be sent. It is for the
// engine.
type Compiled struct {
	method string
	early  bool
	kind   kind
}

// A kind is what questions of one kind do in their own way.
type kind interface {
	since() string // the first protocol version that has such questions
	missing(client capabilities, version string) string
	params(client capabilities, version string) []byte
	answer(raw []byte) (*Answer, error)
}

// Compile checks a question. The error names everything that is wrong with it, where,
// and what to do. It is for the engine.
func Compile(q Question) (*Compiled, error) {
	if q == nil {
		return nil, errors.New("the question is nil; make one with ask.Form, ask.Confirm, ask.URL, ask.Sample or ask.Roots")
	}
	return q.compile()
}

// Method returns the method that asks the question, such as "elicitation/create".
func (c *Compiled) Method() string { return c.method }

// Early reports whether an answer counts that arrives unasked.
func (c *Compiled) Early() bool { return c.early }

// Since returns the first protocol version in which the question can be asked.
func (c *Compiled) Since() string { return c.kind.since() }

// Missing returns the capabilities that the question needs and the client lacks, as
// a raw object such as {"elicitation":{"url":{}}}; nil if it can be asked. The
// client's capabilities are a raw object, or nil.
func (c *Compiled) Missing(clientCapabilities []byte, version string) []byte {
	if missing := c.kind.missing(clientCapabilities, version); missing != "" {
		return []byte(missing)
	}
	return nil
}

// Params returns the params of the request that asks the question, as a raw object
// in the shape of that protocol version, without what the client doesn't take.
func (c *Compiled) Params(clientCapabilities []byte, version string) []byte {
	return c.kind.params(clientCapabilities, version)
}

// Answer returns the answer that a client's raw result is. The error says what is
// wrong with its shape, for people.
func (c *Compiled) Answer(raw []byte) (*Answer, error) { return c.kind.answer(raw) }

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
