package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/eventstream"
)

// An event is an event of a stream, by its fields.
type event struct {
	id, name, data string
	retry          time.Duration
}

// A message is the data of an event.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
}

// readEvents reads the events of a whole stream, without comments.
func readEvents(stream string) (events []event) {
	for in := eventstream.NewReader(strings.NewReader(stream), len(stream)); ; {
		read, _, err := in.Next()
		if err != nil {
			return events
		}
		if e := eventOf(read); e != (event{}) {
			events = append(events, e)
		}
	}
}

// eventOf returns the fields of an event, none for a comment.
func eventOf(read eventstream.Event) event {
	f := read.Fields()
	e := event{id: string(f.ID), data: string(f.Data), retry: f.Retry}
	if e != (event{}) {
		e.name = f.Name
	}
	return e
}

// eventMessages returns the messages of a stream.
func eventMessages(t *testing.T, stream string) (messages []message) {
	t.Helper()
	for _, e := range readEvents(stream) {
		if e.data == "" {
			continue
		}
		var m message
		if err := json.Unmarshal([]byte(e.data), &m); err != nil {
			t.Errorf("an event is no message: %v: %s", err, e.data)
		}
		messages = append(messages, m)
	}
	return messages
}
