package protocol

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
)

// A subscription is an open stream of subscriptions/listen. Everything that it sends is
// tagged with the id of its request.
type subscription struct {
	core     *Core
	id       []byte // raw
	calls    *Calls // where the id can be cancelled, nil on HTTP
	reply    Reply
	follower *Follower
	number   uint64 // of all calls, for the log
	start    time.Time

	lock sync.Mutex
	over bool
	sent func() // called when a stream that is to end has ended
}

// acknowledge sends the first message, and then what has happened since the follower
// listens.
func (s *subscription) acknowledge(params []byte) {
	frame := jsonrpc.NewFrame()
	defer frame.Free()
	frame.Close(jsonrpc.AppendNotification(frame.Open(), "notifications/subscriptions/acknowledged", params))
	if err := s.reply.Notify(frame); err != nil {
		s.gone(err)
		return
	}
	s.follower.Begin()
}

// tell sends a change, if the client may see what it is of.
func (s *subscription) tell(ctx context.Context, change Change) error {
	if !s.core.Shows(ctx, change) {
		return nil
	}
	frame := jsonrpc.NewFrame()
	defer frame.Free()
	frame.Close(change.AppendNotification(frame.Open(), s.id))
	return s.reply.Notify(frame)
}

// gone ends the stream of a client that can't be reached any more, for the reason.
func (s *subscription) gone(err error) {
	outcome := "disconnected"
	if isStuck(err) {
		outcome = "too slow"
	}
	s.close(outcome, nil)
}

// cancel ends the stream without an answer.
func (s *subscription) cancel() { s.close("cancelled", nil) }

// end ends the stream with its answer, when all that waits was sent. Then, or when the
// stream ends in another way, sent is called, unless it is nil.
func (s *subscription) end(sent func()) {
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
		b := jsonrpc.AppendResult(frame.Open(), s.id)
		b = append(b, `{"resultType":"complete","_meta":{"`+metaSubscriptionID+`":`...)
		b = append(append(b, s.id...), `,"`+metaServerInfo+`":`...)
		b = append(append(b, s.core.identity.modern...), "}}"...)
		frame.Close(jsonrpc.AppendEnd(b))
		s.close("ok", frame)
	})
}

// close closes the stream, once, with the answer unless the frame is nil.
func (s *subscription) close(outcome string, frame *jsonrpc.Frame) {
	s.lock.Lock()
	first, sent := !s.over, s.sent
	s.over = true
	s.lock.Unlock()
	if !first {
		return
	}
	s.follower.Stop()
	s.follower.interest.End()
	s.core.streams.leave(s)
	s.reply.Finish(http.StatusOK, frame)
	s.core.logStream(s, outcome)
	if sent != nil {
		sent()
	}
}

// isStuck reports whether a client can't be reached because it doesn't read.
func isStuck(err error) bool {
	return errors.Is(err, ErrTooSlow) || errors.Is(err, os.ErrDeadlineExceeded)
}

// logStream writes the line of a stream.
func (c *Core) logStream(s *subscription, outcome string) {
	level := slog.LevelDebug
	if outcome == "too slow" {
		level = slog.LevelWarn
	}
	c.logger.LogAttrs(context.Background(), level, "stream", slog.Uint64("request", s.number), slog.String("method", "subscriptions/listen"),
		slog.String("outcome", outcome), slog.Duration("took", time.Since(s.start)), slog.String("version", Newest.String()))
}
