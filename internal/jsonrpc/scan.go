package jsonrpc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/bowline-mcp/bowline/internal/codec"
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

// Scan reads data into m, in one walk. Member names are case-sensitive and may
// not be repeated at any level; unknown members are ignored. Of a message that is
// refused, m keeps the id if it could be read. The only error type is *ScanError.
func (m *Message) Scan(data []byte) error {
	return m.ScanDepth(data, MaxDepth)
}

// ScanDepth is [Message.Scan] with another limit on the nesting.
func (m *Message) ScanDepth(data []byte, depth int) error {
	*m = Message{}
	if len(bytes.TrimLeft(data, " \t\r\n")) == 0 {
		return &ScanError{ParseError, "the message is empty"}
	}
	if deeper(data, depth) {
		return &ScanError{InvalidRequest, fmt.Sprintf("the message is nested deeper than %d levels", depth)}
	}
	s := scanners.Get().(*scanner)
	s.open(data)
	err := s.message(m)
	s.close()
	scanners.Put(s)
	return err
}

// scanners holds idle scanners, whose decoders are costly to make.
var scanners = sync.Pool{New: func() any { return &scanner{decoder: codec.NewDecoder(nil)} }}

// A scanner walks over one message.
type scanner struct {
	data    []byte
	buffer  bytes.Buffer
	decoder *codec.Decoder
}

func (s *scanner) open(data []byte) {
	s.data = data
	s.buffer = *bytes.NewBuffer(data)
	s.decoder.Reset(&s.buffer)
}

func (s *scanner) close() {
	s.data, s.buffer = nil, bytes.Buffer{}
}

// message reads the top level.
func (s *scanner) message(m *Message) error {
	switch s.decoder.PeekKind() {
	case '{':
	case '[':
		if _, err := s.value(); err != nil {
			return err
		}
		m.Kind = Batch
		return s.end()
	default:
		if _, err := s.value(); err != nil {
			return err
		}
		return &ScanError{InvalidRequest, "the message is not a JSON object"}
	}
	var version, method, params, id []byte
	err := s.object(func(name []byte) (err error) {
		switch string(name) {
		case "jsonrpc":
			version, err = s.value()
		case "id":
			if id, err = s.value(); err == nil && validID(id) {
				m.ID = id
			}
		case "method":
			method, err = s.value()
		case "params":
			params, err = s.params(m)
		case "result":
			m.Result, err = s.value()
		case "error":
			m.Error, err = s.value()
		default:
			_, err = s.value()
		}
		return err
	})
	if err == nil {
		err = s.end()
	}
	if err != nil {
		return err
	}
	return m.shape(version, method, params, id)
}

// shape checks what the members are together.
func (m *Message) shape(version, method, params, id []byte) error {
	if string(version) != `"2.0"` {
		return &ScanError{InvalidRequest, `the member "jsonrpc" must be "2.0"`}
	}
	if id != nil && m.ID == nil && (method != nil || !IsNull(id)) {
		return &ScanError{InvalidRequest, `the member "id" must be a string or an integer`}
	}
	if method == nil {
		if (m.Result == nil) == (m.Error == nil) {
			return &ScanError{InvalidRequest, `the member "method" is missing (member names are case-sensitive)`}
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
func (s *scanner) params(m *Message) (_ []byte, err error) {
	if s.decoder.PeekKind() != '{' {
		return s.value()
	}
	start := s.decoder.InputOffset()
	err = s.object(func(name []byte) (err error) {
		switch string(name) {
		case "_meta":
			m.Meta.Raw, err = s.meta(&m.Meta)
		case "name":
			m.Name, err = s.value()
		case "uri":
			m.URI, err = s.value()
		case "cursor":
			m.Cursor, err = s.value()
		case "per_page":
			m.PerPage, err = s.value()
		case "arguments":
			m.Arguments, err = s.value()
		case "requestId":
			m.RequestID, err = s.value()
		default:
			_, err = s.value()
		}
		return err
	})
	m.Params = s.since(start)
	return m.Params, err
}

// meta reads the _meta object.
func (s *scanner) meta(meta *Meta) (_ []byte, err error) {
	if s.decoder.PeekKind() != '{' {
		return s.value()
	}
	start := s.decoder.InputOffset()
	err = s.object(func(name []byte) (err error) {
		switch string(name) {
		case "io.modelcontextprotocol/protocolVersion":
			meta.ProtocolVersion, err = s.value()
		case "io.modelcontextprotocol/clientInfo":
			meta.ClientInfo, err = s.value()
		case "io.modelcontextprotocol/clientCapabilities":
			meta.ClientCapabilities, err = s.value()
		case "io.modelcontextprotocol/logLevel":
			meta.LogLevel, err = s.value()
		case "progressToken":
			meta.ProgressToken, err = s.value()
		default:
			_, err = s.value()
		}
		return err
	})
	return s.since(start), err
}

// object reads an object. For each member it calls member, which has to read the
// value.
func (s *scanner) object(member func(name []byte) error) error {
	if _, err := s.decoder.ReadToken(); err != nil {
		return s.explain(err)
	}
	for s.decoder.PeekKind() != '}' {
		quoted, err := s.value()
		if err != nil {
			return err
		}
		name, _ := Text(quoted)
		if err := member(name); err != nil {
			return err
		}
	}
	_, err := s.decoder.ReadToken()
	return s.explain(err)
}

// value reads one value and returns it as a slice of the scanned bytes.
func (s *scanner) value() ([]byte, error) {
	value, err := s.decoder.ReadValue()
	if err != nil {
		return nil, s.explain(err)
	}
	end := int(s.decoder.InputOffset())
	return s.data[end-len(value) : end : end], nil
}

// since returns the object that began after start and ends here.
func (s *scanner) since(start int64) []byte {
	end := s.decoder.InputOffset()
	value := s.data[start:end:end]
	return value[max(bytes.IndexByte(value, '{'), 0):]
}

// end makes sure that nothing follows the message.
func (s *scanner) end() error {
	if _, err := s.decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return &ScanError{ParseError, "there is more after the end of the message"}
	}
	return nil
}
