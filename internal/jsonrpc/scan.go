package jsonrpc

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// A ScanError says why bytes are not a message.
type ScanError struct {
	Malformed bool // whether they are not JSON
	Reason    string
}

func notJSON(reason string) error { return &ScanError{true, reason} }

func notMessage(reason string) error { return &ScanError{false, reason} }

// Error returns the reason, as one sentence without a full stop.
func (e *ScanError) Error() string { return e.Reason }

// Scan reads data into m, in one walk. Member names are case-sensitive and may
// not be repeated at any level; unknown members are ignored. Of a message that is
// refused, m keeps the id if it could be read and the message has a method: without one,
// it may be a response, which gets no answer by its id. The only error type is *ScanError.
func (m *Message) Scan(data []byte) error { return m.ScanTo(limits.MaxDepth, data) }

// ScanTo reads data that is nested in at most depth levels, as [Message.Scan] does.
func (m *Message) ScanTo(depth int, data []byte) error {
	*m = Message{}
	s := scanner{data: data, limit: depth}
	s.space()
	if s.at == len(data) {
		return notJSON("the message is empty")
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
		return notJSON("the message is not valid UTF-8")
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
			return notMessage("the message is not a JSON object")
		}
		m.Kind, m.Params = Batch, value
		return s.end()
	}
	var version, method, params, id []byte
	var o object
	err := s.open(0)
	for err == nil && s.next(&o) {
		if string(o.name) == "params" {
			params, err = s.params(m)
			continue
		}
		var value []byte
		if value, err = s.value(1); err != nil {
			break
		}
		switch string(o.name) {
		case "jsonrpc":
			version = value
		case "id":
			if id = value; validID(id) && s.delimited() {
				m.ID = id
			}
		case "method":
			method = value
		case "result":
			m.Result = value
		case "error":
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
		return notMessage(`the member "jsonrpc" must be "2.0"`)
	}
	if len(id) > limits.MaxID {
		return notMessage(fmt.Sprintf(`the member "id" may have %d bytes`, limits.MaxID))
	}
	if id != nil && m.ID == nil && (method != nil || !IsNull(id)) {
		return notMessage(`the member "id" must be a string or an integer`)
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

// params reads the params object and the members of it that m has fields for.
func (s *scanner) params(m *Message) ([]byte, error) {
	start := s.at
	if s.peek() != '{' {
		return s.value(1)
	}
	var o object
	err := s.open(1)
	for err == nil && s.next(&o) {
		if string(o.name) == "_meta" {
			m.Meta.Raw, err = s.meta(&m.Meta)
			continue
		}
		var value []byte
		if value, err = s.value(2); err != nil {
			break
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
	var o object
	err := s.open(2)
	for err == nil && s.next(&o) {
		var value []byte
		if value, err = s.value(3); err != nil {
			break
		}
		switch string(o.name) {
		case "io.modelcontextprotocol/protocolVersion":
			meta.ProtocolVersion = value
		case "io.modelcontextprotocol/clientInfo":
			meta.ClientInfo = value
		case "io.modelcontextprotocol/clientCapabilities":
			meta.ClientCapabilities = value
		case "io.modelcontextprotocol/logLevel":
			meta.LogLevel = value
		case "progressToken":
			meta.ProgressToken = value
		}
	}
	if err == nil {
		err = o.err
	}
	meta.Raw = s.data[start:s.at:s.at]
	return meta.Raw, err
}

// end makes sure that nothing follows the message.
func (s *scanner) end() error {
	if s.space(); s.at < len(s.data) {
		return notJSON(fmt.Sprintf("there is more after the end of the message, at byte %d", s.at))
	}
	return nil
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
