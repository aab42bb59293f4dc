package jsonrpc

// findID returns the id of a message that is refused before its id is read, since it
// comes late: the member at the top level, if there is one and it is valid. The bytes
// need not be JSON.
func findID(data []byte) (id []byte) {
	s := scanner{data: data, limit: MaxDepth}
	for depth := 0; s.at < len(data); {
		switch data[s.at] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			start := s.at
			if _, err := s.text(); err != nil {
				return nil
			}
			if depth != 1 || string(data[start:s.at]) != `"id"` {
				continue
			}
			if s.space(); s.peek() != ':' {
				continue
			}
			s.at++
			s.space()
			value, err := s.value(1)
			if err != nil || len(value) == 0 || !validID(value) || id != nil {
				return nil // which of two would be meant isn't known
			}
			id = value
			continue
		}
		s.at++
	}
	return id
}
