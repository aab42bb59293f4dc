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

	"github.com/bowline-mcp/bowline/internal/endpoint"
	"github.com/bowline-mcp/bowline/internal/jsonrpc"
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
	p := &process{command: command, stdin: stdin, messages: make(chan *jsonrpc.Message), warnings: warnings}
	go p.read(stdout)
	return open(ctx, p, options)
}

// read reads messages until stdout ends.
func (p *process) read(stdout io.Reader) {
	defer close(p.messages)
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, maxMessage)
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
	// After a line that is too long, the program must not wait for its reader.
	_, _ = io.Copy(io.Discard, stdout)
}

func (p *process) agreed(string) {}

func (p *process) exchange(ctx context.Context, r *request, receive func(*jsonrpc.Message) []byte) (*jsonrpc.Message, error) {
	// A program that has ended can't read; what it answered before says more.
	_ = p.notify(ctx, r.encode())
	for {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case message, running := <-p.messages:
			switch {
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

func (p *process) notify(_ context.Context, message []byte) error {
	_, err := p.stdin.Write(append(message, '\n'))
	return err
}

// ended returns the error for a program whose stdout has ended.
func (p *process) ended() error {
	_ = p.close() // the exit code says more
	return &EndedError{p.command.ProcessState.ExitCode()}
}

// close ends the program: it ends stdin, which servers take as the end, and then terminates
// and kills the program if it stays.
func (p *process) close() error {
	if p.command.ProcessState != nil {
		return nil
	}
	_ = p.stdin.Close()
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
