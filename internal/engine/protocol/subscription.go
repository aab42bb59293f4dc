package protocol

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/changes"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A subscription is an open stream of subscriptions/listen. Its messages carry the id of
// its request.
type subscription struct {
	ctx      context.Context // the context of its request
	core     *Core
	id       []byte        // raw
	table    *call.Table   // the client's table, nil on HTTP
	http     *http.Request // nil on other transports
	held     throttle.Stream
	reply    call.Reply
	interest *changes.Interest
	follower *changes.Follower
	start    time.Time

	lock sync.Mutex
	over bool
	sent func() // called when the stream has ended
}

// acknowledge sends the first message, then the changes since the follower was made.
func (s *subscription) acknowledge(params []byte) {
	frame := jsonrpc.NewFrame()
	defer frame.Free()
	frame.Buffer = jsonrpc.AppendNotification(frame.Buffer, "notifications/subscriptions/acknowledged", params)
	if err := s.reply.Notify(frame); err != nil {
		s.disconnected(err)
		return
	}
	s.follower.Begin()
}

// notify notifies the client of a change that it may know of.
func (s *subscription) notify(change changes.Change) error {
	frame := jsonrpc.NewFrame()
	defer frame.Free()
	b := s.core.AppendChange(s.ctx, frame.Buffer, change, s.id)
	if b == nil {
		return nil
	}
	frame.Buffer = b
	return s.reply.Notify(frame)
}

// disconnected ends the stream because the client has disconnected.
func (s *subscription) disconnected(err error) {
	s.close(exchange.OutcomeCanceled, nil, err)
}

// ID returns the raw id of the request.
func (s *subscription) ID() []byte { return s.id }

// Cancel ends the stream without an answer.
func (s *subscription) Cancel() { s.close(exchange.OutcomeCanceled, nil, nil) }

// End sends the waiting changes, then the answer. Sent, if not nil, is called when the stream
// has ended.
func (s *subscription) End(sent func()) {
	s.lock.Lock()
	over := s.over
	if sent != nil {
		s.sent = sent
	}
	s.lock.Unlock()
	if over && sent != nil {
		sent()
	}
	s.follower.End(func() {
		frame := jsonrpc.NewFrame()
		defer frame.Free()
		b := jsonrpc.AppendResult(frame.Buffer, s.id)
		b = append(b, `{"resultType":"complete","_meta":{"`+spec.MetaSubscriptionID+`":`...)
		b = append(append(b, s.id...), `,"`+spec.MetaServerInfo+`":`...)
		b = append(append(b, s.core.server.Info.In(spec.Newest)...), "}}"...)
		frame.Buffer = append(b, '}')
		s.close(exchange.OutcomeOK, frame, nil)
	})
}

// close ends the stream, once. The frame is the answer, or nil. Reason is why the client is
// gone, if it is.
func (s *subscription) close(outcome exchange.Outcome, frame *jsonrpc.Frame, reason error) {
	s.lock.Lock()
	first, sent := !s.over, s.sent
	s.over = true
	s.lock.Unlock()
	if !first {
		return
	}
	s.follower.Stop()
	s.interest.End()
	s.core.subscriptions.leave(s)
	s.reply.Finish(call.Answer{Frame: frame, Status: http.StatusOK})
	s.log(outcome, reason)
	if sent != nil {
		sent()
	}
}

// isStuck reports whether a write failed because the client doesn't read.
func isStuck(err error) bool {
	return errors.Is(err, changes.ErrTooSlow) || errors.Is(err, os.ErrDeadlineExceeded)
}

// log writes the log line of the stream.
func (s *subscription) log(outcome exchange.Outcome, reason error) {
	level, attrs := slog.LevelDebug, []slog.Attr{
		slog.String("method", "subscriptions/listen"), slog.String("outcome", string(outcome)),
		slog.Duration("took", time.Since(s.start)), slog.String("version", spec.Newest.String()),
	}
	switch {
	case isStuck(reason):
		level = slog.LevelWarn
		attrs = append(attrs, slog.String("reason", "the client does not read"))
	case reason != nil:
		attrs = append(attrs, slog.String("reason", "the client disconnected"))
	}
	s.core.server.Logger.LogAttrs(s.ctx, level, "stream", attrs...)
}

// subscriptions are the open streams of a core.
type subscriptions struct {
	lock   sync.Mutex
	open   map[*subscription]struct{}
	closed bool // whether new ones are refused
}

// enter adds a subscription, here and in its client's table, or returns why it can't.
func (t *subscriptions) enter(s *subscription) *exchange.Error {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.closed {
		return fault.ShuttingDown()
	}
	if s.table != nil {
		if refusal := s.table.Open(s); refusal != nil {
			return refusal
		}
	}
	if t.open == nil {
		t.open = map[*subscription]struct{}{}
	}
	t.open[s] = struct{}{}
	return nil
}

// leave removes a subscription.
func (t *subscriptions) leave(s *subscription) {
	t.lock.Lock()
	defer t.lock.Unlock()
	if delete(t.open, s); len(t.open) == 0 {
		t.open = nil // a map doesn't shrink
	}
	s.core.server.Shares.Close(&s.held)
	if s.table != nil {
		s.table.Forget(s)
	}
}

// close ends all streams and refuses new ones.
func (t *subscriptions) close() {
	t.lock.Lock()
	t.closed = true
	t.lock.Unlock()
	t.end()
}

// end ends all streams with their answers.
func (t *subscriptions) end() {
	t.lock.Lock()
	defer t.lock.Unlock()
	for s := range t.open {
		s.End(nil)
	}
}

// EndStreams ends the open streams of all clients with their answers. It is called when
// their HTTP server shuts down.
func (c *Core) EndStreams() { c.subscriptions.end() }
