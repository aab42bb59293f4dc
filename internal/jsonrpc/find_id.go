package jsonrpc

import (
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/rawjson"
)

// findID returns the id of a message that is refused before its id and its method are
// read, since they come late: the member at the top level, if there is one, it is valid,
// and there is a method too. The bytes need not be JSON.
func findID(data []byte) (id []byte) {
	s := scanner{data: data, limit: limits.MaxDepth}
	request := false
	for depth := 0; s.at < len(data); {
		switch data[s.at] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			start := s.at
			text := rawjson.ScanText(s.data, s.at)
			if s.at = text.End; !text.Valid {
				return nil
			}
			name := data[start:s.at]
			if s.space(); depth != 1 || s.peek() != ':' {
				continue
			}
			s.at++
			request = request || string(name) == `"method"`
			if string(name) != `"id"` {
				continue
			}
			s.space()
			value, err := s.value(1)
			if err != nil || len(value) == 0 || !validID(value) || !s.delimited() || id != nil {
				return nil // which of two would be meant isn't known
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
