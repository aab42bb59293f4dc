package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// An event is an event of a stream, parsed as in a browser.
type event struct{ id, name, data, retry string }

// A message is the data of an event.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
}

// readEvents reads the events of a whole stream, without comments.
func readEvents(stream string) (events []event) {
	for block := range strings.SplitSeq(strings.TrimSuffix(stream, "\n\n"), "\n\n") {
		if e := readEvent(block); e != (event{}) {
			events = append(events, e)
		}
	}
	return events
}

// readEvent reads one event, without the empty line that ends it.
func readEvent(block string) (e event) {
	for line := range strings.SplitSeq(block, "\n") {
		switch name, value, _ := strings.Cut(line, ": "); strings.TrimSuffix(name, ":") {
		case "id":
			e.id = value
		case "event":
			e.name = value
		case "data":
			e.data += value
		case "retry":
			e.retry = value
		}
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
