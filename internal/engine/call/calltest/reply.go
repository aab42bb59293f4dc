package calltest

import (
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// A Reply records all messages.
type Reply struct {
	Broken error // the result of Notify

	lock         sync.Mutex
	sent         []string
	answers      []Answer
	stillRuns    bool
	timeout      time.Duration
	closed       []time.Duration
	disconnected func(error)
}

// An Answer is how a reply was finished.
type Answer struct {
	Body   string // "" if there is none
	Status int
	Header http.Header
}

var (
	_ call.Streamer     = (*Reply)(nil)
	_ call.StreamCloser = (*Reply)(nil)
)

// Notify records a notification.
func (r *Reply) Notify(frame *jsonrpc.Frame) error {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.sent = append(r.sent, string(frame.JSON()))
	return r.Broken
}

// Finish records the answer.
func (r *Reply) Finish(answer call.Answer) {
	r.lock.Lock()
	defer r.lock.Unlock()
	body := ""
	if answer.Frame != nil {
		body = string(answer.Frame.JSON()) + string(answer.Rest)
	}
	var header http.Header
	if answer.Error != nil {
		header = answer.Error.Header
	}
	r.answers = append(r.answers, Answer{body, answer.Status, header})
}

// ExtendTimeout records how long the answer may take.
func (r *Reply) ExtendTimeout(timeout time.Duration) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.timeout = timeout
}

// HandlerStillRuns records that the handler still runs.
func (r *Reply) HandlerStillRuns() {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.stillRuns = true
}

// KeepOpen keeps the reply open.
func (r *Reply) KeepOpen(disconnected func(error)) bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.disconnected = disconnected
	return true
}

// CloseStream records that the connection should end.
func (r *Reply) CloseStream(retry time.Duration) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.closed = append(r.closed, retry)
}

// HangUp notifies the stream that holds the reply that its client has disconnected.
func (r *Reply) HangUp(err error) {
	r.lock.Lock()
	disconnected := r.disconnected
	r.lock.Unlock()
	disconnected(err)
}

// Sent returns the notifications, in order.
func (r *Reply) Sent() []string {
	r.lock.Lock()
	defer r.lock.Unlock()
	return slices.Clone(r.sent)
}

// Answers returns all calls of Finish. A correct call makes exactly one.
func (r *Reply) Answers() []Answer {
	r.lock.Lock()
	defer r.lock.Unlock()
	return slices.Clone(r.answers)
}

// Answer returns the answer, the zero value if there isn't exactly one.
func (r *Reply) Answer() Answer {
	if answers := r.Answers(); len(answers) == 1 {
		return answers[0]
	}
	return Answer{}
}

// PrecedesReturn reports whether HandlerStillRuns was called.
func (r *Reply) PrecedesReturn() bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.stillRuns
}

// Takes returns how long the answer may take, 0 if ExtendTimeout wasn't called.
func (r *Reply) Takes() time.Duration {
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.timeout
}

// Closed returns the times after which the client was asked to reconnect.
func (r *Reply) Closed() []time.Duration {
	r.lock.Lock()
	defer r.lock.Unlock()
	return slices.Clone(r.closed)
}
