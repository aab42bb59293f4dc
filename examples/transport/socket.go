package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net"

	"github.com/bowline-mcp/bowline/framework/transport"
)

// maxMessage is how many bytes a message may have.
const maxMessage = 4 << 20

// A Socket carries the messages of one client over its connection, each as a line.
type Socket struct {
	conn net.Conn
}

var _ transport.Transport = (*Socket)(nil)

// Start begins to read.
func (s *Socket) Start(_ context.Context, handlers transport.Handlers) error {
	go s.read(handlers)
	return nil
}

// read hands on a message a line, until the client has closed its side.
func (s *Socket) read(handlers transport.Handlers) {
	defer handlers.Close()
	lines := bufio.NewScanner(s.conn)
	lines.Buffer(nil, maxMessage)
	for lines.Scan() {
		if line := bytes.TrimSpace(lines.Bytes()); len(line) > 0 {
			handlers.Message(line)
		}
	}
	if err := lines.Err(); err != nil && !errors.Is(err, net.ErrClosed) {
		handlers.Error(err)
	}
}

// Send writes a line.
func (s *Socket) Send(ctx context.Context, message []byte) error {
	if deadline, ok := ctx.Deadline(); ok {
		if err := s.conn.SetWriteDeadline(deadline); err != nil {
			return err
		}
	}
	line := net.Buffers{message, []byte("\n")} // in one system call
	_, err := line.WriteTo(s.conn)
	return err
}

// Close ends the connection, and so a Send that waits.
func (s *Socket) Close() error { return s.conn.Close() }
