package dev

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/dev/process"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// A stdioProgram is a process of the app that serves stdio for the relay.
type stdioProgram struct {
	*process.Process
	generation int
	answers    chan *jsonrpc.Message // receives the answer to the first request of our own
	passed     <-chan struct{}       // closed when all that it wrote has been passed on
	untold     lists                 // those of which the client hears once the program has answered that they have items; guarded by the lock of the relay

	lock     sync.Mutex
	wake     sync.Cond // has the lock
	outgoing [][]byte
	backlog  *backlog // has the outgoing messages
	over     bool     // whether stdin ends after the outgoing messages
	ended    bool     // whether it reads no further messages
}

func newStdioProgram(generation int, backlog *backlog) *stdioProgram {
	p := &stdioProgram{generation: generation, answers: make(chan *jsonrpc.Message, 1), backlog: backlog}
	p.wake.L = &p.lock
	return p
}

// startStdio starts the program at path.
func (x *relay) startStdio(path string, generation int) (*stdioProgram, error) {
	p := newStdioProgram(generation, x.backlog)
	output := process.Output{Line: func(line []byte) { x.returned(p, line) }, TooLong: func() {
		x.log.printf("the program is stopped, because it wrote a line of more than %d MiB to stdout", process.MaxLine>>20)
	}}
	child, passed, err := process.StartLines(x.root, path, []string{"start", x.handle}, readSettings(x.root).sealed(x.key), output, x.stderr)
	if err != nil {
		return nil, err
	}
	p.Process, p.passed = child, passed
	go p.deliver()
	return p, nil
}

// send queues a message for the program. It never blocks, since the relay holds its lock.
func (p *stdioProgram) send(messages ...[]byte) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.ended {
		return
	}
	p.outgoing = append(p.outgoing, messages...)
	for _, message := range messages {
		p.backlog.add(message)
	}
	p.wake.Signal()
}

// finish ends the program's stdin after the queued messages, so that it stops when its calls
// have ended.
func (p *stdioProgram) finish() {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.over {
		return
	}
	p.over = true
	p.wake.Signal()
	go p.Wait(stopLimit)
}

// deliver writes the queued messages.
func (p *stdioProgram) deliver() {
	defer p.endStdin()
	for {
		p.lock.Lock()
		for len(p.outgoing) == 0 && !p.over {
			p.wake.Wait()
		}
		messages := p.outgoing
		p.outgoing = nil
		p.lock.Unlock()
		if len(messages) == 0 {
			return
		}
		for n, message := range messages {
			if _, err := p.Stdin.Write(append(bytes.Clone(message), '\n')); err != nil {
				p.backlog.remove(messages[n:]...)
				return // the process has ended, or has closed its stdin
			}
			p.backlog.remove(message)
		}
	}
}

// endStdin ends stdin, and drops the messages that are left.
func (p *stdioProgram) endStdin() {
	p.lock.Lock()
	p.ended = true
	p.backlog.remove(p.outgoing...)
	p.outgoing = nil
	p.lock.Unlock()
	_ = p.Stdin.Close()
}

// received receives an answer to a request of our own.
func (p *stdioProgram) received(m *jsonrpc.Message) {
	answer := &jsonrpc.Message{Result: bytes.Clone(m.Result), Error: bytes.Clone(m.Error)}
	select {
	case p.answers <- answer:
	default: // to a later request
	}
}

// ask sends a request of our own, and waits for the answer.
func (p *stdioProgram) ask(ctx context.Context, request []byte, limit time.Duration) (*jsonrpc.Message, error) {
	p.send(request)
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	select {
	case answer := <-p.answers:
		return answer, nil
	case <-p.Exited:
		return nil, fmt.Errorf("the program has ended before it answered: %s", p.Ending())
	case <-timeout.C:
		return nil, fmt.Errorf("the program did not answer on stdio within %v: func main must call os.Exit(app.Main()), and nothing before that may wait or read stdin", limit)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// replace starts the program at path. When it answers, it gets all further messages. The one
// before ends with its last request.
func (x *relay) replace(ctx context.Context, path string) (generation int, err error) {
	x.generation++ // only the loop's goroutine does
	p, err := x.startStdio(path, x.generation)
	if err != nil {
		return 0, err
	}
	x.lock.Lock()
	x.programs[p.generation] = p
	x.lock.Unlock()
	x.running.Go(func() { x.watch(p) })
	if err := x.introduce(ctx, p); err != nil {
		p.finish()
		if p.HasExited() && ctx.Err() == nil {
			return 0, cmp.Or(x.checkHandle(ctx, path), err)
		}
		return 0, err
	}
	return p.generation, nil
}

// introduce gives a program the client's handshake, then the client.
func (x *relay) introduce(ctx context.Context, p *stdioProgram) error {
	answer, err := p.ask(ctx, ownRequest("ping", nil), x.startLimit)
	if err != nil {
		return err
	}
	var known []byte // the handshake that the program knows
	for {
		x.lock.Lock()
		initialize := x.handshake.initialize
		if initialize == nil || bytes.Equal(initialize, known) {
			x.adopt(p, answer)
			return nil
		}
		request := x.handshake.request()
		x.lock.Unlock()
		if answer, err = p.ask(ctx, request, x.startLimit); err != nil {
			return err
		}
		if answer.Error != nil {
			x.log.printf("the new program refuses the client's initialize: %s", short(string(answer.Error)))
		}
		known = initialize
	}
}

// adopt makes a program the current one, and tells the client. The caller holds the lock,
// which adopt releases.
func (x *relay) adopt(p *stdioProgram, initialized *jsonrpc.Message) {
	before := x.current
	first := before == nil && p.generation == 1
	var told [][]byte
	if x.handshake.initialize != nil {
		p.send(x.handshake.following()...)
		told = x.handshake.announced.changed(nil)
		p.untold = declaredIn(initialized.Result).without(x.handshake.announced)
		for _, request := range p.untold.requests() {
			p.send(ownRequest(request.method, nil))
		}
	}
	for _, stream := range x.streams {
		stream.program, stream.moved = p, true
		p.send(stream.message)
	}
	x.current, x.reason = p, ""
	refused := x.routeWaiting()
	x.announce()
	if before != nil {
		x.releaseIdle(before)
	}
	x.lock.Unlock()
	if !first {
		x.log.printf("serving %s with the new program", x.handle)
	}
	x.running.Go(func() { x.write(append(told, refused...)...) }) // the loop goes on if the client doesn't read
}

// announce wakes awaitDelivery. The caller holds the lock.
func (x *relay) announce() {
	close(x.changed)
	x.changed = make(chan struct{})
}

// watch tells the loop if the current program ends by itself, and answers the requests that a
// program leaves without an answer.
func (x *relay) watch(p *stdioProgram) {
	<-p.Exited
	p.finish()
	x.lock.Lock()
	if x.current == p && !x.closed {
		x.current, x.reason = nil, ""
		notify(x.exited, exit{p.generation, p.Ending()})
	}
	x.lock.Unlock()
	<-p.passed // its last answers may wait for the client
	var lost [][]byte
	x.lock.Lock()
	delete(x.programs, p.generation)
	for id, pending := range x.requests {
		if pending.program == p {
			delete(x.requests, id)
			lost = append(lost, jsonrpc.AppendError(nil, []byte(id), internalError, "the program ended before it answered: "+p.Ending(), nil))
			if pending.call != nil {
				x.log.ended(pending.call, lostCall)
			}
		}
	}
	x.lock.Unlock()
	x.write(lost...)
}

func (x *relay) exits() <-chan exit { return x.exited }

func (x *relay) serves() bool {
	x.lock.Lock()
	defer x.lock.Unlock()
	return x.current != nil
}

// unavailable answers the waiting requests, and further ones, with an error.
func (x *relay) unavailable(reason string) {
	x.lock.Lock()
	x.reason = reason
	refused := x.routeWaiting()
	x.announce()
	x.lock.Unlock()
	x.running.Go(func() { x.write(refused...) }) // the loop goes on if the client doesn't read
}
