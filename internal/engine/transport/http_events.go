package transport

import (
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/resumption"
	"github.com/bowline-mcp/bowline/internal/eventstream"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// KeepEvents makes the answer resumable if it becomes a stream: the session then keeps its
// events.
func (r *httpReply) KeepEvents(session *resumption.Session) { r.session = session }

// events returns the session's stream for the answer. The first call makes it.
func (r *httpReply) events() *resumption.Stream {
	if r.kept == nil {
		r.kept = r.session.Begin(r)
	}
	return r.kept
}

// CloseStream ends the connection while the call continues, if the client can resume the
// stream.
func (r *httpReply) CloseStream(retry time.Duration) {
	if r.session != nil && r.acceptsStream && r.session.Resumes() {
		r.events().Disconnect(retry)
	}
}

// finishKept sends the answer as the last event of a stream whose events are kept.
func (r *httpReply) finishKept(answer call.Answer) {
	switch {
	case answer.Frame == nil:
		r.kept.End()
	case answer.Rest == nil:
		r.events().End(answer.Frame.JSON())
	default:
		r.events().End(answer.Frame.JSON(), answer.Rest)
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	if !r.finished {
		r.setFinished()
		_ = http.NewResponseController(r.w).Flush()
		r.endBeforeReturn()
	}
}

// Event sends an event of a stream whose events are kept.
func (r *httpReply) Event(id []byte, message ...[]byte) error { return r.send("id", id, message...) }

// namedEvent sends an event with a name instead of an id.
func (r *httpReply) namedEvent(name string, data []byte) error {
	return r.send("event", []byte(name), data)
}

// send sends an event, whose data is in pieces. A field comes before the data. Without one, the
// first piece begins with [eventstream.DataField].
func (r *httpReply) send(field string, value []byte, data ...[]byte) error {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.finished {
		return call.ErrFinished
	}
	if !r.begun {
		r.begin(http.StatusOK)
	}
	if !r.flusher.waiting { // otherwise the deadline was set a moment ago
		r.allow(r.limits.WriteTime)
	}
	if field != "" {
		r.field = append(eventstream.AppendField(r.field[:0], field, value), eventstream.DataField...)
		_ = r.write(r.field) // the next piece fails too
	}
	if err := r.write(data...); err != nil {
		return err
	}
	if err := r.write([]byte(eventstream.End)); err != nil {
		return err
	}
	return r.flusher.soon(r)
}

// Apart flushes events that wait to be sent together, and lets the next one, an answer, be
// flushed at once. Some clients read only one event of each chunk.
func (r *httpReply) Apart() {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.flusher.waiting && !r.finished {
		_ = r.flusher.flush(r)
		r.flusher.last = time.Time{}
	}
}

// Disconnect ends the connection.
func (r *httpReply) Disconnect(retry time.Duration) bool {
	r.hurry()
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.finished {
		return true
	}
	if r.begun {
		r.allow(limits.FinalWriteTimeout)
	}
	if retry > 0 {
		pause := strconv.AppendInt(nil, retry.Milliseconds(), 10)
		_, _ = r.w.Write(append(eventstream.AppendField(nil, "retry", pause), '\n'))
	}
	if r.begun {
		_ = r.flusher.flush(r)
	}
	if r.open == nil && !r.hijack() {
		r.allow(r.limits.WriteTime)
		return false
	}
	r.setFinished()
	return true
}

// abandon closes the connection of a client that has disconnected, and drops the answer
// unless it is a stream that the client can resume.
func (r *httpReply) abandon() {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.finished {
		return
	}
	r.allow(limits.CloseTime)
	if r.hijack() {
		r.setFinished()
	}
}

// hurry interrupts a write that holds the lock. It does nothing once the handler has
// returned: over HTTP/2, the writer must not be used afterwards.
func (r *httpReply) hurry() {
	r.using.Lock()
	defer r.using.Unlock()
	if !r.returned {
		r.allow(limits.CloseTime)
	}
}

// hijack ends the connection while the call continues; the HTTP server would wait until the
// handler returns. It reports false over HTTP/2, where requests share a connection.
func (r *httpReply) hijack() bool {
	conn, _, err := http.NewResponseController(r.w).Hijack()
	if err != nil {
		return false
	}
	if r.chunked && r.begun {
		_ = conn.SetWriteDeadline(time.Now().Add(limits.CloseTime))
		_, _ = io.WriteString(conn, "0\r\n\r\n") // the end of the body
	}
	_ = conn.Close()
	return true
}

// setFinished marks the answer as finished. The caller holds the lock.
func (r *httpReply) setFinished() {
	r.finished = true
	r.flusher.stop()
	if r.open != nil {
		close(r.open.done)
	}
}

// Accepted reports whether the client accepts a stream.
func (r *httpReply) Accepted() bool { return r.acceptsStream }

// Open begins the stream that answers a GET. Its headers are sent with the first event, or after a
// moment with a comment: some proxies pass on no headers without a byte of the body.
func (r *httpReply) Open() {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.open = &openStream{done: make(chan struct{})}
	r.begin(http.StatusOK)
	r.allow(r.limits.WriteTime)
	r.flusher.timer.Reset(pause)
}
