package transporttest

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bowline-mcp/bowline/internal/engine/transport"
)

// A Pipe is a client at the other end of a pair of byte streams. It must be made in a
// [Bubble].
type Pipe struct {
	In    *io.PipeWriter
	Out   *io.PipeReader
	Lines chan string // the lines that the client receives
	Stop  context.CancelFunc
	Ended chan error // the result of Serve
}

// Connect serves a client over a pipe, until the test ends. Legacy may be nil.
func (s *Server) Connect(t *testing.T, legacy transport.Legacy) *Pipe {
	t.Helper()
	in, writer := io.Pipe()
	reader, out := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	p := &Pipe{In: writer, Out: reader, Lines: make(chan string, 2000), Stop: stop, Ended: make(chan error, 1)}
	connection := transport.NewStdio(s.Core, legacy, in, out, s.Limits, s.Core.Server().Logger)
	go func() {
		p.Ended <- connection.Serve(ctx)
		_ = out.Close()
	}()
	go func() {
		for lines := bufio.NewScanner(reader); lines.Scan(); {
			p.Lines <- lines.Text()
		}
	}()
	t.Cleanup(func() {
		stop()
		_ = writer.Close()
		_ = reader.Close()
	})
	return p
}

// Send sends lines.
func (p *Pipe) Send(lines ...string) {
	for _, line := range lines {
		_, _ = io.WriteString(p.In, line+"\n")
	}
	synctest.Wait()
}

// Gets checks that each line sent since the last time contains the given text.
func (p *Pipe) Gets(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	for _, part := range want {
		select {
		case line := <-p.Lines:
			if !strings.Contains(line, part) {
				t.Errorf("the client gets %.300s, want %s", line, part)
			}
		default:
			t.Errorf("the client gets nothing, want %s", part)
		}
	}
	if len(p.Lines) > 0 {
		t.Errorf("the client gets %.300s too", <-p.Lines)
	}
}
