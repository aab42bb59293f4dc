package dev

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// A relay passes the messages of one client on stdio to the newest program that answers. The
// answer to a request comes from the program that got it.
type relay struct {
	root    string
	handle  string
	key     string
	stderr  io.Writer
	log     log
	exited  chan exit      // see exits
	broken  chan error     // receives why the client no longer accepts messages
	running sync.WaitGroup // the programs, and what the loop writes to the client

	startLimit time.Duration // for a new program to answer

	writing sync.Mutex
	stdout  io.Writer

	lock       sync.Mutex
	current    *stdioProgram // nil if there is none
	reason     string        // why there is none; "" if one is about to answer
	changed    chan struct{}
	closed     bool
	generation int
	waiting    [][]byte // messages that arrived without a program
	backlog    *backlog
	programs   map[int]*stdioProgram
	handshake  handshake
	requests   map[string]*request // by raw id
	streams    map[string]*stream  // by the raw id of subscriptions/listen
}

// A request is one of the client that isn't answered yet.
type request struct {
	program *stdioProgram
	call    *call // nil if the log doesn't show it
}

func newRelay(root, handle string, stdout, stderr io.Writer, log log) *relay {
	return &relay{
		root: root, handle: handle, key: newKey(), stdout: stdout, stderr: stderr, log: log, exited: make(chan exit, 1), broken: make(chan error, 1),
		changed: make(chan struct{}), backlog: newBacklog(), programs: map[int]*stdioProgram{}, requests: map[string]*request{}, streams: map[string]*stream{},
		startLimit: startLimit,
	}
}

// run passes messages on until stdin or the context ends.
func (x *relay) run(ctx context.Context, stdin io.Reader) error {
	ended := make(chan error, 1)
	go func() {
		for in := jsonrpc.NewLines(stdin, maxSeen); ; x.backlog.await(ctx) {
			line, err := in.Next()
			switch {
			case errors.Is(err, jsonrpc.ErrTooLong):
				x.write(jsonrpc.AppendError(nil, nil, parseError, fmt.Sprintf("Parse error: mcp dev passes on no message of more than %d MiB", maxSeen>>20), nil))
				continue
			case line != nil:
				x.receive(bytes.TrimRight(line, "\r\n"))
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
	return x.awaitDelivery(ctx)
}

// awaitDelivery waits until a program has the messages that arrived before there was one. It
// returns an error if there is none.
func (x *relay) awaitDelivery(ctx context.Context) error {
	for {
		x.lock.Lock()
		current, reason, changed := x.current, x.reason, x.changed
		x.lock.Unlock()
		switch {
		case current != nil:
			return nil
		case reason != "":
			return fmt.Errorf("stdin has ended, and no program serves: %s", reason)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}

// receive passes a message of the client on.
func (x *relay) receive(message []byte) {
	x.lock.Lock()
	if x.current == nil && x.reason == "" {
		x.waiting = append(x.waiting, message)
		x.backlog.add(message)
		x.lock.Unlock()
		return
	}
	refused := x.route(message)
	x.lock.Unlock()
	x.write(refused)
}

// routeWaiting routes the messages that arrived without a program, and returns the answers. The
// caller holds the lock.
func (x *relay) routeWaiting() (refused [][]byte) {
	waiting := x.waiting
	x.waiting = nil
	for _, message := range waiting {
		refused = append(refused, x.route(message))
	}
	x.backlog.remove(waiting...)
	return refused
}

// route passes a message to the program that it is for. It returns the answer if there is no
// program. The caller holds the lock.
func (x *relay) route(message []byte) (refused []byte) {
	var m jsonrpc.Message
	if err := m.Scan(message); err != nil && x.current != nil {
		x.current.send(message) // it says what is wrong
		return nil
	}
	to := x.current
	switch m.Kind {
	case jsonrpc.Response:
		if generation, id, ok := unmark(m.ID); ok {
			to, message = x.programs[generation], replaced(message, "id", id)
		}
	case jsonrpc.Notification:
		if string(m.Method) == "notifications/cancelled" && m.RequestID != nil {
			x.cancel(&m, message)
			return nil
		}
	case jsonrpc.Request, jsonrpc.Batch, jsonrpc.Invalid:
		if m.Kind == jsonrpc.Request && x.isRunning(m.ID) { // perhaps in an older program, so that no program would notice
			return jsonrpc.AppendError(nil, m.ID, invalidRequest, fmt.Sprintf("Invalid request: the id %.100s belongs to a request that is still running", m.ID), nil)
		}
		if to == nil {
			return jsonrpc.AppendError(nil, m.AnswerID(), internalError, x.reason, nil)
		}
	}
	if to == nil {
		return nil
	}
	x.expect(&m, message, to)
	to.send(message)
	return nil
}

// isRunning reports whether a request or a stream with a raw id hasn't ended yet. The caller
// holds the lock.
func (x *relay) isRunning(id []byte) bool {
	return x.requests[string(id)] != nil || x.streams[string(id)] != nil
}

// cancel passes a cancellation to the program that has the request, which doesn't answer it any
// more. The caller holds the lock.
func (x *relay) cancel(m *jsonrpc.Message, message []byte) {
	id := string(m.RequestID)
	if stream := x.streams[id]; stream != nil {
		delete(x.streams, id)
		stream.program.send(message)
		return
	}
	pending := x.requests[id]
	if pending == nil {
		return
	}
	delete(x.requests, id)
	pending.program.send(message)
	if pending.call != nil {
		x.log.ended(pending.call, cancelledCall)
	}
	x.releaseIdle(pending.program)
}

// expect notes a message that a program is about to get. The caller holds the lock.
func (x *relay) expect(m *jsonrpc.Message, message []byte, to *stdioProgram) {
	x.handshake.observe(m)
	if m.Kind == jsonrpc.Request && string(m.Method) == "subscriptions/listen" {
		x.streams[string(m.ID)] = &stream{message: message, wanted: wantedIn(m.Params), program: to}
		return
	}
	for m := range messages(m) {
		if m.Kind == jsonrpc.Request {
			x.requests[string(m.ID)] = &request{to, newCall(m, x.handshake.client())}
		}
	}
}

// returned passes a message of a program to the client.
func (x *relay) returned(p *stdioProgram, message []byte) {
	var m jsonrpc.Message
	_ = m.Scan(message) // what isn't a message is passed on
	x.lock.Lock()
	pass := x.passes(p, &m)
	changed := x.changedLists(p, &m)
	x.lock.Unlock()
	if pass {
		x.write(marked(&m, message, p.generation))
	}
	x.write(changed...)
}

// passes notes a message of a program, and reports whether the client gets it. The caller
// holds the lock.
func (x *relay) passes(p *stdioProgram, m *jsonrpc.Message) bool {
	switch m.Kind {
	case jsonrpc.Response:
		if isOwn(m.ID) {
			p.received(m)
			return false
		}
		if stream := x.streams[string(m.ID)]; stream != nil {
			if stream.program != p {
				return false // it ends here, and continues at another program
			}
			delete(x.streams, string(m.ID))
			return true
		}
		return x.answered(p, m) || p == x.current
	case jsonrpc.Batch:
		for member := range messages(m) {
			if member.Kind == jsonrpc.Response {
				_ = x.answered(p, member)
			}
		}
	case jsonrpc.Notification:
		if id := subscriptionOf(m); id != nil {
			return x.passesStream(p, m, x.streams[string(id)])
		}
		return x.current == p || !isChange(m)
	case jsonrpc.Request, jsonrpc.Invalid:
	}
	return true
}

// answered notes an answer. It reports false if the program has no request with its id: the
// client cancelled the request, or ended the stream. The caller holds the lock.
func (x *relay) answered(p *stdioProgram, m *jsonrpc.Message) bool {
	pending := x.requests[string(m.ID)]
	if pending == nil || pending.program != p {
		return false
	}
	delete(x.requests, string(m.ID))
	if pending.call != nil {
		x.log.ended(pending.call, outcome(m))
	} else {
		x.handshake.observeAnswer(m)
	}
	x.releaseIdle(p)
	return true
}

// releaseIdle ends a program that another one has replaced, when its last request is
// answered. The caller holds the lock.
func (x *relay) releaseIdle(p *stdioProgram) {
	if p == x.current {
		return
	}
	for _, pending := range x.requests {
		if pending.program == p {
			return
		}
	}
	p.finish()
}

// write writes messages to the client, each as a line in one write. It waits for the client only
// if there is a message.
func (x *relay) write(messages ...[]byte) {
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

// close ends the programs as the end of stdin does: they may finish their calls. It takes no
// longer than stopLimit and unreadLimit together, and a second for the stderr of a killed program,
// even if the client doesn't read.
func (x *relay) close() {
	x.lock.Lock()
	x.closed = true
	programs := slices.Collect(maps.Values(x.programs))
	for _, p := range programs {
		p.finish()
	}
	x.lock.Unlock()
	for _, p := range programs {
		<-p.Exited
	}
	ended := make(chan struct{})
	go func() { x.running.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(unreadLimit):
		x.log.printf("stopped while messages could not be written, since the client does not read")
	}
}
