package jsonrpc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// ErrTooLong is the error for a line that exceeds the limit. [Lines.Next] returns it bare.
var ErrTooLong = errors.New("the line is too long")

// Lines reads messages, one on each line, as the stdio transport has them (specification:
// Transports, stdio).
type Lines struct {
	in     *bufio.Reader
	limit  int  // bytes of a line
	inside bool // whether the rest of a line must be skipped
}

// NewLines returns a reader of lines, which may have up to limit bytes.
func NewLines(in io.Reader, limit int) *Lines {
	return &Lines{in: bufio.NewReaderSize(in, 64<<10), limit: limit}
}

// Next returns the next line that isn't blank, in memory of its own. The error is ErrTooLong for
// a line that exceeds the limit; the call after it continues with the next line. With the error
// that ends reading, Next may return a last line.
func (l *Lines) Next() ([]byte, error) {
	for l.inside {
		_, err := l.in.ReadSlice('\n')
		l.inside = err == bufio.ErrBufferFull //nolint:errorlint // bufio returns it bare
	}
	for {
		line, err := l.line()
		if err != ErrTooLong && len(bytes.TrimSpace(line)) > 0 { //nolint:errorlint // line returns it bare
			return line, err
		}
		if err != nil {
			return nil, err
		}
	}
}

// line reads a line.
func (l *Lines) line() (line []byte, err error) {
	for {
		piece, err := l.in.ReadSlice('\n')
		line = append(line, piece...)
		if len(line) > l.limit+len("\r\n") {
			l.inside = err == bufio.ErrBufferFull //nolint:errorlint // bufio returns it bare
			return nil, ErrTooLong
		}
		if err != bufio.ErrBufferFull { //nolint:errorlint // bufio returns it bare
			return line, err
		}
	}
}
