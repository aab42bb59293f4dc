// Package eventstream reads the server-sent events of an answer, and changes their fields.
package eventstream

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// An Event is a server-sent event or a comment, with the blank line behind it.
type Event []byte

// Data returns the data of an event. That is nil for a comment.
func (e Event) Data() []byte {
	var data [][]byte
	for line := range bytes.Lines(e) {
		line = bytes.TrimRight(line, "\r\n")
		if value, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(data, bytes.TrimPrefix(value, []byte(" ")))
		}
	}
	return bytes.Join(data, []byte("\n"))
}

// ID returns the id of an event, or nil.
func (e Event) ID() []byte {
	for line := range bytes.Lines(e) {
		if value, ok := bytes.CutPrefix(bytes.TrimRight(line, "\r\n"), []byte("id:")); ok {
			return bytes.TrimPrefix(value, []byte(" "))
		}
	}
	return nil
}

// With returns the event with another value of a field.
func (e Event) With(field string, value []byte) Event {
	made := Event(field + ": ")
	made = append(append(made, value...), '\n')
	for line := range bytes.Lines(e) {
		if !bytes.HasPrefix(line, []byte(field+":")) && len(bytes.TrimRight(line, "\r\n")) > 0 {
			made = append(made, line...)
		}
	}
	return append(made, '\n')
}

// A Reader reads the events of a stream.
type Reader struct {
	in     *bufio.Reader
	limit  int
	inside bool // whether the last event isn't complete
	inLine bool // whether its last line isn't
}

// NewReader returns a reader of events. The limit is how many bytes of one it keeps.
func NewReader(in io.Reader, limit int) *Reader {
	return &Reader{in: bufio.NewReader(in), limit: limit}
}

// Next returns the next event. One that is longer than the limit comes in pieces that aren't
// complete. The error is io.EOF at the end of the stream.
func (r *Reader) Next() (read Event, complete bool, err error) {
	for {
		piece, err := r.in.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, false, err // a part of an event doesn't count
		}
		read = append(read, piece...)
		blank := !r.inLine && len(bytes.TrimRight(piece, "\r\n")) == 0
		r.inLine = err != nil
		switch {
		case blank:
			complete, r.inside = !r.inside, false
			return read, complete, nil
		case len(read) > r.limit:
			r.inside = true
			return read, false, nil
		}
	}
}
