package jsonrpc

import (
	"bytes"
	"fmt"
	"sync/atomic"
	"unicode/utf8"
)

// MaxDepth is how deep objects and arrays may be nested in a message by default.
const MaxDepth = 64

// A ScanError says why bytes are not a message. Code is ParseError when they are
// not JSON, else InvalidRequest.
type ScanError struct {
	Code   int
	Reason string
}

// Error returns the reason, as one sentence without a full stop.
func (e *ScanError) Error() string { return e.Reason }

// A Scanner reads the messages of many requests. It remembers the last _meta object
// that says only who the client is, since a client sends the same one with each
// request. The zero value reads to [MaxDepth].
type Scanner struct {
	Depth int // of the nesting; 0 is MaxDepth

	last atomic.Pointer[knownMeta]
}

// knownMeta is a _meta object that was read before.
type knownMeta struct{ Meta }

// Scan reads data into m, as [Message.Scan] does.
func (s *Scanner) Scan(m *Message, data []byte) error {
	depth := s.Depth
	if depth == 0 {
		depth = MaxDepth
	}
	return m.scan(data, depth, s)
}

// Scan reads data into m, in one walk. Member names are case-sensitive and may
// not be repeated at any level; unknown members are ignored. Of a message that is
// refused, m keeps the id if it could be read and the message has a method: without one,
// it may be a response, which gets no answer by its id. The only error type is *ScanError.
func (m *Message) Scan(data []byte) error {
	return m.scan(data, MaxDepth, nil)
}

func (m *Message) scan(data []byte, depth int, memory *Scanner) error {
	*m = Message{}
	s := scanner{data: data, limit: depth, memory: memory}
	s.space()
	if s.at == len(data) {
		return &ScanError{ParseError, "the message is empty"}
	}
	if !utf8.Valid(data) {
		s.lenient = true // find the id first, if that is possible
	}
	err := s.message(m)
	if s.lenient && !utf8.Valid(m.ID) {
		m.ID = nil // it can't be echoed
	}
	if err != nil {
		return err
	}
	if s.lenient {
		*m = Message{ID: m.AnswerID()}
		return &ScanError{ParseError, "the message is not valid UTF-8"}
	}
	return nil
}

// message reads the top level.
func (s *scanner) message(m *Message) error {
	if c := s.data[s.at]; c != '{' {
		value, err := s.value(0)
		if err != nil {
			return err
		}
		if c != '[' {
			return &ScanError{InvalidRequest, "the message is not a JSON object"}
		}
		m.Kind, m.Params = Batch, value
		return s.end()
	}
	var version, method, params, id []byte
	var o object
	err := s.open(0)
	for err == nil && s.next(&o) {
		if o.known("params") {
			params, err = s.params(m)
			continue
		}
		var value []byte
		if value, err = s.value(1); err != nil {
			break
		}
		switch {
		case o.known("jsonrpc"):
			version = value
		case o.known("id"):
			if id = value; validID(id) && s.delimited() {
				m.ID = id
			}
		case o.known("method"):
			method = value
		case o.known("result"):
			m.Result = value
		case o.known("error"):
			m.Error = value
		}
	}
	if err == nil {
		err = o.err
	}
	if err == nil {
		err = s.end()
	}
	if err != nil {
		if id == nil || method == nil {
			m.ID = findID(s.data)
		}
		return err
	}
	if err = m.shape(version, method, params, id); err != nil && method == nil {
		m.ID = nil // it may be a response, whose id is of the receiver's own making
	}
	return err
}

// shape checks what the members are together.
func (m *Message) shape(version, method, params, id []byte) error {
	if string(version) != `"2.0"` {
		return &ScanError{InvalidRequest, `the member "jsonrpc" must be "2.0"`}
	}
	if len(id) > maxID {
		return &ScanError{InvalidRequest, fmt.Sprintf(`the member "id" may have %d bytes`, maxID)}
	}
	if id != nil && m.ID == nil && (method != nil || !IsNull(id)) {
		return &ScanError{InvalidRequest, `the member "id" must be a string or an integer`}
	}
	if method == nil {
		if m.Result == nil && m.Error == nil {
			return &ScanError{InvalidRequest, `the member "method" is missing (member names are case-sensitive)`}
		}
		if m.Result != nil && m.Error != nil {
			return &ScanError{InvalidRequest, "a response has a result or an error, not both"}
		}
		m.Kind = Response
		return nil
	}
	text, ok := Text(method)
	if !ok || len(text) == 0 {
		return &ScanError{InvalidRequest, `the member "method" must be a string that is not empty`}
	}
	if m.Result != nil || m.Error != nil {
		return &ScanError{InvalidRequest, "a message is either a request or a response, not both"}
	}
	m.Method = text
	if params != nil && !IsObject(params) {
		return &ScanError{InvalidRequest, `the member "params" must be an object`}
	}
	m.Kind = Notification
	if id != nil {
		m.Kind = Request
	}
	return nil
}

// params reads the params object and the members of it that m has fields for.
func (s *scanner) params(m *Message) ([]byte, error) {
	start := s.at
	if s.peek() != '{' {
		return s.value(1)
	}
	var o object
	err := s.open(1)
	for err == nil && s.next(&o) {
		if o.known("_meta") {
			m.Meta.Raw, err = s.meta(&m.Meta)
			continue
		}
		var value []byte
		if value, err = s.value(2); err != nil {
			break
		}
		switch {
		case o.known("name"):
			m.Name = value
		case o.known("arguments"):
			m.Arguments = value
		case o.known("uri"):
			m.URI = value
		case o.known("cursor"):
			m.Cursor = value
		case o.known("per_page"):
			m.PerPage = value
		case o.known("requestId"):
			m.RequestID = value
		case o.known("inputResponses"):
			m.InputResponses = value
		case o.known("requestState"):
			m.RequestState = value
		}
	}
	if err == nil {
		err = o.err
	}
	m.Params = s.data[start:s.at:s.at]
	return m.Params, err
}

// meta reads the _meta object.
func (s *scanner) meta(meta *Meta) ([]byte, error) {
	start := s.at
	if s.peek() != '{' {
		return s.value(2)
	}
	if s.recall(meta) {
		return meta.Raw, nil
	}
	var o object
	passing := false // whether it says something of this request only
	err := s.open(2)
	for err == nil && s.next(&o) {
		var value []byte
		if value, err = s.value(3); err != nil {
			break
		}
		switch {
		case o.known("io.modelcontextprotocol/protocolVersion"):
			meta.ProtocolVersion = value
		case o.known("io.modelcontextprotocol/clientInfo"):
			meta.ClientInfo = value
		case o.known("io.modelcontextprotocol/clientCapabilities"):
			meta.ClientCapabilities = value
		case o.known("io.modelcontextprotocol/logLevel"):
			meta.LogLevel = value
		case o.known("progressToken"):
			meta.ProgressToken = value
			passing = true
		default:
			passing = true
		}
	}
	if err == nil {
		err = o.err
	}
	meta.Raw = s.data[start:s.at:s.at]
	if err == nil && s.memory != nil && !passing && len(meta.Raw) <= maxKnownMeta {
		s.memory.last.Store(&knownMeta{meta.clone()})
	}
	return meta.Raw, err
}

// maxKnownMeta is the size up to which a _meta object is remembered.
const maxKnownMeta = 2048

// recall reads a _meta object that is the same as the last one.
func (s *scanner) recall(meta *Meta) bool {
	if s.memory == nil {
		return false
	}
	last := s.memory.last.Load()
	if last == nil || !bytes.HasPrefix(s.data[s.at:], last.Raw) {
		return false
	}
	*meta = last.Meta
	s.at += len(last.Raw)
	return true
}

// clone returns the _meta with bytes of its own.
func (m *Meta) clone() Meta {
	raw := bytes.Clone(m.Raw)
	return Meta{
		Raw: raw, ProtocolVersion: m.within(raw, m.ProtocolVersion), ClientInfo: m.within(raw, m.ClientInfo),
		ClientCapabilities: m.within(raw, m.ClientCapabilities), LogLevel: m.within(raw, m.LogLevel),
		ProgressToken: m.within(raw, m.ProgressToken),
	}
}

// within returns the part of raw, a copy of m.Raw, that value is of m.Raw.
func (m *Meta) within(raw, value []byte) []byte {
	if value == nil {
		return nil
	}
	at := bytes.Index(m.Raw, value) // any part that reads the same will do
	return raw[at : at+len(value) : at+len(value)]
}

// end makes sure that nothing follows the message.
func (s *scanner) end() error {
	if s.space(); s.at < len(s.data) {
		return &ScanError{ParseError, fmt.Sprintf("there is more after the end of the message, at byte %d", s.at)}
	}
	return nil
}

// known reports whether the member being read has that name.
func (o *object) known(name string) bool {
	if o.escaped {
		text, _ := Text(o.name)
		return string(text) == name
	}
	return len(o.name) == len(name)+2 && string(o.name[1:len(o.name)-1]) == name
}

// repeats reports whether two quoted names are the same.
func repeats(a, b []byte, escaped bool) bool {
	if !escaped {
		return bytes.Equal(a, b)
	}
	x, _ := Text(a)
	y, _ := Text(b)
	return bytes.Equal(x, y)
}
