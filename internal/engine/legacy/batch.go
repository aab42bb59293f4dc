package legacy

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/engine/transport"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A batch collects the answers to an array of messages, which clients of 2025-03-26 may
// send. It sends the answers in one array, or one by one if the reply is a stream.
type batch struct {
	reply   call.Reply
	logger  *slog.Logger
	streams func() bool   // whether the reply is a stream of events
	slots   chan struct{} // one for each running call

	lock    sync.Mutex      // guards the fields below and the use of reply
	lost    *exchange.Error // why an answer of the client was refused, nil if none was
	open    int             // members without an answer
	any     bool            // whether any member was answered
	answers [][]byte        // not sent yet
	until   time.Time       // the deadline that was last passed to reply.ExtendTimeout
}

// newBatch returns a batch that answers with r.
func newBatch(r call.Reply, logger *slog.Logger) *batch {
	b := &batch{reply: r, logger: logger, streams: func() bool { return false }, slots: make(chan struct{}, limits.BatchCalls)}
	if http, ok := r.(transport.HTTPReply); ok {
		b.streams = http.Streams
	}
	return b
}

// serveBatch serves an array of messages. It calls serve for each.
func (h *Handler) serveBatch(ctx context.Context, a *call.Arrival, v spec.Version, r call.Reply,
	serve func(context.Context, *call.Arrival, call.Reply),
) {
	members, refusal := readBatch(&a.Message, v)
	if refusal != nil {
		call.Refuse(nil, refusal, v, r)
		return
	}
	b := newBatch(r, h.core.Server().Logger)
	for i := range members {
		if members[i].wantsAnswer() {
			b.open++
		}
	}
	if b.open == 0 {
		defer b.accept(v)
	}
	if b.open > limits.BatchCalls { // calls that wait for a slot take longer
		b.extendTimeout(time.Duration((b.open+limits.BatchCalls-1)/limits.BatchCalls) * h.core.Server().Timeout)
	}
	var running sync.WaitGroup
	defer running.Wait() // the reply must not be used after serveBatch has returned
	for i := range members {
		one := &members[i]
		one.batch, one.arrival.HTTP, one.arrival.Table, one.arrival.KeepAlive = b, a.HTTP, a.Table, a.KeepAlive
		if one.refusal == nil && one.arrival.Message.Kind == jsonrpc.Request {
			one.refusal = a.Table.Await(&one.arrival)
		}
	}
	for i := range members {
		one := &members[i]
		switch {
		case a.Table.Closed(): // the session has ended
			one.Finish(call.Answer{Status: http.StatusAccepted})
		case one.refusal != nil:
			call.Refuse(one.arrival.Message.ID, one.refusal, v, one)
		case one.arrival.Message.Kind == jsonrpc.Response && b.refusal() != nil: // it would wait for the store too
			one.Finish(call.Answer{Status: http.StatusAccepted})
		case one.arrival.Message.Kind != jsonrpc.Request:
			serve(ctx, &one.arrival, one)
		default:
			b.slots <- struct{}{}
			one.hasSlot = true
			running.Go(func() {
				defer a.Table.Leave(&one.arrival)
				serve(ctx, &one.arrival, one)
			})
		}
	}
}

// accept answers a batch of which no member wants an answer.
func (b *batch) accept(v spec.Version) {
	if refusal := b.refusal(); refusal != nil {
		call.Refuse(nil, refusal, v, b.reply)
		return
	}
	b.reply.Finish(call.Answer{Status: http.StatusAccepted})
}

// refusal returns why an answer of the client was refused, nil if none was.
func (b *batch) refusal() *exchange.Error {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.lost
}

// batchWithoutSession returns the error for a batch without a session.
func batchWithoutSession() *exchange.Error {
	return fault.InvalidRequest("send one message at a time; only sessions of the protocol version %s, which begin with initialize, have batches",
		spec.Version20250326)
}

// readBatch returns the members of a batch, or the error for the whole batch.
func readBatch(m *jsonrpc.Message, v spec.Version) (members []member, refusal *exchange.Error) {
	if v != spec.Version20250326 {
		return nil, fault.InvalidRequest("send one message at a time; the protocol version %s has no batches", v)
	}
	ids := map[string]bool{}
	for message, err := range m.Members() {
		one := member{arrival: call.Arrival{Message: *message}}
		switch id := string(message.ID); {
		case len(members) == limits.MaxBatch:
			return nil, fault.WithStatus(http.StatusBadRequest, "Invalid request: a batch may have %d messages", limits.MaxBatch)
		case err != nil:
			one.refusal = fault.Malformed(err)
		case message.Kind == jsonrpc.Batch:
			one.refusal = fault.WithStatus(http.StatusBadRequest, "Invalid request: a batch may not be inside another")
		case message.Meta.ProtocolVersion != nil:
			return nil, fault.WithStatus(http.StatusBadRequest, "Invalid request: a message that states its protocol version in _meta can't be in a batch")
		case isRequest(message, "initialize"):
			return nil, fault.WithStatus(http.StatusBadRequest, "Invalid request: initialize can't be in a batch")
		case message.Kind == jsonrpc.Request && ids[id]:
			return nil, fault.WithStatus(http.StatusBadRequest, "Invalid request: the id %.100s is given to two requests of the batch", id)
		case message.Kind == jsonrpc.Request:
			ids[id] = true
		}
		members = append(members, one)
	}
	if len(members) == 0 {
		return nil, fault.WithStatus(http.StatusBadRequest, "Invalid request: the batch is empty")
	}
	return members, nil
}

// A member is a message of a batch, and the reply to it.
type member struct {
	batch   *batch
	arrival call.Arrival
	refusal *exchange.Error // the error if it isn't a valid message
	hasSlot bool            // whether its answer releases a slot
}

// wantsAnswer reports whether the message gets an answer.
func (m *member) wantsAnswer() bool {
	return m.refusal != nil || m.arrival.Message.Kind == jsonrpc.Request
}

// Notify sends a notification, which turns the whole reply into a stream.
func (m *member) Notify(frame *jsonrpc.Frame) error {
	m.batch.lock.Lock()
	defer m.batch.lock.Unlock()
	return m.batch.reply.Notify(frame)
}

// ExtendTimeout extends the deadline of the batch's reply.
func (m *member) ExtendTimeout(timeout time.Duration) {
	m.batch.lock.Lock()
	defer m.batch.lock.Unlock()
	m.batch.extendTimeout(timeout)
}

// extendTimeout extends the deadline of the reply, and never shortens it.
func (b *batch) extendTimeout(timeout time.Duration) {
	if until := time.Now().Add(timeout); until.After(b.until) {
		b.until = until
		b.reply.ExtendTimeout(timeout)
	}
}

// HandlerStillRuns passes on that a handler of the batch still runs.
func (m *member) HandlerStillRuns() {
	m.batch.lock.Lock()
	defer m.batch.lock.Unlock()
	m.batch.reply.HandlerStillRuns()
}

// KeepAlive turns the whole reply into a stream, with the answers so far.
func (m *member) KeepAlive() {
	m.batch.lock.Lock()
	defer m.batch.lock.Unlock()
	if reply, ok := m.batch.reply.(call.KeepAliveReply); ok {
		reply.KeepAlive()
		m.batch.stream()
	}
}

// Finish adds the member's answer, if there is one. The last member ends the reply.
func (m *member) Finish(answer call.Answer) {
	if answer.Refused {
		call.LogRefusal(context.Background(), m.batch.logger, slog.LevelWarn, answer.Error.Message, slog.String("method", call.Brief(m.arrival.Message.Method)))
	}
	b := m.batch
	b.lock.Lock()
	defer b.lock.Unlock()
	if !m.wantsAnswer() {
		if answer.Refused {
			b.lost = answer.Error
		}
		return
	}
	if m.hasSlot { // the handler may still run, but its answer is dropped
		<-b.slots
	}
	if answer.Frame != nil {
		b.add(answer)
	}
	if b.open--; b.open > 0 {
		return
	}
	switch {
	case !b.any: // all were canceled
		b.reply.Finish(call.Answer{Status: http.StatusAccepted})
	case len(b.answers) == 0:
		b.reply.Finish(call.Answer{Status: http.StatusOK})
	default:
		array := jsonrpc.NewFrame()
		defer array.Free()
		array.Buffer = append(append(append(array.Buffer, '['), bytes.Join(b.answers, []byte(","))...), ']')
		b.reply.Finish(call.Answer{Frame: array, Status: http.StatusOK})
	}
}

// add adds an answer. The caller holds the lock.
func (b *batch) add(answer call.Answer) {
	b.any = true
	b.answers = append(b.answers, slices.Concat(answer.Frame.JSON(), answer.Rest))
	b.stream()
}

// stream sends the answers if the reply is a stream. The caller holds the lock.
func (b *batch) stream() {
	if !b.streams() {
		return
	}
	for _, answer := range b.answers {
		event := jsonrpc.NewFrame()
		event.Buffer = append(event.Buffer, answer...)
		_ = b.reply.Notify(event) // calls continue after their client has disconnected
		event.Free()
	}
	b.answers = nil
}
