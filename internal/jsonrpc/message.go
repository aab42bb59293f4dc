package jsonrpc

import (
	"bytes"

	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// Kind says what a message is.
type Kind uint8

// The kinds of message. A Batch is an array of messages, which only the protocol
// version 2025-03-26 knows; [Message.Members] reads them.
const (
	Invalid Kind = iota
	Request
	Notification
	Response
	Batch
)

// A Message is one scanned message. Its fields are slices of the scanned bytes,
// raw JSON unless said otherwise, and nil when the member is absent. They are
// valid as long as those bytes are.
type Message struct {
	Kind   Kind
	ID     []byte // a JSON string or integer, echoed byte for byte
	Method []byte // the text of the method, without quotes
	Params []byte // an object; of a Batch, the array
	Result []byte // of a Response
	Error  []byte // of a Response

	// Members of Params.
	Name      []byte
	URI       []byte
	Cursor    []byte
	PerPage   []byte
	Arguments []byte
	RequestID []byte // of notifications/cancelled

	InputResponses []byte // of a request that is sent again
	RequestState   []byte
	Meta           Meta
}

// Meta is the _meta member of a message's params.
type Meta struct {
	Raw                []byte
	ProtocolVersion    []byte
	ClientInfo         []byte
	ClientCapabilities []byte
	LogLevel           []byte
	ProgressToken      []byte
}

// AnswerID returns the id that an answer to the message has. One to a response has none:
// its id is of the receiver's own making.
func (m *Message) AnswerID() []byte {
	if m.Kind == Response {
		return nil
	}
	return m.ID
}

// Text returns the text of a raw JSON string without copying it where it can, and
// false when value isn't a string.
func Text(value []byte) ([]byte, bool) {
	if len(value) < 2 || value[0] != '"' {
		return nil, false
	}
	inner := value[1 : len(value)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner, true
	}
	text, ok := codec.Unquote(value)
	return []byte(text), ok
}

// IsNull reports whether a raw value is the literal null.
func IsNull(value []byte) bool { return len(value) == 4 && value[0] == 'n' }

// IsObject reports whether a raw value is an object.
func IsObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }

// validID reports whether a raw value may be the id of a request: a string or an
// integer (MCP forbids null, fractions and exponents).
func validID(value []byte) bool {
	if len(value) > limits.MaxID {
		return false
	}
	if value[0] == '"' {
		return true
	}
	if value[0] != '-' && (value[0] < '0' || value[0] > '9') {
		return false
	}
	return !bytes.ContainsAny(value, ".eE")
}
