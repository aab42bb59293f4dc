package guardrails

import (
	"context"
	"errors"
	"sync"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/codec"
)

// An Operation is what a server does for one request.
type Operation struct {
	Kind   Kind
	Server string // the server's name
	Name   string // of the tool or prompt, or the URI of the resource or template; "" for a list

	// Request is the handler's request: who asks, from where, and the method.
	// Values that are set here are those of the handler.
	Request *exchange.Request

	work  Work
	lock  sync.Mutex
	over  bool // whether next was called, or may not be any more
	done  bool // whether the handler has given a result
	ended bool // whether what the client sent may be another's by now
}

// Argument returns an argument of the tool or prompt, or a variable of the template,
// and whether there is one. A string is as it is, anything else JSON. It is what the
// client sent, not checked yet. When the operation has ended there is none.
func (o *Operation) Argument(name string) (text string, ok bool) {
	o.lock.Lock()
	defer o.lock.Unlock()
	if o.ended {
		return "", false
	}
	raw := o.work.Argument(name)
	if raw == nil {
		return "", false
	}
	if text, ok = codec.Unquote(raw); ok {
		return text, true
	}
	return string(raw), true
}

// IsError reports, after next has returned nil, whether the result of a tool says that
// it failed.
func (o *Operation) IsError() bool { return o.work.IsError() }

// Size returns, after next has returned nil, how many bytes of JSON the result has. It
// is what a client of the newest version gets, without who the server is.
func (o *Operation) Size() int { return o.work.Size() }

// perform is the innermost next.
func perform(ctx context.Context, operation *Operation) error {
	if operation == nil || operation.work == nil {
		return errors.New("a guardrail gave next an operation of its own; give it the one that it got")
	}
	operation.lock.Lock()
	defer operation.lock.Unlock()
	if operation.over {
		return errors.New("a guardrail called next twice, or after it had returned")
	}
	operation.over = true
	err := operation.work.Do(ctx)
	operation.done = err == nil
	return err
}
