package transport

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// Stdio serves a core over a pair of byte streams, a message a line, in both eras
// at once.
//
// A call runs on the goroutine that read it, which spares the hand-over that costs
// more than most calls. If it is still running after a moment, another goroutine
// takes over reading.
type Stdio struct {
	core   *protocol.Core
	guest  Guest // nil: modern clients only
	in     *bufio.Reader
	limits Limits
	logger *slog.Logger

	calls   protocol.Calls
	queue   queue
	scanner jsonrpc.Scanner
	buffers buffers
	lines   sync.Pool  // lines that are over
	ended   chan error // what ended reading

	stopping atomic.Bool // whether new calls are refused

	write sync.Mutex
	out   io.Writer // nil when closed
}

// NewStdio returns a server of one client. A nil wing serves modern clients only.
func NewStdio(core *protocol.Core, wing Wing, in io.Reader, out io.Writer, limits Limits, logger *slog.Logger) *Stdio {
	s := &Stdio{core: core, in: bufio.NewReaderSize(in, 64<<10), out: out, limits: limits, logger: logger, ended: make(chan error, 1)}
	s.scanner.Depth = limits.Depth
	s.queue = queue{limit: limits.Calls, idle: make(chan struct{}, 1)}
	if wing != nil {
		s.guest = wing.Open()
	}
	return s
}

// Serve reads until the end of the stream or of the context, then lets the running
// calls end within the drain limit. A read that blocks can't be interrupted: after
// the context's end, its goroutine stays until the stream ends.
func (s *Stdio) Serve(ctx context.Context) error {
	go s.read(context.WithoutCancel(ctx))
	var err error
	select {
	case err = <-s.ended:
	case <-ctx.Done():
		s.stopping.Store(true)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if !s.queue.wait(s.limits.Drain) {
			s.queue.clear(func(in *line) { s.refuseCall(in, shuttingDown()) })
			s.calls.EndAll()
			if !s.queue.wait(s.limits.DrainGrace) {
				s.calls.CancelAll()
			}
		}
		s.close()
	}()
	select {
	case <-ended:
	case <-time.After(s.limits.Drain + 2*s.limits.DrainGrace):
		s.logger.Warn("stopped while an answer could not be written, since the client does not read")
	}
	return err
}

// close drops what is still written.
func (s *Stdio) close() {
	s.write.Lock()
	defer s.write.Unlock()
	s.out = nil
}

// read reads and serves messages until the stream ends or another goroutine has
// taken over.
func (s *Stdio) read(ctx context.Context) {
	turn := newTurn(func() { s.read(ctx) })
	returned := false
	defer func() {
		if !returned && turn.pass() { // a handler ended this goroutine
			go s.read(ctx)
		}
	}()
	for {
		buffer := s.buffers.get()
		err := s.line(buffer)
		switch {
		case err == errTooLarge: //nolint:errorlint // line returns it bare
			s.refuse(nil, &protocol.Fault{Code: jsonrpc.ParseError, Message: "Parse error: a line may not be longer than " + size(int64(s.limits.Line))})
			err = s.skip()
		case len(bytes.TrimSpace(*buffer)) > 0:
			if !s.message(ctx, buffer, turn) {
				returned = true // another goroutine reads now
				return
			}
			buffer = nil
		}
		if buffer != nil {
			s.buffers.put(buffer)
		}
		if err != nil {
			if err == io.EOF { //nolint:errorlint // bufio returns it bare
				err = nil
			}
			s.stop(err)
			returned = true
			return
		}
	}
}

// stop ends Serve: there is nothing more to read, or nobody to write to.
func (s *Stdio) stop(err error) {
	select {
	case s.ended <- err:
	default: // it ends already
	}
}

// line reads up to the end of a line into the buffer, or errTooLarge.
func (s *Stdio) line(buffer *[]byte) error {
	for {
		piece, err := s.in.ReadSlice('\n')
		*buffer = append(*buffer, piece...)
		if len(*buffer) > s.limits.Line+len("\r\n") {
			if err == nil {
				_ = s.in.UnreadByte() // so that skip finds the end of the line
			}
			return errTooLarge
		}
		if err != bufio.ErrBufferFull { //nolint:errorlint // bufio returns it bare
			return err
		}
	}
}

// skip drops the rest of a line.
func (s *Stdio) skip() error {
	for {
		if _, err := s.in.ReadSlice('\n'); err != bufio.ErrBufferFull { //nolint:errorlint // bufio returns it bare
			return err
		}
	}
}

// message serves one message. It owns the buffer. It reports false when it took so
// long that another goroutine reads now.
func (s *Stdio) message(ctx context.Context, buffer *[]byte, turn *turn) bool {
	in, ok := s.lines.Get().(*line)
	if !ok {
		in = &line{}
	}
	in.stdio, in.buffer = s, buffer
	a := &in.arrival
	a.Calls = &s.calls
	if err := s.scanner.Scan(&a.Message, *buffer); err != nil {
		s.refuse(a.Message.ID, protocol.Malformed(err))
		s.buffers.put(buffer)
		return true
	}
	if !s.takesTime(&a.Message) {
		if string(a.Message.Method) == "notifications/cancelled" {
			s.queue.drop(a.Message.RequestID)
		}
		s.serve(ctx, in)
		return true
	}
	if s.stopping.Load() {
		s.refuseCall(in, shuttingDown())
		s.buffers.put(buffer)
		return true
	}
	switch s.queue.enter(in) {
	case refused:
		s.refuseCall(in, &protocol.Fault{Code: jsonrpc.InternalError, Message: fmt.Sprintf(
			"The server is busy: %d calls run and no more may wait; try again later", s.limits.Calls)})
		s.buffers.put(buffer)
		return true
	case waits:
		return true
	case runs:
	}
	in.counted = true
	turn.begin()
	s.serve(ctx, in)
	return turn.end()
}

// takesTime reports whether a message runs a handler, and so counts as a call.
func (s *Stdio) takesTime(m *jsonrpc.Message) bool {
	switch m.Kind {
	case jsonrpc.Request:
		return string(m.Method) != "ping"
	case jsonrpc.Notification:
		return s.core.Hears(m.Method)
	default:
		return false
	}
}

// serve hands a message to its era, and gives the buffer back.
func (s *Stdio) serve(ctx context.Context, in *line) {
	a := &in.arrival
	in.ctx = ctx
	era, fault := protocol.Classify(&a.Message, "")
	switch {
	case fault != nil:
		s.core.Refuse(a.Message.ID, fault, protocol.Newest, in)
	case era == protocol.Modern:
		s.core.Serve(ctx, a, in)
	case s.guest == nil:
		s.core.Refuse(a.Message.ID, s.core.NoHandshake(&a.Message), protocol.Newest, in)
	default:
		s.guest.Serve(ctx, a, in)
	}
	s.buffers.put(in.buffer)
	if !a.Kept {
		*in = line{}
		s.lines.Put(in)
	}
}

// refuseCall refuses what isn't run. A notification gets no answer.
func (s *Stdio) refuseCall(in *line, fault *protocol.Fault) {
	if m := &in.arrival.Message; m.Kind == jsonrpc.Request {
		s.refuse(m.ID, fault)
	}
}

// refuse answers with an error before there is a call.
func (s *Stdio) refuse(id []byte, fault *protocol.Fault) {
	v := protocol.VersionUnknown
	if s.guest != nil {
		v = s.guest.Version()
	}
	s.core.Refuse(id, fault, v, &line{stdio: s})
}

// A line is a message that arrived, and the reply to it.
type line struct {
	stdio   *Stdio
	ctx     context.Context
	arrival protocol.Arrival
	buffer  *[]byte
	counted bool // whether it holds one of the places of running calls
}

// Notify writes a notification.
func (l *line) Notify(frame *jsonrpc.Frame) error { return l.stdio.send(frame) }

// Within does nothing: a pipe has no deadline.
func (l *line) Within(time.Duration) {}

// Late does nothing: a stream of lines goes on.
func (l *line) Late() {}

// Finish writes the answer. A nil frame, or the refusal of what isn't a request, is
// none.
func (l *line) Finish(_ int, frame *jsonrpc.Frame, rest ...[]byte) {
	if kind := l.arrival.Message.Kind; frame != nil && kind != jsonrpc.Notification && kind != jsonrpc.Response {
		if err := l.stdio.send(frame, rest...); err != nil {
			l.stdio.logger.Error("writing an answer", "error", err)
			l.stdio.stop(fmt.Errorf("the client takes no answers any more: %w", err))
		}
	}
	if l.counted {
		l.counted = false
		l.stdio.queue.leave(func(next *line) {
			next.counted = true
			go l.stdio.serve(l.ctx, next)
		})
	}
}

// send writes a message as a line.
func (s *Stdio) send(frame *jsonrpc.Frame, rest ...[]byte) error {
	s.write.Lock()
	defer s.write.Unlock()
	if s.out == nil {
		return protocol.ErrFinished
	}
	if len(rest) == 0 {
		_, err := s.out.Write(frame.Line())
		return err
	}
	for _, piece := range append([][]byte{frame.JSON()}, append(rest, []byte("\n"))...) {
		if _, err := s.out.Write(piece); err != nil {
			return err
		}
	}
	return nil
}

func shuttingDown() *protocol.Fault {
	return &protocol.Fault{Code: jsonrpc.InternalError, Message: "The server is shutting down; try again later"}
}
