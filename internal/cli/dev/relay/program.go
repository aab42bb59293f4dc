package relay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/dev/programs"
	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/cli/process"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// ErrUnknownHandle is the error for a handle to which the app maps no server. The program has
// said so on stderr.
var ErrUnknownHandle = errors.New("there is no handle")

// Replace starts the program at path. When it answers, it gets all further messages.
func (x *Relay) Replace(ctx context.Context, path string) error {
	p := x.New(newInput(x.backlog))
	returned, tooLong := func(line []byte) { x.returned(p, line) }, func() {
		x.Log.Printf("the program is stopped, because it wrote a line of more than %d MiB to stdout", process.MaxLine>>20)
	}
	command := process.App(context.Background(), x.root, path, "start", x.handle)
	s := programs.ReadSettings(x.root)
	command.Env = slices.Concat(command.Environ(), s.Sealed(x.key), s.LogVariables())
	command.Stderr = p.Stderr
	child, passed, err := process.StartLines(command, returned, tooLong)
	if err != nil {
		return err
	}
	p.Process = child
	go p.Transport.deliver(p.Stdin)
	x.Watch(p, func() { p.Transport.close(); p.Wait(programs.StopLimit) }, func() {
		p.Transport.close()
		<-passed // its last answers may wait for the client
		x.lose(p)
	})
	if err = x.introduce(ctx, p); err == nil {
		return nil
	}
	x.Retire(p)
	if p.HasExited() && ctx.Err() == nil {
		return cmp.Or(x.checkHandle(ctx, path), err)
	}
	return err
}

// lose answers the requests that a program leaves without an answer.
func (x *Relay) lose(p *program) {
	var lost [][]byte
	x.Lock()
	for _, r := range x.client.RequestsOf(p) {
		lost = append(lost, r.Lose())
	}
	x.Unlock()
	x.write(lost...)
}

// introduce makes a program that answers the current one, once it has the client's handshake.
func (x *Relay) introduce(ctx context.Context, p *program) error {
	send := func(message []byte) (*jsonrpc.Message, error) { return x.ask(ctx, p, message) }
	if _, err := send(programs.OwnRequest("ping", nil)); err != nil {
		return err
	}
	var changed [][]byte
	err := x.client.Introduce(send, func() error {
		for _, stream := range x.client.MoveStreams(p) {
			p.Transport.send(stream.Message, 0)
		}
		changed = x.client.ListChanges()
		return x.Adopt(p)
	})
	if err != nil {
		return err
	}
	x.telling.Go(func() { x.write(changed...) }) // the loop goes on if the client doesn't read
	return nil
}

// ask sends a message of our own to a program, and returns the answer, or nil for a notification.
func (x *Relay) ask(ctx context.Context, p *program, message []byte) (*jsonrpc.Message, error) {
	var m jsonrpc.Message
	_ = m.Scan(message)
	p.Transport.send(message, 0)
	if m.Kind != jsonrpc.Request {
		return nil, nil // a notification has no answer
	}
	select {
	case answer := <-p.Transport.answers:
		if answer.Error != nil && string(m.Method) == "initialize" {
			x.Log.Printf("the new program refuses the client's initialize: %s", programs.Short(string(answer.Error)))
		}
		return answer, nil
	case <-p.Exited:
		return nil, fmt.Errorf("the program has ended before it answered: %s", p.Ending())
	case <-time.After(x.startLimit):
		return nil, fmt.Errorf("the program did not answer on stdio within %v: func main must call os.Exit(app.Main()), and nothing before that may wait or read stdin", x.startLimit)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// checkHandle returns an error if the program at path has no server at the handle of the relay.
// It returns nil if the program doesn't list its handles, because something else is wrong.
func (x *Relay) checkHandle(ctx context.Context, path string) error {
	ctx, cancel := context.WithTimeout(ctx, x.startLimit)
	defer cancel()
	listed, _, err := launcher.List(ctx, x.root, path)
	if err != nil {
		return nil //nolint:nilerr // the caller has an error that says more
	}
	handles := listed.Handles()
	slices.Sort(handles)
	switch {
	case slices.Contains(handles, x.handle):
		return nil
	case handles == nil:
		return fmt.Errorf("%w %q: no server is mapped to one; map one with Router.Local, such as Local(%q, …)", ErrUnknownHandle, x.handle, x.handle)
	}
	return fmt.Errorf("%w %q; there are: %s", ErrUnknownHandle, x.handle, naming.Quoted(handles))
}
