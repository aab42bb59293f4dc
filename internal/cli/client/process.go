package client

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/endpoint"
	"github.com/bowline-mcp/bowline/internal/cli/process"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// The time that a program has to end after stdin has ended, and after it was told to
// terminate.
const (
	drainTime     = 5 * time.Second
	terminateTime = 2 * time.Second
)

// A program serves on stdin and stdout: one message a line.
type program struct {
	*process.Process
	messages chan *jsonrpc.Message // closed when stdout has ended
	failure  error                 // why stdout isn't read to its end; set before messages is closed
	written  chan struct{}         // closed when the last message is written
	warnings io.Writer
}

// Command starts a program and returns a client of the server on its stdin and stdout. Lines
// of stdout that aren't messages are reported to warnings. Ctrl-C reaches this program only, which
// then cancels the request.
func Command(ctx context.Context, command *exec.Cmd, warnings io.Writer, options Options) (*Client, error) {
	p := &program{messages: make(chan *jsonrpc.Message), written: make(chan struct{}), warnings: warnings}
	close(p.written)
	started, passed, err := process.StartLines(command, p.read, func() { p.failure = errTooLong })
	if err != nil {
		return nil, err
	}
	p.Process = started
	go func() {
		<-passed
		close(p.messages)
	}()
	return open(ctx, p, options)
}

// read reads a line of stdout.
func (p *program) read(line []byte) {
	line = bytes.TrimSpace(line)
	message, err := scan(line)
	if err != nil {
		_, _ = fmt.Fprintf(p.warnings, "mcp: the server wrote a line to stdout that isn't a message: %s\n", endpoint.Show(string(line)))
		return
	}
	p.messages <- message
}

func (p *program) agreed(string) {}

func (p *program) exchange(ctx context.Context, r *request, receive func(*jsonrpc.Message) []byte) (*jsonrpc.Message, error) {
	// A program may write before it reads, and one that has ended can't read: what it writes
	// says more than an error of stdin.
	p.write(r.encode())
	for {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case message, running := <-p.messages:
			switch {
			case !running && p.failure != nil:
				return nil, p.failure
			case !running:
				return nil, p.ended()
			case message.Kind == jsonrpc.Response && (string(message.ID) == strconv.FormatUint(r.id, 10) || message.ID == nil):
				return message, nil
			case message.Kind == jsonrpc.Response:
				continue // to a request that was canceled
			}
			if reply := receive(message); reply != nil {
				_ = p.notify(ctx, reply)
			}
		}
	}
}

// notify waits until the program has read the message. A program that has ended can't.
func (p *program) notify(ctx context.Context, message []byte) error {
	select {
	case <-p.write(message):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// write writes a message after those before it, and returns a channel that is closed at the
// end. A program that doesn't read holds up the writing only.
func (p *program) write(message []byte) (written <-chan struct{}) {
	before, done := p.written, make(chan struct{})
	p.written = done
	go func() {
		defer close(done)
		<-before
		_, _ = p.Stdin.Write(append(message, '\n')) // the end of stdout says more
	}()
	return done
}

// ended returns the error for a program whose stdout has ended.
func (p *program) ended() error {
	_ = p.close() // it returns no error
	return &EndedError{Code: p.ExitCode(), how: p.Ending()}
}

// close ends the program: it ends stdin, which servers take as the end, and then terminates
// and kills the program if it stays. The exit code doesn't matter, since the client has the answer.
func (p *program) close() error {
	go func() {
		for range p.messages { // nobody waits for them
			continue
		}
	}()
	p.Drain(drainTime, terminateTime)
	return nil
}
