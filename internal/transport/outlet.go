package transport

import (
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// Record lets a journal keep what is sent, once the answer is a stream.
func (r *httpReply) Record(journal Journal) { r.journal = journal }

// tape returns the record of the answer, which becomes a stream by that.
func (r *httpReply) tape() Record {
	if r.record == nil {
		r.record = r.journal.Begin(r)
	}
	return r.record
}

// CloseStream ends the connection while the call goes on, if the client comes back for
// the answer.
func (r *httpReply) CloseStream(retry time.Duration) {
	if r.journal != nil && r.stream && r.journal.Resumes() {
		r.tape().HangUp(retry)
	}
}

// finishTape ends the record of a stream, and the answer.
func (r *httpReply) finishTape(frame *jsonrpc.Frame, rest [][]byte) {
	if frame == nil {
		r.record.End()
	} else {
		r.tape().End(append([][]byte{frame.JSON()}, rest...)...)
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	if !r.finished {
		r.finish()
		_ = http.NewResponseController(r.w).Flush()
	}
}

// Event sends an event of a stream that is recorded.
func (r *httpReply) Event(id []byte, message ...[]byte) error {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.finished {
		return protocol.ErrFinished
	}
	if !r.streams {
		r.begin(http.StatusOK)
	}
	if !r.flusher.waiting {
		r.allow(r.limits.WriteTime)
	}
	_, _ = io.WriteString(r.w, "id: ")
	_, _ = r.w.Write(id)
	_, _ = io.WriteString(r.w, "\ndata: ")
	if err := r.write(append(message, []byte(jsonrpc.EventEnd))...); err != nil {
		return err
	}
	return r.flusher.soon(r)
}

// named sends an event that has a name rather than an id.
func (r *httpReply) named(name string, data []byte) error {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.finished {
		return protocol.ErrFinished
	}
	if !r.flusher.waiting {
		r.allow(r.limits.WriteTime)
	}
	_, _ = io.WriteString(r.w, "event: "+name+"\ndata: ")
	if err := r.write(data, []byte(jsonrpc.EventEnd)); err != nil {
		return err
	}
	return r.flusher.soon(r)
}

// lastWords is how long a client may take for what a connection that ends still sends.
const lastWords = 100 * time.Millisecond

// HangUp ends the connection.
func (r *httpReply) HangUp(retry time.Duration) bool {
	r.allow(lastWords) // whoever is writing, and has the lock
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.finished {
		return true
	}
	if retry > 0 {
		_, _ = io.WriteString(r.w, "retry: "+strconv.FormatInt(retry.Milliseconds(), 10)+jsonrpc.EventEnd)
	}
	if r.streams {
		_ = r.flusher.flush(r)
	}
	if r.held == nil && !r.hijack() {
		r.allow(r.limits.WriteTime)
		return false
	}
	r.finish()
	return true
}

// hijack ends the connection of an answer whose call goes on. The HTTP server would do
// that only when the handler has returned. It reports false where a connection has
// several requests (HTTP/2).
func (r *httpReply) hijack() bool {
	conn, _, err := http.NewResponseController(r.w).Hijack()
	if err != nil {
		return false
	}
	if r.chunked {
		_ = conn.SetWriteDeadline(time.Now().Add(lastWords))
		_, _ = io.WriteString(conn, "0\r\n\r\n") // the end of the body
	}
	_ = conn.Close()
	return true
}

// finish notes that nothing more is sent. The caller holds the lock.
func (r *httpReply) finish() {
	r.finished = true
	r.flusher.stop()
	if r.held != nil {
		close(r.held.done)
	}
}

// Accepted reports whether the client takes a stream.
func (r *httpReply) Accepted() bool { return r.stream }

// Open begins the stream that answers a GET. Its headers wait a moment for an event.
func (r *httpReply) Open() {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.held = &held{done: make(chan struct{})}
	r.begin(http.StatusOK)
	r.allow(r.limits.WriteTime)
	r.flusher.later()
}
