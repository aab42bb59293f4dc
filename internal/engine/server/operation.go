package server

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/chain"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/engine/seam"
)

// A guardrailChain has the guardrails around one operation of a tool, resource or prompt.
type guardrailChain = chain.Chain[guardrails.Operation]

// opened returns guardrails as package chain has them.
func opened(list []guardrails.Guardrail) []chain.Guardrail[guardrails.Operation] {
	made := make([]chain.Guardrail[guardrails.Operation], len(list))
	for i := range list {
		made[i] = *(*seam.Cell[chain.Guardrail[guardrails.Operation]])(&list[i]).Get()
	}
	return made
}

// checkGuardrails returns the mistakes in guardrails around operations of the given kinds.
func checkGuardrails(list []guardrails.Guardrail, kinds chain.Kinds) error {
	return chain.Check(opened(list), kinds)
}

// A plainOperation is an operation without its guardrails.
type plainOperation struct {
	kind    guardrails.Kind
	key     string                 // the name, the URI or the template; "" for a list
	own     []guardrails.Guardrail // inside the server's
	timeout time.Duration          // 0 means the server's
	asks    bool                   // whether the handler may ask the client
	do      protocol.Do
	explain func(k *call.Call, err error) (call.Result, *exchange.Error)
}

// withGuardrails wraps an operation with its guardrails, the server's outermost.
func (s *Server) withGuardrails(u plainOperation) (*call.Operation, *guardrailChain) {
	around := chain.New(opened(slices.Concat(s.guardrails, u.own)), chain.Kinds(1)<<u.kind, u.key)
	operation := &call.Operation{Key: u.key, Timeout: s.shortest(u.timeout, around.Timeout), Do: u.do, Explain: u.explain, Asks: u.asks}
	if operation.Explain == nil {
		operation.Explain = s.explain
	}
	if around.Empty() {
		return operation, around
	}
	operation.Do = func(ctx context.Context, k *call.Call) (call.Result, error) {
		handled := exchange.Request(request.New(k))
		w := &work{call: k, do: u.do, operation: &guardrails.Operation{Kind: u.kind, Server: s.name, Name: u.key, Request: &handled}}
		err := around.Run(ctx, w.operation, w.next)
		return w.end(err)
	}
	return operation, around
}

// shortest returns the shorter of an operation's own timeout and a guardrail's. An own timeout
// of 0 means the server's.
func (s *Server) shortest(own, guardrail time.Duration) time.Duration {
	switch {
	case guardrail == 0:
		return own
	case own == 0:
		return min(s.config.Timeout, guardrail)
	}
	return min(own, guardrail)
}

// work is a running operation inside its guardrails.
type work struct {
	call      *call.Call
	operation *guardrails.Operation
	do        protocol.Do

	lock   sync.Mutex
	over   bool // whether next was called, or the guardrails have returned
	done   bool // whether the handler has returned a result
	result call.Result
}

// next is the function that the innermost guardrail calls. It runs the handler.
func (w *work) next(ctx context.Context, operation *guardrails.Operation) (err error) {
	if operation != w.operation {
		return errors.New("a guardrail called next with another operation; pass on the one that it received")
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.over {
		return errors.New("a guardrail called next twice, or after it had returned")
	}
	w.over = true
	if w.result, err = w.do(ctx, w.call); err != nil {
		return err
	}
	w.call.SetResult(w.result)
	if err := w.call.Overrules(); err != nil {
		return err
	}
	w.done = true
	return nil
}

// end returns the outcome of the operation after the guardrails have returned. It waits
// for a call of next that is still running.
func (w *work) end(err error) (call.Result, error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.over = true
	if err != nil {
		return nil, err
	}
	if !w.done {
		return nil, errors.New("a guardrail returned nil, although next was not called or failed; return an error instead")
	}
	return w.result, nil
}
