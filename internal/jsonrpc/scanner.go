package jsonrpc

import (
	"fmt"

	"github.com/bowline-mcp/bowline/internal/rawjson"
)

// A scanner walks over JSON. It checks all of the grammar, and that no object
// repeats a name, without allocating; UTF-8 has been checked before.
type scanner struct {
	data    []byte
	at      int
	limit   int  // of the nesting
	lenient bool // the bytes are not valid UTF-8, and will be refused
}

// fewNames is how many names of an object are compared one with another. Beyond,
// a map does it.
const fewNames = 16

// An object is one being read.
type object struct {
	name    []byte // of the member, with its quotes
	escaped bool   // whether any name so far has an escape
	begun   bool
	err     error

	names [fewNames]span
	count int
	many  map[string]struct{} // once there are more than fewNames
}

// A span is a slice of the data, in a third of the space.
type span struct{ start, end uint32 }

// open reads the beginning of an object that is nested in depth others.
func (s *scanner) open(depth int) error {
	if depth >= s.limit {
		return s.tooDeep()
	}
	s.at++
	return nil
}

// next reads up to the value of the next member. It reports false at the end of
// the object, and when o.err is set.
func (s *scanner) next(o *object) bool {
	s.space()
	c := s.peek()
	if c == '}' {
		s.at++
		return false
	}
	if o.begun {
		if c != ',' {
			o.err = s.broken("a comma or the end of the object")
			return false
		}
		s.at++
		s.space()
	}
	o.begun = true
	if s.peek() != '"' {
		o.err = s.broken("a member's name")
		return false
	}
	start := s.at
	text := rawjson.ScanText(s.data, start)
	if s.at = text.End; !text.Valid {
		o.err = s.brokenText()
		return false
	}
	quoted := s.data[start:s.at]
	o.name = quoted[1 : len(quoted)-1]
	if text.Escaped {
		o.name, _ = Text(quoted)
		o.escaped = true
	}
	if o.err = s.unique(o, quoted); o.err != nil {
		return false
	}
	s.space()
	if s.peek() != ':' {
		o.err = s.broken("a colon")
		return false
	}
	s.at++
	s.space()
	return true
}

// unique notes the name of a member, which must be a new one.
func (s *scanner) unique(o *object, quoted []byte) error {
	if o.many == nil && o.count < fewNames {
		for _, name := range o.names[:o.count] {
			if (o.escaped || int(name.end-name.start) == len(quoted)) && repeats(s.data[name.start:name.end], quoted, o.escaped) {
				return s.repeated()
			}
		}
		o.names[o.count] = span{uint32(s.at - len(quoted)), uint32(s.at)}
		o.count++
		return nil
	}
	if o.many == nil {
		o.many = make(map[string]struct{}, 2*fewNames)
		for _, name := range o.names {
			text, _ := Text(s.data[name.start:name.end])
			o.many[string(text)] = struct{}{}
		}
	}
	if _, ok := o.many[string(o.name)]; ok {
		return s.repeated()
	}
	o.many[string(o.name)] = struct{}{}
	return nil
}

// value reads a value that is nested in depth objects and arrays.
func (s *scanner) value(depth int) ([]byte, error) {
	start := s.at
	var err error
	switch c := s.peek(); {
	case c == '"':
		text := rawjson.ScanText(s.data, start)
		if s.at = text.End; !text.Valid {
			err = s.brokenText()
		}
	case c == '{':
		var o object
		if err = s.open(depth); err != nil {
			return nil, err
		}
		for s.next(&o) {
			if _, err = s.value(depth + 1); err != nil {
				return nil, err
			}
		}
		err = o.err
	case c == '[':
		err = s.array(depth)
	case c == '-' || c >= '0' && c <= '9':
		err = s.number()
	case c == 't':
		err = s.literal("true")
	case c == 'f':
		err = s.literal("false")
	case c == 'n':
		err = s.literal("null")
	default:
		err = s.broken("a value")
	}
	return s.data[start:s.at:s.at], err
}

// brokenText says what is wrong where a string could not be read on.
func (s *scanner) brokenText() error {
	switch {
	case s.at == len(s.data):
		return s.broken("the end of a string")
	case s.data[s.at] == '\\':
		return s.broken("an escape")
	}
	return s.broken("no control character in a string")
}

// delimited reports whether what was read of an object ends there, so that a number has
// no more digits.
func (s *scanner) delimited() bool {
	s.space()
	return s.peek() == ',' || s.peek() == '}'
}

func (s *scanner) array(depth int) error {
	if depth >= s.limit {
		return s.tooDeep()
	}
	s.at++
	for begun := false; ; begun = true {
		s.space()
		c := s.peek()
		if c == ']' {
			s.at++
			return nil
		}
		if begun {
			if c != ',' {
				return s.broken("a comma or the end of the array")
			}
			s.at++
			s.space()
			if s.peek() == ']' {
				return s.broken("a value")
			}
		}
		if _, err := s.value(depth + 1); err != nil {
			return err
		}
	}
}

func (s *scanner) number() error {
	if s.peek() == '-' {
		s.at++
	}
	switch c := s.peek(); {
	case c == '0':
		s.at++
	case c >= '1' && c <= '9':
		s.digits()
	default:
		return s.broken("a digit")
	}
	if s.peek() == '.' {
		if s.at++; !s.digits() {
			return s.broken("a digit")
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.at++
		if c := s.peek(); c == '+' || c == '-' {
			s.at++
		}
		if !s.digits() {
			return s.broken("a digit")
		}
	}
	return nil
}

// digits reads digits and reports whether there were any.
func (s *scanner) digits() bool {
	start := s.at
	for s.at < len(s.data) && s.data[s.at] >= '0' && s.data[s.at] <= '9' {
		s.at++
	}
	return s.at > start
}

func (s *scanner) literal(text string) error {
	if end := s.at + len(text); end <= len(s.data) && string(s.data[s.at:end]) == text {
		s.at = end
		return nil
	}
	return s.broken("a value")
}

// peek returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.data) {
		return s.data[s.at]
	}
	return 0
}

// space skips white space, of which there is mostly none.
func (s *scanner) space() {
	if s.at < len(s.data) && s.data[s.at] <= ' ' {
		s.skip()
	}
}

func (s *scanner) skip() {
	for s.at < len(s.data) {
		switch s.data[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
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
