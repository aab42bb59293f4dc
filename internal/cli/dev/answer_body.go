package dev

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"github.com/bowline-mcp/bowline/internal/cli/dev/eventstream"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// An answerBody is the body of an answer on its way to a client. The exchange sees each message,
// and may change the events of a stream.
type answerBody struct {
	io.ReadCloser
	exchange *exchange
	events   *eventstream.Reader // nil if the body is one message
	rest     []byte              // of the current event
	whole    bytes.Buffer        // the body so far, if it is one message
	err      error               // after the rest
}

func newAnswerBody(e *exchange, response *http.Response) io.ReadCloser {
	b := &answerBody{ReadCloser: response.Body, exchange: e}
	if isEventStream(response.Header) {
		b.events = eventstream.NewReader(response.Body, e.proxy.seenLimit)
	}
	return b
}

// Read reads the body.
func (b *answerBody) Read(into []byte) (int, error) {
	if b.events == nil {
		return b.readMessage(into)
	}
	for len(b.rest) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		b.rest, b.err = b.readEvent()
	}
	n := copy(into, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// readMessage reads a part of a message. The exchange sees it at the end, unless it is too long.
func (b *answerBody) readMessage(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if b.whole.Len() <= b.exchange.proxy.seenLimit {
		b.whole.Write(into[:n])
	}
	if errors.Is(err, io.EOF) {
		if b.whole.Len() > b.exchange.proxy.seenLimit {
			b.exchange.unseen = true
			return n, err
		}
		var m jsonrpc.Message
		if m.Scan(b.whole.Bytes()) == nil {
			b.exchange.answered(&m)
		}
	}
	return n, err
}

// readEvent reads the next event. If the stream breaks off because the program has ended, the
// last events answer the requests that are left.
func (b *answerBody) readEvent() (eventstream.Event, error) {
	event, complete, err := b.events.Next()
	switch {
	case err == nil && complete:
		return b.exchange.passed(event), nil
	case err == nil:
		b.exchange.unseen = true
		return event, nil
	}
	if lost := b.exchange.lostAnswers(err); lost != nil {
		return lost, io.EOF
	}
	return nil, err
}
