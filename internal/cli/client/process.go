package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/endpoint"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// The time that a program has to end after stdin has ended, and after it was told to
// terminate.
const (
	drainTime     = 5 * time.Second
	terminateTime = 2 * time.Second
)

// A process is a program that serves on stdin and stdout: one message a line.
type process struct {
	command  *exec.Cmd
	stdin    io.WriteCloser
	messages chan *jsonrpc.Message // closed when stdout has ended
	failure  error                 // why stdout isn't read to its end; set before messages is closed
	written  chan struct{}         // closed when the last message is written
	warnings io.Writer
}

// Command starts a program and returns a client of the server on its stdin and stdout. Lines
// of stdout that aren't messages are reported to warnings.
func Command(ctx context.Context, command *exec.Cmd, warnings io.Writer, options Options) (*Client, error) {
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	// Ctrl-C must reach this program only, which then cancels the request.
	detach(command)
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	p := &process{command: command, stdin: stdin, messages: make(chan *jsonrpc.Message), written: make(chan struct{}), warnings: warnings}
	close(p.written)
	go p.read(stdout, maxMessage)
	return open(ctx, p, options)
}

// read reads messages until stdout ends, or a line has limit bytes.
func (p *process) read(stdout io.Reader, limit int) {
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, limit)
	for lines.Scan() {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		message, err := scan(bytes.Clone(line))
		if err != nil {
			_, _ = fmt.Fprintf(p.warnings, "mcp: the server wrote a line to stdout that isn't a message: %s\n", endpoint.Show(string(line)))
			continue
		}
		p.messages <- message
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		p.failure = errTooLong
	}
	close(p.messages)
	// After a line that is too long, the program must not wait for its reader.
	_, _ = io.Copy(io.Discard, stdout)
}

func (p *process) agreed(string) {}

func (p *process) exchange(ctx context.Context, r *request, receive func(*jsonrpc.Message) []byte) (*jsonrpc.Message, error) {
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
func (p *process) notify(ctx context.Context, message []byte) error {
	select {
	case <-p.write(message):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// write writes a message after those before it, and returns a channel that is closed at the
// end. A program that doesn't read holds up the writing only.
func (p *process) write(message []byte) (written <-chan struct{}) {
	before, done := p.written, make(chan struct{})
	p.written = done
	go func() {
		defer close(done)
		<-before
		_, _ = p.stdin.Write(append(message, '\n')) // the end of stdout says more
	}()
	return done
}

// ended returns the error for a program whose stdout has ended.
func (p *process) ended() error {
	_ = p.close() // the exit code says more
	return &EndedError{Code: p.command.ProcessState.ExitCode(), how: p.command.ProcessState.String()}
}

// close ends the program: it ends stdin, which servers take as the end, and then terminates
// and kills the program if it stays.
func (p *process) close() error {
	if p.command.ProcessState != nil {
		return nil
	}
	go func() { _ = p.stdin.Close() }() // on Windows, it waits for a write that nobody reads
	go func() {
		for range p.messages { // nobody waits for them
			continue
		}
	}()
	ended := make(chan error, 1)
	go func() { ended <- p.command.Wait() }()
	for _, end := range []struct {
		after time.Duration
		by    func() error
	}{{drainTime, func() error { return terminate(p.command.Process) }}, {terminateTime, p.command.Process.Kill}} {
		select {
		case err := <-ended:
			return exitError(err)
		case <-time.After(end.after):
			_ = end.by() // it may have ended meanwhile
		}
	}
	return exitError(<-ended)
}

// exitError drops the error for an exit code, since the client has the answer.
func exitError(err error) error {
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return nil
	}
	return err
}
