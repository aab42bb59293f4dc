package jsonrpc

import (
	"iter"
	"math"
)

// Members reads the members of a Batch, one after the other. A member that is not a
// message comes with the error that [Message.Scan] would give. That it is JSON, and not
// nested too deeply, was checked when the batch was scanned.
func (m *Message) Members() iter.Seq2[*Message, error] {
	return func(yield func(*Message, error) bool) {
		s := scanner{data: m.Params, limit: math.MaxInt}
		for s.at++; ; s.at++ { // over the bracket or the comma in front
			if s.space(); s.peek() == ']' {
				return
			}
			value, err := s.value(0)
			if err != nil {
				return
			}
			member := &Message{}
			if !yield(member, member.ScanTo(math.MaxInt, value)) {
				return
			}
			if s.space(); s.peek() != ',' {
				return
			}
		}
	}
}
