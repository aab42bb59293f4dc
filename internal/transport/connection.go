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
	"github.com/bowline-mcp/bowline/internal/call"
	"github.com/bowline-mcp/bowline/internal/fault"
	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/protocol"
	"github.com/bowline-mcp/bowline/internal/spec"
	"github.com/bowline-mcp/bowline/internal/turn"
)

// A Connection serves a core to one client that sends and receives whole messages, in
// both eras at once. It is what stdio and the transports of a program's own have in
// common: everything but reading and writing messages.
//
// A call runs on the goroutine that read it, which spares the hand-over that costs
// more than most calls. If it is still running after a moment, another goroutine
// takes over reading.
type Connection struct {
	core    *protocol.Core
	session Session       // nil: modern clients only
	request *http.Request // that the client has opened the connection with, nil on other transports than HTTP
	limits  Limits
	logger  *slog.Logger

	calls call.Table
	queue queue
	in    source
	idle  sync.Pool  // of received messages that are over
	ended chan error // what ended reading

	stopping atomic.Bool // whether new calls are refused

	writing sync.Mutex
	out     sink // nil when closed
}

// A source is where messages come from. It is read by one goroutine at a time.
type source interface {
	// next returns the next message, or errTooLarge for one that is left out, or what
	// ended reading. The last message may come with its error.
	next() ([]byte, error)
}

// A sink takes messages to the client, one at a time: what the frame has, followed
// by rest.
type sink interface {
	write(frame *jsonrpc.Frame, rest []byte) error

	// abandon ends a write that waits for the client, if it can.
	abandon()
}

// newConnection returns a connection that lacks its source and sink. A nil legacy serves
// modern clients only. The session has an id if the process isn't the session.
func newConnection(core *protocol.Core, legacy Legacy, session string, limits Limits, logger *slog.Logger) *Connection {
	s := &Connection{core: core, limits: limits, logger: logger, ended: make(chan error, 1)}
	s.queue = newQueue(limits.Calls)
	if legacy != nil {
		s.session = legacy.Open(session, func(frame *jsonrpc.Frame) error { return s.send(frame, nil) })
	}
	return s
}

// Serve reads until the source or the context ends, then lets the running calls end
// within the drain limit. A read that blocks can't be interrupted: after the
// context's end, its goroutine stays until the source ends.
func (s *Connection) Serve(ctx context.Context) error {
	go s.read(context.WithoutCancel(ctx))
	return s.wait(ctx)
}

// wait is the rest of Serve, after reading has begun.
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
		s.calls.EndStreams()
		if !s.queue.wait(s.limits.Drain) {
			s.queue.clear(func(in *received) { s.refuseCall(in, fault.ShuttingDown()) })
			s.calls.EndCalls()
			if !s.queue.wait(s.limits.DrainGrace) {
				s.calls.Close()
				s.out.abandon()
			}
		}
		select {
		case <-s.calls.EndStreams(): // those too that have begun meanwhile
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

// drop ends all calls in silence: the client is gone.
func (s *Connection) drop() {
	s.queue.clear(func(*received) {})
	s.calls.Close()
}

// close drops what is still written.
func (s *Connection) close() {
	if s.session != nil {
		s.session.Close()
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	s.out = nil
}

// read reads and serves messages until the source ends or another goroutine has
// taken over.
func (s *Connection) read(ctx context.Context) {
	turn := turn.New(func() { s.read(ctx) })
	returned := false
	defer func() {
		if !returned && turn.Pass() { // a handler ended this goroutine
			go s.read(ctx)
		}
	}()
	for {
		message, err := s.in.next()
		if err == errTooLarge { //nolint:errorlint // a source returns it bare
			s.refuseSize(ctx)
			continue
		}
		if message != nil && !s.take(ctx, message, turn) {
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

// take serves a message. It reports false when that took so long that another
// goroutine reads now.
func (s *Connection) take(ctx context.Context, message []byte, turn *turn.Turn) bool {
	in := s.receive(ctx, message)
	if in == nil {
		return true
	}
	turn.Begin()
	s.serve(in)
	return turn.End()
}

// stop ends Serve: there is nothing more to receive, or nobody to write to.
func (s *Connection) stop(err error) {
	select {
	case s.ended <- err:
	default: // it ends already
	}
}

// refuseSize refuses a message that is too long to be read.
func (s *Connection) refuseSize(ctx context.Context) {
	s.refuse(ctx, nil, &exchange.Error{Code: exchange.CodeParseError, Message: "Parse error: a message may not be longer than " + size(int64(s.limits.Line))})
}

// refuse answers with an error before there is a call.
func (s *Connection) refuse(ctx context.Context, id []byte, refused *exchange.Error) {
	v := spec.VersionUnknown
	if s.session != nil {
		v = s.session.Version()
	}
	call.Refuse(id, refused, v, &received{conn: s, ctx: ctx})
}

// send writes a message to the client. If that fails the connection ends, whatever the
// message is: what follows might arrive without it.
func (s *Connection) send(frame *jsonrpc.Frame, rest []byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.out == nil {
		return call.ErrFinished
	}
	err := s.out.write(frame, rest)
	if err != nil {
		s.stop(fmt.Errorf("the client takes no messages any more: %w", err))
	}
	return err
}
