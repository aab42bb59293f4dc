package jsonrpc

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/bowline-mcp/bowline/internal/codec"
)

// explain turns a decoder's error into one that a client's author understands.
func (s *scanner) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, codec.ErrDuplicateName):
		return &ScanError{InvalidRequest, fmt.Sprintf("a member name is repeated near byte %d", s.decoder.InputOffset())}
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &ScanError{ParseError, fmt.Sprintf("the message ends in the middle of a value, after %d bytes", len(s.data))}
	}
	return &ScanError{ParseError, fmt.Sprintf("the message is not valid JSON near byte %d", s.decoder.InputOffset())}
}

// deeper reports whether objects and arrays in data are nested more than limit
// deep. Most messages are let through by counting alone.
func deeper(data []byte, limit int) bool {
	if bytes.Count(data, []byte{'{'})+bytes.Count(data, []byte{'['}) <= limit {
		return false
	}
	depth, inString := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > limit {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}
