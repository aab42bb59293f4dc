package transport

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/protocol"
	"github.com/bowline-mcp/bowline/internal/turn"
)

// Stdio serves a core over a pair of byte streams, a message a line.
//
// A call runs on the goroutine that read it, which spares the hand-over that costs
// more than most calls. If it is still running after a moment, another goroutine
// takes over reading.
type Stdio struct {
	stream
	in *bufio.Reader
}

// NewStdio returns a server of one client. A nil wing serves modern clients only.
func NewStdio(core *protocol.Core, wing Wing, in io.Reader, out io.Writer, limits Limits, logger *slog.Logger) *Stdio {
	s := &Stdio{in: bufio.NewReaderSize(in, 64<<10)}
	s.open(core, wing, lines{out}, limits, logger)
	return s
}

// Serve reads until the end of the stream or of the context, then lets the running
// calls end within the drain limit. A read that blocks can't be interrupted: after
// the context's end, its goroutine stays until the stream ends.
func (s *Stdio) Serve(ctx context.Context) error {
	go s.read(context.WithoutCancel(ctx))
	return s.wait(ctx)
}

// read reads and serves messages until the stream ends or another goroutine has
// taken over.
func (s *Stdio) read(ctx context.Context) {
	turn := turn.New(func() { s.read(ctx) })
	returned := false
	defer func() {
		if !returned && turn.Pass() { // a handler ended this goroutine
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
			if !s.take(ctx, buffer, turn) {
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

// take serves a message. It reports false when that took so long that another
// goroutine reads now.
func (s *Stdio) take(ctx context.Context, buffer *[]byte, turn *turn.Turn) bool {
	call := s.receive(ctx, buffer)
	if call == nil {
		return true
	}
	turn.Begin()
	s.serve(call)
	return turn.End()
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

// lines is a sink that writes each message as a line.
type lines struct{ out io.Writer }

func (l lines) write(frame *jsonrpc.Frame, rest [][]byte) error {
	if len(rest) == 0 {
		_, err := l.out.Write(frame.Line())
		return err
	}
	for _, piece := range append([][]byte{frame.JSON()}, append(rest, []byte("\n"))...) {
		if _, err := l.out.Write(piece); err != nil {
			return err
		}
	}
	return nil
}
