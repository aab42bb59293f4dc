package eventstream_test

import "strings"

// A dispatched is an event as a browser dispatches it.
type dispatched struct{ Type, Data, LastEventID string }

// dispatch returns the events of a whole stream, step by step as the HTML Standard describes it
// (9.2.6, interpreting an event stream). It checks the reader, with which it shares no code.
func dispatch(stream string) (events []dispatched) {
	stream = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(stream, "\ufeff"))
	lines := strings.Split(stream, "\n")
	var buffer dispatched
	for _, line := range lines[:len(lines)-1] { // a line without an end doesn't count
		if line == "" {
			if buffer.Data != "" {
				event := buffer
				event.Data = strings.TrimSuffix(event.Data, "\n")
				if event.Type == "" {
					event.Type = "message"
				}
				events = append(events, event)
			}
			buffer.Type, buffer.Data = "", ""
			continue
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case field == "event":
			buffer.Type = value
		case field == "data":
			buffer.Data += value + "\n"
		case field == "id" && !strings.Contains(value, "\x00"):
			buffer.LastEventID = value
		}
	}
	return events
}
