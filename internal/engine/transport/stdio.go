package transport

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// stdio reads and writes one message per line.
type stdio struct {
	in  *jsonrpc.Lines
	out io.Writer
}

// gap is the least time between the last notification of a call on stdio and its answer.
// The TypeScript SDK loses progress that it reads together with the answer: in 96 % of calls
// without the gap, in 1 % with it.
const gap = 300 * time.Microsecond

// NewStdio returns a server for the client at the other end of a pair of byte streams. If
// legacy is nil, it serves only modern clients.
func NewStdio(core *protocol.Core, legacy Legacy, in io.Reader, out io.Writer, limits Limits, logger *slog.Logger) *Connection {
	s := newConnection(core, legacy, "", limits, logger)
	pipes := &stdio{in: jsonrpc.NewLines(in, limits.Line), out: out}
	s.in, s.out = pipes, pipes
	s.apart = func(told time.Time) { time.Sleep(gap - time.Since(told)) }
	return s
}

// next reads the next line that isn't blank.
func (s *stdio) next(ctx context.Context) ([]byte, context.Context, error) {
	line, err := s.in.Next()
	if err == jsonrpc.ErrTooLong { //nolint:errorlint // Lines returns it bare
		err = errTooLarge
	}
	return line, ctx, err
}

// write writes a message as a line in one write: some clients hang if a line arrives in
// pieces.
func (s *stdio) write(frame *jsonrpc.Frame, rest []byte) error {
	_, err := s.out.Write(frame.Line(rest))
	return err
}

// abandon does nothing: a write to a pipe can't be interrupted.
func (s *stdio) abandon() {}
