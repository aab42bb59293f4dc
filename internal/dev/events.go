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

// with returns the event with other data.
func (e event) with(data []byte) event {
	var made event
	for line := range bytes.Lines(e) {
		if !bytes.HasPrefix(line, []byte("data:")) && len(bytes.TrimRight(line, "\r\n")) > 0 {
			made = append(made, line...)
		}
	}
	return append(append(append(made, "data: "...), data...), "\n\n"...)
}

// events reads the events of a stream.
type events struct{ in *bufio.Reader }

func newEvents(in io.Reader) *events { return &events{bufio.NewReader(in)} }

// next returns the next event. The error is io.EOF at the end of the stream.
func (e *events) next() (event, error) {
	var read event
	for {
		line, err := e.in.ReadBytes('\n')
		read = append(read, line...)
		if err != nil {
			return nil, err // a part of an event doesn't count
		}
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			return read, nil
		}
	}
}

// A passage is the body of an answer on its way to a client. It shows each message to a
// function that may change those in a stream.
type passage struct {
	body   io.ReadCloser
	events *events // nil if the body is one message
	see    func(message []byte) []byte
	rest   []byte // of the current event
	whole  bytes.Buffer
}

// newPassage returns a passage for the body of a response.
func newPassage(response *http.Response, see func([]byte) []byte) io.ReadCloser {
	p := &passage{body: response.Body, see: see}
	if isEventStream(response.Header) {
		p.events = newEvents(response.Body)
	}
	return p
}

// Read reads the body.
func (p *passage) Read(into []byte) (int, error) {
	if p.events == nil {
		n, err := p.body.Read(into)
		p.whole.Write(into[:n])
		if errors.Is(err, io.EOF) {
			p.see(p.whole.Bytes())
		}
		return n, err
	}
	for len(p.rest) == 0 {
		event, err := p.events.next()
		if err != nil {
			return 0, err
		}
		p.rest = event
		if data := event.data(); len(data) > 0 {
			if seen := p.see(data); !bytes.Equal(seen, data) {
				p.rest = event.with(seen)
			}
		}
	}
	n := copy(into, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// Close closes the body.
func (p *passage) Close() error { return p.body.Close() }
