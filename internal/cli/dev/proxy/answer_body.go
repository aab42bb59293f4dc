package proxy

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"github.com/bowline-mcp/bowline/internal/eventstream"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// An answerBody is the body of an answer on its way to a client. It looks at each message. If the
// client listens, the body goes on with the stream of each new program.
type answerBody struct {
	io.ReadCloser
	exchange *exchange
	events   *eventstream.Reader // nil if the body is one message
	rest     []byte              // of the current event
	whole    bytes.Buffer        // the body so far, if it is one message
	err      error               // after the rest
}

// open begins to read an answer. A client before 2026-07-28 that listens hears that lists may have
// changed if another program has answered before. The caller holds the lock.
func (b *answerBody) open(response *http.Response) {
	e := b.exchange
	b.ReadCloser = response.Body
	if isEventStream(response) {
		b.events = eventstream.NewReader(response.Body, e.proxy.seenLimit)
	}
	if e.listens && e.moved && e.in.Method == http.MethodGet {
		b.rest = eventsOf(e.client.ListChanges())
	}
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
		b.err = b.readEvent()
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
		var m jsonrpc.Message
		if b.whole.Len() > b.exchange.proxy.seenLimit {
			b.exchange.unseen = true
		} else if m.Scan(b.whole.Bytes()) == nil {
			b.exchange.passed(&m)
		}
	}
	return n, err
}

// readEvent reads the next event. If the stream breaks off because the program has ended, the
// last events answer the requests that are left.
func (b *answerBody) readEvent() error {
	e := b.exchange
	event, complete, err := b.events.Next()
	switch {
	case err == nil && complete:
		b.rest = e.passedEvent(event)
	case err == nil:
		b.rest, e.unseen = event, true
	case e.listens && e.isReplaced():
		return b.openNext()
	case e.listens:
		return io.EOF
	default:
		if b.rest = e.lostAnswers(err); b.rest == nil {
			return err
		}
		return io.EOF
	}
	return nil
}

// openNext goes on with the stream of the program that has replaced the one before.
func (b *answerBody) openNext() error {
	e := b.exchange
	_ = b.Close()
	b.ReadCloser = http.NoBody
	e.move()
	response, err := e.send()
	if err != nil {
		return io.EOF
	}
	e.proxy.Lock()
	defer e.proxy.Unlock()
	b.open(response)
	if response.StatusCode != http.StatusOK || !isEventStream(response) {
		b.rest = nil
		return io.EOF
	}
	return nil
}

// passedEvent notes an event of an answer, and returns what the client gets. The ids of the events
// of a session's call name the program.
func (e *exchange) passedEvent(event eventstream.Event) eventstream.Event {
	fields := event.Fields()
	if fields.ID != nil && e.session != nil && !e.listens {
		e.resumable = true
		event = event.With("id", named(fields.ID, e.program))
	}
	var m jsonrpc.Message
	if len(fields.Data) == 0 || m.Scan(fields.Data) != nil {
		return event
	}
	e.passed(&m)
	if e.listens && e.in.Method == http.MethodPost {
		passes, changed := e.requests[0].Stream.Passes(&m)
		if !passes {
			event = nil
		}
		event = append(event, eventsOf(changed)...)
	}
	return event
}

// eventsOf returns an event for each message.
func eventsOf(messages [][]byte) (events eventstream.Event) {
	for _, message := range messages {
		events = append(events, eventstream.Event(nil).With("data", message)...)
	}
	return events
}
