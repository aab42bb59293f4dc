// Package jsonrpc reads and writes JSON-RPC 2.0 messages as MCP uses them. [Message.Scan]
// validates a message and finds the members that the engine needs in one walk over its
// bytes. A [Frame] is the buffer to which an outgoing message is appended. Neither decodes
// JSON into Go values.
package jsonrpc

import (
	"bytes"
	"fmt"
	"sync/atomic"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// Kind is the kind of a message.
type Kind uint8

// The kinds of messages. A Batch is an array of messages, which only protocol version
// 2025-03-26 allows; [Message.Members] reads them.
const (
	Invalid Kind = iota
	Request
	Notification
	Response
	Batch
)

// A Message is one scanned message. Its fields are slices of the scanned bytes. They are raw
// JSON unless they say otherwise, and nil if the member is absent. Null params and null
// members of params and _meta count as absent, because some clients send null instead of
// omitting a member.
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

	InputResponses []byte // of a later round of a request
	RequestState   []byte
	Meta           Meta
}

// Meta is the _meta member of a message's params.
type Meta struct {
	Raw                []byte
	ProtocolVersion    []byte // may be null, which is invalid but counts as modern
	ClientInfo         []byte
	ClientCapabilities []byte
	LogLevel           []byte
	ProgressToken      []byte
}

// A MetaCache keeps one small _meta that only describes the client. A client sends the same
// one with each request; scanning it each time would cost 9 % of a call in process.
type MetaCache struct {
	known  atomic.Pointer[Meta]
	misses atomic.Uint32
}

// maxCached is the size of the largest _meta in a cache, in bytes.
const maxCached = 4 << 10

// missesToReplace is the number of misses after which another _meta is cached. Otherwise,
// two clients that take turns would replace each other's _meta with every request.
const missesToReplace = 64

// add adds a raw _meta that was scanned to the depth.
func (c *MetaCache) add(raw []byte, depth int) {
	if len(raw) > maxCached || c.misses.Add(1)%missesToReplace != 1 {
		return
	}
	known := &Meta{}
	s := scanner{data: bytes.Clone(raw), limit: depth}
	_, _ = s.meta(known) // it was scanned before, so it is valid
	c.known.Store(known)
}

// AnswerID returns the id for an answer to the message. It is nil for a response, whose id
// the server has chosen.
func (m *Message) AnswerID() []byte {
	if m.Kind == Response {
		return nil
	}
	return m.ID
}

// Text returns the text of a raw JSON string, or false if value isn't one. It copies the text
// only if it has escapes.
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

// Scan reads data into m, in one walk. Member names are case-sensitive and may not be
// repeated at any level; unknown members are ignored. The error is a *ScanError. Even with
// an error, m has the id of the request if it is readable.
func (m *Message) Scan(data []byte) error { return m.ScanTo(limits.MaxDepth, data, nil) }

// ScanTo is like [Message.Scan], but allows at most depth levels of nesting. All messages of
// a cache, which may be nil, need the same depth.
func (m *Message) ScanTo(depth int, data []byte, cache *MetaCache) error {
	*m = Message{}
	s := scanner{data: data, limit: depth, cache: cache}
	if s.token(); s.at == len(data) {
		return notJSON("the message is empty")
	}
	if !utf8.Valid(data) {
		s.lenient = true // continue, to find the id
	}
	err := s.message(m)
	if s.lenient && !utf8.Valid(m.ID) {
		m.ID = nil // it can't be echoed
	}
	if err != nil {
		return s.brokenFirst(err)
	}
	if s.lenient {
		*m = Message{ID: m.AnswerID()}
		return errNotUTF8
	}
	return nil
}

// message reads the top level.
func (s *scanner) message(m *Message) error {
	if c := s.token(); c != '{' {
		value, err := s.value(0)
		if err != nil {
			return err
		}
		if c != '[' {
			return notMessage("the message is not a JSON object")
		}
		m.Kind, m.Params = Batch, value
		return s.end()
	}
	var version, method, params, id []byte
	o := object{depth: 0}
	for s.next(&o) {
		if string(o.name) == "params" {
			params, o.err = s.params(m)
			continue
		}
		var value []byte
		value, o.err = s.value(1)
		switch string(o.name) {
		case "jsonrpc":
			version = value
		case "id":
			id = value
		case "method":
			method = value
		case "result":
			m.Result = value
		case "error":
			m.Error = value
		}
	}
	if o.err == nil {
		o.err = s.end()
	}
	if o.err != nil {
		m.ID = findID(s.data, s.at)
		return o.err
	}
	err := m.shape(version, method, params, id)
	if err != nil && method == nil {
		m.ID = nil // it may be a response
	}
	return err
}

// shape checks that the members fit together.
func (m *Message) shape(version, method, params, id []byte) error {
	if id != nil && validID(id) {
		m.ID = id
	}
	if string(version) != `"2.0"` {
		return notMessage(`the member "jsonrpc" must be "2.0"`)
	}
	if len(id) > limits.MaxID {
		return notMessage(fmt.Sprintf(`the member "id" may have %d bytes`, limits.MaxID))
	}
	if id != nil && m.ID == nil && (method != nil || !IsNull(id)) {
		return notMessage(`the member "id" must be a string or an integer`)
	}
	if m.Error != nil && IsNull(m.Error) && (method != nil || m.Result != nil) {
		m.Error = nil
	}
	if m.Result != nil && IsNull(m.Result) && (method != nil || m.Error != nil) {
		m.Result = nil
	}
	if method == nil {
		if m.Result == nil && m.Error == nil {
			return notMessage(`the member "method" is missing (member names are case-sensitive)`)
		}
		if m.Result != nil && m.Error != nil {
			return notMessage("a response has a result or an error, not both")
		}
		m.Kind = Response
		return nil
	}
	text, ok := Text(method)
	if !ok || len(text) == 0 {
		return notMessage(`the member "method" must be a string that is not empty`)
	}
	if m.Result != nil || m.Error != nil {
		return notMessage("a message is either a request or a response, not both")
	}
	m.Method = text
	if params != nil && !IsObject(params) {
		return notMessage(`the member "params" must be an object`)
	}
	m.Kind = Notification
	if id != nil {
		m.Kind = Request
	}
	return nil
}

// params reads the params object and those of its members for which m has fields.
func (s *scanner) params(m *Message) ([]byte, error) {
	if s.token() != '{' {
		return s.absent(1)
	}
	start := s.at
	o := object{depth: 1}
	for s.next(&o) {
		if string(o.name) == "_meta" {
			m.Meta.Raw, o.err = s.meta(&m.Meta)
			continue
		}
		var value []byte
		if value, o.err = s.value(2); len(value) > 0 && value[0] == 'n' {
			continue // null
		}
		switch string(o.name) {
		case "name":
			m.Name = value
		case "arguments":
			m.Arguments = value
		case "uri":
			m.URI = value
		case "cursor":
			m.Cursor = value
		case "per_page":
			m.PerPage = value
		case "requestId":
			m.RequestID = value
		case "inputResponses":
			m.InputResponses = value
		case "requestState":
			m.RequestState = value
		}
	}
	m.Params = s.data[start:s.at:s.at]
	return m.Params, o.err
}

// meta reads the _meta object.
func (s *scanner) meta(meta *Meta) ([]byte, error) {
	if s.token() != '{' {
		return s.absent(2)
	}
	if s.cache != nil {
		if known := s.cache.known.Load(); known != nil && bytes.HasPrefix(s.data[s.at:], known.Raw) {
			*meta = *known
			s.at += len(known.Raw)
			return meta.Raw, nil
		}
	}
	start, client := s.at, true
	o := object{depth: 2}
	for s.next(&o) {
		var value []byte
		value, o.err = s.value(3)
		if string(o.name) == "io.modelcontextprotocol/protocolVersion" {
			meta.ProtocolVersion = value
			continue
		}
		if len(value) > 0 && value[0] == 'n' {
			continue // null
		}
		switch string(o.name) {
		case "io.modelcontextprotocol/clientInfo":
			meta.ClientInfo = value
		case "io.modelcontextprotocol/clientCapabilities":
			meta.ClientCapabilities = value
		case "io.modelcontextprotocol/logLevel":
			meta.LogLevel = value
		case "progressToken":
			meta.ProgressToken = value
			client = false
		default:
			client = false
		}
	}
	meta.Raw = s.data[start:s.at:s.at]
	if s.cache != nil && client && o.err == nil && !s.lenient {
		s.cache.add(meta.Raw, s.limit)
	}
	return meta.Raw, o.err
}

// absent reads a value that is not an object where one belongs. It returns nil for null.
func (s *scanner) absent(depth int) ([]byte, error) {
	value, err := s.value(depth)
	if IsNull(value) {
		value = nil
	}
	return value, err
}

// end checks that nothing follows the message.
func (s *scanner) end() error {
	if s.token(); s.at < len(s.data) {
		return notJSON(fmt.Sprintf("there is more after the end of the message, at byte %d", s.at))
	}
	return nil
}
