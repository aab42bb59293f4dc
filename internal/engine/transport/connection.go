package transport

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/engine/handoff"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A Connection serves one client that sends and receives whole messages, in both eras at
// once. Stdio and custom transports read and write the messages; the connection does the
// rest.
//
// A call runs on the goroutine that read it, because passing it to another one would make
// a call on stdio take three times as long. If the call still runs after a moment, another
// goroutine continues reading.
type Connection struct {
	core    *protocol.Core
	session Session       // nil if only modern clients are served
	request *http.Request // the one that opened the connection, nil without HTTP
	limits  Limits
	logger  *slog.Logger
	apart   func(told time.Time) // before an answer whose call notified at that time, or nil

	calls call.Table
	metas jsonrpc.MetaCache
	queue queue
	in    source
	ended chan error // receives the error that ended reading

	stopping atomic.Bool // whether new calls are refused

	writing sync.Mutex
	out     sink // nil when closed
}

// A source reads messages. One goroutine at a time calls it.
type source interface {
	// next returns the next message and its context, which is derived from ctx. The error
	// is errTooLarge if it skipped a message, or the one that ended reading. The last
	// message may come with an error.
	next(ctx context.Context) ([]byte, context.Context, error)
}

// A sink writes messages to the client, one at a time: the frame, followed by rest.
type sink interface {
	write(frame *jsonrpc.Frame, rest []byte) error

	// abandon interrupts a write that waits for the client, if it can.
	abandon()
}

// newConnection returns a connection without its source and sink. If legacy is nil, it
// serves only modern clients. On stdio, where the process is the session, the id is "".
func newConnection(core *protocol.Core, legacy Legacy, session string, limits Limits, logger *slog.Logger) *Connection {
	s := &Connection{core: core, limits: limits, logger: logger, ended: make(chan error, 1)}
	s.queue = newQueue(limits.Calls)
	if legacy != nil {
		s.session = legacy.Open(session, func(frame *jsonrpc.Frame) error { return s.send(frame, nil) })
	}
	return s
}

// Serve reads until the source or the context ends, then waits for the running calls up to
// the drain limit. A blocked read can't be interrupted: its goroutine stays until the
// source ends.
func (s *Connection) Serve(ctx context.Context) error {
	go s.read(context.WithoutCancel(ctx))
	return s.wait(ctx)
}

// wait does the rest of Serve once reading has begun.
func (s *Connection) wait(ctx context.Context) error {
	var err error
	select {
	case err = <-s.ended:
	case <-ctx.Done():
	}
	s.stopping.Store(true)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.calls.EndSubscriptions()
		if !s.queue.wait(s.limits.Drain) {
			s.queue.clear(func(in *connectionReply) { s.refuseCall(in, fault.ShuttingDown()) })
			s.calls.EndCalls()
			if !s.queue.wait(s.limits.DrainGrace) {
				s.calls.Close()
				s.out.abandon()
			}
		}
		select {
		case <-s.calls.EndSubscriptions(): // including those that have begun meanwhile
		case <-time.After(s.limits.DrainGrace):
			s.out.abandon()
		}
		s.close()
	}()
	select {
	case <-ended:
	case <-time.After(s.limits.Drain + 2*s.limits.DrainGrace):
		s.logger.WarnContext(context.WithoutCancel(ctx), "stopped while an answer could not be written, since the client does not read")
	}
	return err
}

// drop ends all calls without an answer, because the client has disconnected.
func (s *Connection) drop() {
	s.queue.clear(func(*connectionReply) {})
	s.calls.Close()
}

// close ends the session. Later messages to the client are dropped.
func (s *Connection) close() {
	if s.session != nil {
		s.session.Close()
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	s.out = nil
}

// read reads and serves messages until the source ends or another goroutine continues
// reading.
func (s *Connection) read(ctx context.Context) {
	worker := handoff.New(func() { s.read(ctx) })
	returned := false
	defer func() {
		if !returned && worker.Pass() { // a handler ended this goroutine
			go s.read(ctx)
		}
	}()
	for {
		message, of, err := s.in.next(ctx)
		if err == errTooLarge { //nolint:errorlint // a source returns it bare
			s.refuseSize(ctx)
			continue
		}
		if message != nil && !s.take(of, message, worker) {
			returned = true // another goroutine reads now
			return
		}
		if err != nil {
			if err == io.EOF { //nolint:errorlint // a source returns it bare
				err = nil
			}
			s.stop(err)
			returned = true
			return
		}
	}
}

// take serves a message. It reports false if that took so long that another goroutine has
// taken over reading.
func (s *Connection) take(ctx context.Context, message []byte, worker *handoff.Worker) bool {
	in := s.receive(ctx, message)
	if in == nil {
		return true
	}
	worker.Begin()
	s.serve(in)
	return worker.End()
}

// stop makes Serve end.
func (s *Connection) stop(err error) {
	select {
	case s.ended <- err:
	default: // Serve already ends
	}
}

// refuseSize answers a message that exceeds the limit.
func (s *Connection) refuseSize(ctx context.Context) {
	s.refuse(ctx, nil, &exchange.Error{Code: exchange.CodeParseError, Message: "Parse error: a message may not be longer than " + size(int64(s.limits.Line))})
}

// refuse answers a message with an error instead of a call.
func (s *Connection) refuse(ctx context.Context, id []byte, refusal *exchange.Error) {
	v := spec.VersionUnknown
	if s.session != nil {
		v = s.session.Version()
	}
	call.Refuse(id, refusal, v, &connectionReply{conn: s, ctx: ctx})
}

// send writes a message to the client. If that fails, the connection ends, since later
// messages might arrive without this one.
func (s *Connection) send(frame *jsonrpc.Frame, rest []byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.out == nil {
		return call.ErrFinished
	}
	err := s.out.write(frame, rest)
	if err != nil {
		s.stop(fmt.Errorf("the client no longer accepts messages: %w", err))
	}
	return err
}
