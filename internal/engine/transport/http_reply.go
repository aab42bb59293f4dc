package transport

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/protected"
	"github.com/bowline-mcp/bowline/internal/engine/resumption"
	"github.com/bowline-mcp/bowline/internal/eventstream"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// An httpReply answers a POST with one JSON object, or with a stream of events if a
// notification comes first.
type httpReply struct {
	w              http.ResponseWriter
	limits         *Limits
	http           *HTTP // serves a stream that stays open; nil for streams of older clients
	request        *http.Request
	chunked        bool // whether the connection has the end of a stream marked
	noWriteTimeout bool // whether the HTTP server doesn't limit the time of the answer

	acceptsJSON, acceptsStream bool // what the client accepts

	session *resumption.Session // nil if no events are kept
	kept    *resumption.Stream  // nil if the answer isn't a stream of the session

	using    sync.Mutex // guards returned, also while a blocked write holds lock
	returned bool       // whether the handler has returned

	lock           sync.Mutex
	begun          bool // whether the answer has become a stream
	endsConnection bool // whether the connection must end with the answer
	finished       bool
	field          []byte // buffer for the first field of an event
	flusher        flusher
	open           *openStream // nil unless the stream stays open
}

// Header returns the headers of the answer.
func (r *httpReply) Header() http.Header { return r.w.Header() }

// Notify sends a notification, if the client accepts a stream.
func (r *httpReply) Notify(frame *jsonrpc.Frame) error {
	if !r.acceptsStream {
		return call.ErrNoStream
	}
	if r.session != nil {
		return r.events().Send(frame.JSON())
	}
	return r.send("", nil, frame.Event())
}

// Streams reports whether the answer is a stream, or has to be one.
func (r *httpReply) Streams() bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.begun || !r.acceptsJSON
}

// begin turns the answer into a stream.
func (r *httpReply) begin(status int) {
	h := r.w.Header()
	h["Content-Type"] = []string{"text/event-stream"}
	h["Cache-Control"] = []string{"no-cache"}
	h["X-Accel-Buffering"] = []string{"no"}
	if conn, ok := writerAs[interface{ SetReadDeadline(time.Time) error }](r.w); ok {
		_ = conn.SetReadDeadline(time.Time{}) // the deadline of a GET must not end the stream
	}
	r.w.WriteHeader(status)
	r.begun = true
	r.flusher.start(r)
}

// allow sets the write deadline of the connection to a time from now.
func (r *httpReply) allow(timeout time.Duration) {
	if conn, ok := writerAs[interface{ SetWriteDeadline(time.Time) error }](r.w); ok {
		_ = conn.SetWriteDeadline(time.Now().Add(timeout))
	}
}

// ExtendTimeout extends the write deadline of the connection, which initially fits the default
// timeout of calls.
func (r *httpReply) ExtendTimeout(timeout time.Duration) { r.allow(timeout + r.limits.WriteTime) }

func (r *httpReply) write(pieces ...[]byte) error {
	for _, piece := range pieces {
		if piece == nil {
			continue
		}
		if _, err := r.w.Write(piece); err != nil {
			return r.note(fmt.Errorf("%w: %w", call.ErrGone, err))
		}
	}
	return nil
}

// HandlerStillRuns closes the connection after the answer, since the running handler blocks it
// for other requests.
func (r *httpReply) HandlerStillRuns() {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.endsConnection = true
	if !r.begun && !r.finished {
		r.w.Header().Set("Connection", "close")
	}
}

// KeepAlive turns the answer into a stream, whose comments keep the connection alive. A client
// that can resume the stream gets the id of an event first.
func (r *httpReply) KeepAlive() {
	if r.isFinished() {
		return
	}
	if r.session != nil {
		r.events()
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.begun || r.finished {
		return
	}
	r.begin(http.StatusOK)
	_ = r.flusher.comment(r)
}

func (r *httpReply) isFinished() bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.finished
}

// maxAtOnce is how many bytes a connection usually buffers before a write waits for the
// client.
const maxAtOnce = 64 << 10

// Finish sends the answer.
func (r *httpReply) Finish(answer call.Answer) {
	if answer.Refused && r.http != nil {
		logRefusal(r.http.logger, r.request, answer.Status, answer.Error.Message)
	}
	if r.kept != nil || r.session != nil && !r.acceptsJSON && answer.Frame != nil && answer.Status == http.StatusOK {
		r.finishKept(answer)
		return
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.finished {
		return
	}
	r.finished = true
	if r.open != nil {
		defer close(r.open.done)
		r.allow(r.limits.WriteTime)
	}
	if !r.begun && answer.Error != nil {
		r.declare(answer.Error)
	}
	switch {
	case answer.Frame == nil && !r.begun:
		WriteStatus(r.w, r.request, answer.Status)
	case answer.Frame == nil:
	case r.begun || !r.acceptsJSON:
		if !r.begun {
			r.begin(answer.Status)
		}
		if r.flusher.waiting { // as Apart does
			_ = r.flusher.flush(r)
		}
		r.allow(r.limits.WriteTime)
		_ = r.write(answer.Frame.Event(), answer.Rest, []byte(eventstream.End))
	default:
		r.object(answer)
	}
	if r.begun {
		r.flusher.stop()
	}
	if r.endsConnection || r.begun {
		_ = http.NewResponseController(r.w).Flush()
		r.endBeforeReturn()
	}
}

// endBeforeReturn ends the connection of a stream if the handler still runs after the answer. Otherwise
// the client would wait for the handler, since a stream ends with its request. The caller holds
// the lock.
func (r *httpReply) endBeforeReturn() {
	if r.endsConnection && r.begun {
		r.hijack()
	}
}

// declare adds the headers of an error.
func (r *httpReply) declare(err *exchange.Error) {
	maps.Copy(r.w.Header(), err.Header)
	if authorization := protected.AuthorizationFrom(r.request.Context()); authorization != nil {
		authorization.Refused(err)
	}
}

// maxUnmeasured is the largest answer, in bytes, to which net/http itself adds a
// Content-Length unless it is flushed before the handler returns. Adding the header here
// costs two allocations.
const maxUnmeasured = 2 << 10

// object writes the answer as one JSON object. The caller holds the lock.
func (r *httpReply) object(answer call.Answer) {
	h, length := r.w.Header(), len(answer.Frame.JSON())+len(answer.Rest)
	h["Content-Type"] = []string{"application/json"}
	if length > maxUnmeasured || r.endsConnection || r.noWriteTimeout { // the last two are flushed, so net/http would send them in chunks
		h["Content-Length"] = []string{strconv.Itoa(length)}
	}
	r.w.WriteHeader(answer.Status)
	if length > maxAtOnce || r.noWriteTimeout {
		r.allow(r.limits.WriteTime)
	}
	_ = r.write(answer.Frame.JSON(), answer.Rest)
	if r.noWriteTimeout {
		_ = http.NewResponseController(r.w).Flush()
		r.endDeadline()
	}
}

// endDeadline removes the write deadline of a connection. Without a WriteTimeout, net/http
// would keep it for the next requests.
func (r *httpReply) endDeadline() {
	if conn, ok := writerAs[interface{ SetWriteDeadline(time.Time) error }](r.w); ok {
		_ = conn.SetWriteDeadline(time.Time{})
	}
}

// close finishes the reply before the handler returns.
func (r *httpReply) close() {
	r.lock.Lock()
	if !r.finished {
		r.setFinished()
	}
	if r.noWriteTimeout {
		r.endDeadline()
	}
	r.lock.Unlock()
	r.using.Lock()
	defer r.using.Unlock()
	r.returned = true
}

// size formats a number of bytes.
func size(n int64) string {
	if n >= 1<<20 {
		return strconv.FormatFloat(float64(n)/(1<<20), 'f', -1, 64) + " MiB"
	}
	return strconv.FormatInt(n, 10) + " bytes"
}

// pause is how long a stream waits for further events before it flushes. Without it, 100
// events take four times as long.
const pause = time.Millisecond

// A flusher flushes a stream: at once for a single event, and once per pause in a burst of
// events. It also keeps a quiet stream alive.
type flusher struct {
	timer   *time.Timer // nil unless the reply streams
	waiting bool        // whether something is written but not flushed
	last    time.Time   // when it was flushed last
}

// start starts the timer. The caller holds the reply's lock, as for all methods.
func (f *flusher) start(r *httpReply) {
	f.timer = time.AfterFunc(r.limits.KeepAlive, func() {
		r.lock.Lock()
		defer r.lock.Unlock()
		if r.finished {
			return
		}
		if f.waiting {
			_ = f.flush(r)
		} else {
			_ = f.comment(r)
		}
	})
}

// comment sends a comment, which clients ignore.
func (f *flusher) comment(r *httpReply) error {
	r.allow(r.limits.WriteTime)
	if err := r.write([]byte(eventstream.KeepAlive)); err != nil {
		return err
	}
	return f.flush(r)
}

func (f *flusher) stop() {
	if f.timer != nil {
		f.timer.Stop()
	}
}

// soon flushes now or after the pause.
func (f *flusher) soon(r *httpReply) error {
	if f.waiting {
		return nil
	}
	if time.Since(f.last) >= pause {
		return f.flush(r)
	}
	f.later()
	return nil
}

// later flushes after the pause.
func (f *flusher) later() {
	f.waiting = true
	f.timer.Reset(pause)
}

// flush flushes the stream and sets the timer for the next keep-alive.
func (f *flusher) flush(r *httpReply) error {
	f.waiting, f.last = false, time.Now()
	f.timer.Reset(r.limits.KeepAlive)
	if err := http.NewResponseController(r.w).Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return r.note(fmt.Errorf("%w: %w", call.ErrGone, err))
	}
	if r.open != nil { // the deadline may otherwise end a quiet stream
		r.endDeadline()
	}
	return nil
}
