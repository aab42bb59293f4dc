package eventstream

import (
	"bufio"
	"bytes"
	"io"
	"iter"
)

// A Reader reads the events of a stream. Lines end with LF, CR or CRLF, and a byte order mark
// may begin the stream.
type Reader struct {
	in    *bufio.Reader
	limit int

	event   Event // the current one, so far
	begun   bool  // whether the beginning of the stream was returned
	partial bool  // whether the beginning of the event was returned
	inLine  bool  // whether its last line has begun
	afterCR bool  // whether an LF would belong to the line before
}

// NewReader returns a reader that keeps at most limit bytes of an event, without the blank line.
// It buffers in, unless that is a [bufio.Reader] already.
func NewReader(in io.Reader, limit int) *Reader {
	buffered, ok := in.(*bufio.Reader)
	if !ok {
		buffered = bufio.NewReader(in)
	}
	return &Reader{in: buffered, limit: limit}
}

// Next returns the next event. An event of more than limit bytes comes in pieces, which aren't
// complete. At the end of the stream the error is [io.EOF]. The beginning of an event doesn't
// count then, unless more of the stream follows after all.
func (r *Reader) Next() (event Event, complete bool, err error) {
	for {
		blank, err := r.readLine()
		switch {
		case err != nil:
			return nil, false, err
		case blank:
			complete, r.partial = !r.partial, false
			return r.take(), complete, nil
		case len(r.event) > r.limit:
			r.partial = true
			return r.take(), false, nil
		}
	}
}

// readLine reads to the end of a line, or what has arrived of it. It reports whether the line is
// blank.
func (r *Reader) readLine() (blank bool, err error) {
	if _, err := r.in.Peek(1); err != nil {
		return false, err
	}
	data, _ := r.in.Peek(r.in.Buffered())
	if r.afterCR && data[0] == '\n' {
		r.afterCR = false
		_, err := r.in.Discard(1)
		return false, err
	}
	end := bytes.IndexAny(data, "\r\n")
	if end < 0 {
		r.event = append(r.event, data...)
		r.inLine, r.afterCR = true, false
		_, err := r.in.Discard(len(data))
		return false, err
	}
	blank = end == 0 && !r.inLine
	r.event = append(append(r.event, data[:end]...), '\n')
	r.inLine, r.afterCR = false, data[end] == '\r'
	_, err = r.in.Discard(end + 1)
	return blank, err
}

// take returns the event so far.
func (r *Reader) take() Event {
	event := r.event
	if !r.begun {
		event = bytes.TrimPrefix(event, []byte("\ufeff"))
	}
	r.event, r.begun = nil, true
	return event
}

// Messages returns the data of each event that has a message, to the end of the stream. It skips
// events of more bytes than the limit. Another call continues where the loop stopped.
func (r *Reader) Messages() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for {
			event, complete, err := r.Next()
			if err != nil {
				return
			}
			if !complete {
				continue
			}
			if data := event.Fields().Message(); len(data) > 0 && !yield(data) {
				return
			}
		}
	}
}
