// Package eventstream reads and writes server-sent events by the rules of the HTML Standard
// (https://html.spec.whatwg.org/multipage/server-sent-events.html).
//
// A [Reader] splits a stream into its events. A writer of a message on one line puts it between
// [DataField] and [End], and other fields in front with [AppendField].
package eventstream

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"time"
)

// The parts of an event around its data.
const (
	DataField = "data: "
	End       = "\n\n"
)

// KeepAlive is a comment, which readers ignore.
const KeepAlive = ": keep-alive" + End

// AppendField appends a field of an event: its name, and each line of its value in a line of
// its own.
func AppendField(dst []byte, name string, value []byte) []byte {
	for {
		line, rest, more := bytes.Cut(value, []byte("\n"))
		dst = append(append(append(append(dst, name...), ": "...), line...), '\n')
		if !more {
			return dst
		}
		value = rest
	}
}

// An Event is an event of a stream, or comments without one: lines that end with LF, the last
// of which is blank.
type Event []byte

// Fields are the fields of an event.
type Fields struct {
	Name  string        // of the type, "message" unless another is given
	Data  []byte        // its lines are joined with LF
	ID    []byte        // nil if the event leaves the last event id as it is, empty if it removes it
	Retry time.Duration // how long a client waits before it reconnects, 0 if that isn't given
}

// Message returns the data of an event of the type message.
func (f Fields) Message() []byte {
	if f.Name != "message" {
		return nil
	}
	return f.Data
}

// Fields returns the fields of the event.
func (e Event) Fields() Fields {
	f := Fields{Name: "message"}
	for line := range bytes.Lines(e) {
		name, value := field(line)
		switch {
		case string(name) == "data" && f.Data == nil:
			f.Data = slices.Clip(value) // the next line must not overwrite the event
		case string(name) == "data":
			f.Data = append(append(f.Data, '\n'), value...)
		case string(name) == "event":
			f.Name = cmp.Or(string(value), "message")
		case string(name) == "id" && bytes.IndexByte(value, 0) < 0:
			f.ID = value
		case string(name) == "retry":
			if ms, err := strconv.ParseUint(string(value), 10, 32); err == nil {
				f.Retry = time.Duration(ms) * time.Millisecond
			}
		}
	}
	return f
}

// field returns the name and the value in a line. A comment has no name. The value isn't nil.
func field(line []byte) (name, value []byte) {
	name, value, found := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(":"))
	if !found {
		return name, []byte{}
	}
	return name, bytes.TrimPrefix(value, []byte(" "))
}

// With returns the event with another value of a field.
func (e Event) With(name string, value []byte) Event {
	made := AppendField(nil, name, value)
	for line := range bytes.Lines(e) {
		if other, _ := field(line); string(other) != name && len(line) > len("\n") {
			made = append(made, line...)
		}
	}
	return append(made, '\n')
}
