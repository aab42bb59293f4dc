// Package relay passes the messages of one client on stdio to the newest program of an app that
// answers. A request ends in the program in which it began.
package relay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/bowline-mcp/bowline/internal/cli/dev/applog"
	"github.com/bowline-mcp/bowline/internal/cli/dev/programs"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// The types of package programs, for programs that serve stdio.
type (
	program = programs.Program[*input]
	client  = programs.Client[*input]
)

// maxMessage is how many bytes a message of the client may have. As many may wait for programs to
// read them. Then the relay reads no further messages, so that a client waits for its program as it
// does without a relay.
const maxMessage = 16 << 20

// A Relay passes the messages of a client to the programs of an app.
type Relay struct {
	*programs.Set[*input]

	root    string
	handle  string
	key     string
	broken  chan error     // receives why the client no longer accepts messages
	telling sync.WaitGroup // what the loop writes to the client

	startLimit time.Duration // for a new program to answer

	writing sync.Mutex
	stdout  io.Writer

	client  *client
	backlog *semaphore.Weighted // the bytes of the client's messages that no program has read
}

// New returns a relay for a handle of the app in the folder root.
func New(root, handle string, stdout io.Writer, log *applog.Log) *Relay {
	set := programs.NewSet[*input](log)
	return &Relay{
		Set: set, root: root, handle: handle, key: programs.NewKey(), broken: make(chan error, 1),
		startLimit: programs.StartLimit, stdout: stdout, client: set.NewClient(), backlog: semaphore.NewWeighted(maxMessage),
	}
}

// Run passes messages on until stdin or the context ends.
func (x *Relay) Run(ctx context.Context, stdin io.Reader) error {
	ended := make(chan error, 1)
	go func() {
		for in := jsonrpc.NewLines(stdin, maxMessage); ; {
			line, err := in.Next()
			switch {
			case errors.Is(err, jsonrpc.ErrTooLong):
				x.write(jsonrpc.AppendError(nil, nil, programs.ParseError, fmt.Sprintf("Parse error: mcp dev passes on no message of more than %d MiB", maxMessage>>20), nil))
				continue
			case line != nil:
				x.receive(ctx, bytes.TrimRight(line, "\r\n"))
			}
			if err != nil {
				ended <- err
				return
			}
		}
	}()
	select {
	case err := <-x.broken:
		return err
	case <-ctx.Done():
		return nil
	case err := <-ended:
		if !errors.Is(err, io.EOF) {
			return fmt.Errorf("read from the client: %w", err)
		}
	}
	_, err := x.Await(ctx)
	x.Unlock()
	if err == nil || ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("stdin has ended, and no program serves: %w", err)
}

// receive passes a message of the client to the program that it is for, or answers it if there is
// none.
func (x *Relay) receive(ctx context.Context, message []byte) {
	var m jsonrpc.Message
	_ = m.Scan(message)                            // a program says what is wrong
	weight := int64(min(len(message), maxMessage)) // the end of a long line may exceed it by a byte
	if x.backlog.Acquire(ctx, weight) != nil {
		return
	}
	p, err := x.client.Choose(ctx, &m)
	var refusal []byte
	switch {
	case err == nil && m.Kind == jsonrpc.Request && x.client.Request(m.ID) != nil: // perhaps in an older program, so that no program would notice
		refusal = jsonrpc.AppendError(nil, m.ID, programs.InvalidRequest, fmt.Sprintf("Invalid request: the id %.100s belongs to a request that is still running", m.ID), nil)
	case err == nil:
		requests := x.client.Requests(&m)
		for _, r := range requests {
			if r.Stream != nil {
				r.Stream.Message = message
			}
		}
		x.client.Begin(p, &m, requests)
		p.Transport.send(message, weight)
		weight = 0
	case m.Kind != jsonrpc.Response && m.Kind != jsonrpc.Notification && ctx.Err() == nil:
		refusal = jsonrpc.AppendError(nil, m.AnswerID(), programs.InternalError, err.Error(), nil)
	}
	if p != nil {
		x.Release(p)
	}
	x.Unlock()
	x.backlog.Release(weight)
	x.write(refusal)
}

// returned passes a message of a program to the client.
func (x *Relay) returned(p *program, message []byte) {
	var m jsonrpc.Message
	_ = m.Scan(message) // what isn't a message is passed on
	x.Lock()
	passes, changed := x.passes(p, &m)
	x.Unlock()
	if passes {
		x.write(message)
	}
	x.write(changed...)
}

// passes notes a message of a program. It reports whether the client gets it, and returns what the
// client gets after it. The caller holds the lock.
func (x *Relay) passes(p *program, m *jsonrpc.Message) (passes bool, changed [][]byte) {
	switch m.Kind {
	case jsonrpc.Response:
		if programs.IsOwn(m.ID, "") {
			p.Transport.answered(m)
			return false, nil
		}
		// Without a request, the client has cancelled it or ended the stream, or the stream has moved.
		return x.answered(p, m) || x.IsCurrent(p), nil
	case jsonrpc.Batch:
		for member := range programs.Messages(m) {
			x.client.Asked(p, member)
			_ = member.Kind == jsonrpc.Response && x.answered(p, member)
		}
	case jsonrpc.Notification:
		if id := programs.SubscriptionOf(m); id != nil {
			r := x.client.Request(id)
			if r == nil || r.Stream == nil || r.Program != p {
				return false, nil // the client has ended the stream, or it continues at another program
			}
			return r.Stream.Passes(m)
		}
		x.client.Asked(p, m)
		return x.IsCurrent(p) || !isChange(m), nil
	case jsonrpc.Request:
		x.client.Asked(p, m)
	case jsonrpc.Invalid:
	}
	return true, nil
}

// answered notes an answer. It reports false if the program has no request with its id. The caller
// holds the lock.
func (x *Relay) answered(p *program, m *jsonrpc.Message) bool {
	r := x.client.Request(m.ID)
	if r == nil || r.Program != p {
		return false
	}
	r.Answer(m)
	return true
}

// isChange reports whether a notification is about a list or a resource. A program whose
// successor serves no longer has anything to say about them.
func isChange(m *jsonrpc.Message) bool {
	return bytes.HasSuffix(m.Method, []byte("/list_changed")) || string(m.Method) == "notifications/resources/updated"
}

// write writes messages to the client, each as a line in one write. It waits for the client only
// if there is a message.
func (x *Relay) write(messages ...[]byte) {
	messages = slices.DeleteFunc(messages, func(message []byte) bool { return message == nil })
	if len(messages) == 0 {
		return
	}
	x.writing.Lock()
	defer x.writing.Unlock()
	for _, message := range messages {
		if _, err := x.stdout.Write(append(slices.Clip(message), '\n')); err != nil {
			select {
			case x.broken <- fmt.Errorf("the client no longer accepts messages: %w", err):
			default:
			}
			return
		}
	}
}

// unreadLimit is how long a client may take to read what is left after the end of the programs. A
// program waits as long for its client by default.
const unreadLimit = 3 * time.Second

// Close ends the programs as the end of stdin does: they may finish their calls. It takes no
// longer than programs.StopLimit and unreadLimit together, and a second for the stderr of a killed
// program, even if the client doesn't read.
func (x *Relay) Close() {
	for _, p := range x.Set.Close() {
		<-p.Exited
	}
	ended := make(chan struct{})
	go func() {
		x.Wait()
		x.telling.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(unreadLimit):
		x.Log.Printf("stopped while messages could not be written, since the client does not read")
	}
}
