package transport

import (
	"bufio"
	"bytes"
	"io"
	"log/slog"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// stdio is a pair of byte streams that carry a message a line.
type stdio struct {
	in      *bufio.Reader
	out     io.Writer
	limit   int // bytes of a line
	buffers *buffers
	inside  bool // whether the rest of a line is left out
}

// NewStdio returns a server of the client at the other end of a pair of byte
// streams. A nil wing serves modern clients only.
func NewStdio(core *protocol.Core, wing Wing, in io.Reader, out io.Writer, limits Limits, logger *slog.Logger) *Stream {
	s := newStream(core, wing, "", limits, logger)
	pipes := &stdio{in: bufio.NewReaderSize(in, 64<<10), out: out, limit: limits.Line, buffers: &s.buffers}
	s.in, s.out = pipes, pipes
	return s
}

// next reads the next line that isn't blank.
func (s *stdio) next() (*[]byte, error) {
	for s.inside {
		_, err := s.in.ReadSlice('\n')
		s.inside = err == bufio.ErrBufferFull //nolint:errorlint // bufio returns it bare
	}
	buffer := s.buffers.get()
	for {
		err := s.line(buffer)
		if err != errTooLarge && len(bytes.TrimSpace(*buffer)) > 0 { //nolint:errorlint // line returns it bare
			return buffer, err
		}
		*buffer = (*buffer)[:0]
		if err != nil {
			s.buffers.put(buffer)
			return nil, err
		}
	}
}

// line reads up to the end of a line into the buffer, or errTooLarge.
func (s *stdio) line(buffer *[]byte) error {
	for {
		piece, err := s.in.ReadSlice('\n')
		*buffer = append(*buffer, piece...)
		if len(*buffer) > s.limit+len("\r\n") {
			s.inside = err == bufio.ErrBufferFull //nolint:errorlint // bufio returns it bare
			return errTooLarge
		}
		if err != bufio.ErrBufferFull { //nolint:errorlint // bufio returns it bare
			return err
		}
	}
}

// write writes a message as a line.
func (s *stdio) write(frame *jsonrpc.Frame, rest [][]byte) error {
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

// abandon does nothing: a write to a pipe can't be interrupted.
func (s *stdio) abandon() {}
