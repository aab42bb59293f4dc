package client

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"
)

// events reads server-sent events: the fields of one after the other.
type events struct {
	lines *bufio.Scanner
	limit int // bytes of a line, and of the data of an event

	id    string
	data  []byte
	retry time.Duration // of the last event that had it
	err   error         // of an event that is too long; a stream that breaks off may be resumed
}

func newEvents(body io.Reader, limit int) *events {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, limit)
	return &events{lines: lines, limit: limit}
}

// next reads one event, and reports false at the end of the stream. Events of another type
// than message have no data.
func (e *events) next() bool {
	e.id, e.data = "", nil
	other := false
	for e.lines.Scan() {
		line := e.lines.Bytes()
		if len(line) == 0 {
			if other {
				e.data = nil
			}
			return true
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "data":
			if e.data != nil {
				e.data = append(e.data, '\n')
			}
			if e.data = append(e.data, value...); len(e.data) > e.limit {
				e.err = errTooLong
				return false
			}
		case "id":
			e.id = string(value)
		case "event":
			other = string(value) != "message" && len(value) > 0
		case "retry":
			if ms, err := strconv.Atoi(string(value)); err == nil {
				e.retry = time.Duration(ms) * time.Millisecond
			}
		}
	}
	if errors.Is(e.lines.Err(), bufio.ErrTooLong) {
		e.err = errTooLong
	}
	return false
}
