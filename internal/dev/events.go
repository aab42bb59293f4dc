package dev

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
)

// isEventStream reports whether headers announce server-sent events.
func isEventStream(header http.Header) bool {
	kind, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return kind == "text/event-stream"
}

// newBody returns a body with a message.
func newBody(message []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(message)) }

// An event is a server-sent event or a comment, with the blank line behind it.
type event []byte

// data returns the data of an event. That is nil for a comment.
func (e event) data() []byte {
	var data [][]byte
	for line := range bytes.Lines(e) {
		line = bytes.TrimRight(line, "\r\n")
		if value, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(data, bytes.TrimPrefix(value, []byte(" ")))
		}
	}
	return bytes.Join(data, []byte("\n"))
}

// id returns the id of an event, or nil.
func (e event) id() []byte {
	for line := range bytes.Lines(e) {
		if value, ok := bytes.CutPrefix(bytes.TrimRight(line, "\r\n"), []byte("id:")); ok {
			return bytes.TrimPrefix(value, []byte(" "))
		}
	}
	return nil
}

// with returns the event with another value of a field.
func (e event) with(field string, value []byte) event {
	made := event(field + ": ")
	made = append(append(made, value...), '\n')
	for line := range bytes.Lines(e) {
		if !bytes.HasPrefix(line, []byte(field+":")) && len(bytes.TrimRight(line, "\r\n")) > 0 {
			made = append(made, line...)
		}
	}
	return append(made, '\n')
}

// events reads the events of a stream.
type events struct {
	in     *bufio.Reader
	inside bool // whether the last event isn't complete
	inLine bool // whether its last line isn't
}

func newEvents(in io.Reader) *events { return &events{in: bufio.NewReader(in)} }

// next returns the next event. One that is longer than maxSeen comes in pieces that aren't
// complete. The error is io.EOF at the end of the stream.
func (e *events) next() (read event, complete bool, err error) {
	for {
		piece, err := e.in.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, false, err // a part of an event doesn't count
		}
		read = append(read, piece...)
		blank := !e.inLine && len(bytes.TrimRight(piece, "\r\n")) == 0
		e.inLine = err != nil
		switch {
		case blank:
			complete, e.inside = !e.inside, false
			return read, complete, nil
		case len(read) > maxSeen:
			e.inside = true
			return read, false, nil
		}
	}
}
