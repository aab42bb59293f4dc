package jsonrpc

import (
	"bytes"
	"fmt"
	"iter"
	"math"

	"github.com/bowline-mcp/bowline/internal/json/rawjson"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// A scanner walks over JSON in valid UTF-8. It checks the grammar, and that no object repeats
// a name. It doesn't allocate for objects of up to fewNames members.
type scanner struct {
	data    []byte
	at      int
	limit   int        // maximum levels of nesting
	lenient bool       // whether the bytes are not valid UTF-8 and will be refused
	cache   *MetaCache // may be nil
}

// fewNames is how many names of an object are compared with each other. An object with more
// names needs a map. A map for each object would make a call in process 49 % slower.
const fewNames = 16

// An object is the state of reading a JSON object.
type object struct {
	depth   int    // the number of objects and arrays around it
	name    []byte // of the current member, decoded
	escaped bool   // whether any name so far has an escape
	begun   bool
	err     error // ends reading; readers of values may set it

	names [fewNames][]byte // with their quotes
	count int
	many  map[string]struct{} // nil for up to fewNames names
}

// next reads up to the value of the next member. It reports false at the end of the object
// and after an error.
func (s *scanner) next(o *object) bool {
	if o.err != nil {
		return false
	}
	data, i := s.data, s.at
	if !o.begun && o.depth >= s.limit {
		o.err = s.tooDeep()
		return false
	}
	if !o.begun {
		i++
	}
	i = rawjson.SkipSpace(data, i)
	if i < len(data) && data[i] == '}' {
		s.at = i + 1
		return false
	}
	if o.begun {
		if i == len(data) || data[i] != ',' {
			return s.breaks(o, i, "a comma or the end of the object")
		}
		i = rawjson.SkipSpace(data, i+1)
	}
	o.begun = true
	if i == len(data) || data[i] != '"' {
		return s.breaks(o, i, "a member's name")
	}
	text := rawjson.ScanText(data, i)
	if s.at = text.End; !text.Valid {
		o.err = s.brokenText()
		return false
	}
	o.name = data[i+1 : text.End-1]
	if text.Escaped {
		o.name, _ = Text(data[i:text.End])
		o.escaped = true
	}
	if err := s.unique(o, i); err != nil {
		o.err = err
		return false
	}
	i = rawjson.SkipSpace(data, text.End)
	if i == len(data) || data[i] != ':' {
		return s.breaks(o, i, "a colon")
	}
	s.at = i + 1
	return true
}

// breaks ends reading, because the object is malformed at a position.
func (s *scanner) breaks(o *object, at int, want string) bool {
	s.at = at
	o.err = s.broken(want)
	return false
}

// unique records the name whose opening quote is at start, or returns an error if the
// object repeats it.
func (s *scanner) unique(o *object, start int) error {
	if o.many == nil && o.count < fewNames {
		for _, name := range o.names[:o.count] {
			if len(name) != s.at-start && !o.escaped {
				continue
			}
			if other, _ := Text(name); bytes.Equal(other, o.name) {
				return s.repeated()
			}
		}
		o.names[o.count] = s.data[start:s.at]
		o.count++
		return nil
	}
	if o.many == nil {
		o.many = make(map[string]struct{}, 2*fewNames)
		for _, name := range o.names {
			text, _ := Text(name)
			o.many[string(text)] = struct{}{}
		}
	}
	if _, ok := o.many[string(o.name)]; ok {
		return s.repeated()
	}
	o.many[string(o.name)] = struct{}{}
	return nil
}

// value skips white space and reads a value inside depth objects and arrays.
func (s *scanner) value(depth int) ([]byte, error) {
	c := s.token()
	start := s.at
	var err error
	switch {
	case c == '"':
		text := rawjson.ScanText(s.data, start)
		if s.at = text.End; !text.Valid {
			err = s.brokenText()
		}
	case c == '{':
		o := object{depth: depth}
		for s.next(&o) {
			_, o.err = s.value(depth + 1)
		}
		err = o.err
	case c == '[':
		err = s.array(depth)
	case c == '-' || c >= '0' && c <= '9':
		number, _, ok := rawjson.ScanNumber(s.data, start)
		if s.at = number; !ok {
			err = s.broken("a digit")
		}
	default:
		end := rawjson.ScanLiteral(s.data, start)
		if end < 0 {
			return nil, s.broken("a value")
		}
		s.at = end
	}
	if err != nil {
		return nil, err
	}
	return s.data[start:s.at:s.at], nil
}

// brokenText returns the error for the byte at which a string is malformed.
func (s *scanner) brokenText() error {
	switch {
	case s.at == len(s.data):
		return s.broken("the end of a string")
	case s.data[s.at] == '\\':
		return s.broken("an escape")
	}
	return s.broken("no control character in a string")
}

func (s *scanner) array(depth int) error {
	if depth >= s.limit {
		return s.tooDeep()
	}
	s.at++
	if s.token() == ']' {
		s.at++
		return nil
	}
	for {
		if _, err := s.value(depth + 1); err != nil {
			return err
		}
		switch s.token() {
		case ',':
			s.at++
		case ']':
			s.at++
			return nil
		default:
			return s.broken("a comma or the end of the array")
		}
	}
}

// token skips white space and returns the next byte, 0 at the end.
func (s *scanner) token() byte {
	s.at = rawjson.SkipSpace(s.data, s.at)
	if s.at < len(s.data) {
		return s.data[s.at]
	}
	return 0
}

func (s *scanner) broken(want string) error {
	if s.at >= len(s.data) {
		return notJSON(fmt.Sprintf("the message ends after %d bytes, where %s should be", len(s.data), want))
	}
	return notJSON(fmt.Sprintf("the message is not valid JSON: at byte %d there should be %s", s.at, want))
}

func (s *scanner) tooDeep() error {
	return notMessage(fmt.Sprintf("the message is nested deeper than %d levels", s.limit))
}

func (s *scanner) repeated() error {
	return notMessage(fmt.Sprintf("a member's name is repeated before byte %d", s.at))
}

// findID returns the id of a request that is malformed at a position, or nil. After that
// position, an id counts only if it is the only one. A message without a method has none: it
// may be a response, whose id the server has chosen.
func findID(data []byte, broken int) (id []byte) {
	s := scanner{data: data, limit: limits.MaxDepth}
	request := false
	for depth := 0; s.at < len(data) && (id == nil || !request || s.at > broken); {
		switch data[s.at] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			start := s.at
			text := rawjson.ScanText(data, start)
			if s.at = text.End; !text.Valid {
				return nil
			}
			name, _ := Text(data[start:s.at])
			if depth != 1 || s.token() != ':' {
				continue
			}
			s.at++
			request = request || string(name) == "method"
			if string(name) != "id" {
				continue
			}
			value, err := s.value(1)
			if c := s.token(); err != nil || !validID(value) || c != ',' && c != '}' || id != nil {
				return nil
			}
			id = value
			continue
		}
		s.at++
	}
	if !request {
		return nil
	}
	return id
}

// Members reads the members of a Batch, one after the other. A member that is not a message
// comes with the error of [Message.Scan].
func (m *Message) Members() iter.Seq2[*Message, error] {
	return func(yield func(*Message, error) bool) {
		s := scanner{data: m.Params, limit: math.MaxInt}
		for s.at++; ; s.at++ { // past the bracket or comma
			if s.token() == ']' {
				return
			}
			value, err := s.value(0)
			if err != nil {
				return
			}
			member := &Message{}
			if !yield(member, member.ScanTo(math.MaxInt, value, nil)) {
				return
			}
			if s.token() != ',' {
				return
			}
		}
	}
}
