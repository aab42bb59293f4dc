package proxy

import (
	"io"
	"net/http"

	"github.com/bowline-mcp/bowline/internal/eventstream"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// An eventBody is the stream of an answer on its way to a client. It looks at each message. If the
// client listens, it goes on with the stream of each new program.
type eventBody struct {
	io.ReadCloser
	exchange *exchange
	events   *eventstream.Reader
	rest     []byte // what the client hasn't read of the current event
	err      error  // after the rest
}

// open begins to read a stream. A client before 2026-07-28 that listens hears that lists may have
// changed if it had the stream of another program before.
func (b *eventBody) open(stream io.ReadCloser) {
	e := b.exchange
	b.ReadCloser, b.events = stream, eventstream.NewReader(stream, e.proxy.seenLimit)
	if e.listens && e.moved && e.in.Method == http.MethodGet {
		e.proxy.Lock()
		defer e.proxy.Unlock()
		b.rest = eventsOf(e.client.ListChanges())
	}
}

// Read reads the stream.
func (b *eventBody) Read(into []byte) (int, error) {
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

// readEvent reads the next event. If the stream breaks off because the program has ended, the
// last events answer the requests that are left.
func (b *eventBody) readEvent() error {
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
func (b *eventBody) openNext() error {
	_ = b.Close()
	b.exchange.move()
	response, err := b.exchange.send()
	if err != nil {
		b.ReadCloser = http.NoBody
		return io.EOF
	}
	b.ReadCloser = response.Body
	if response.StatusCode != http.StatusOK || !isEventStream(response) {
		return io.EOF
	}
	b.open(response.Body)
	return nil
}

// passedEvent notes an event of an answer, and returns what the client gets. A client resumes the
// stream of a call by the id of an event, for which only its program is asked.
func (e *exchange) passedEvent(event eventstream.Event) eventstream.Event {
	fields := event.Fields()
	if fields.ID != nil && e.session != nil && !e.listens {
		e.sees(string(fields.ID))
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
