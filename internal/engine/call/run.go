package call

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// An Operation serves the requests for one item: it calls a tool, reads a resource, gets a
// prompt, completes an argument, lists items, or runs a method of the program. Calls share
// it.
type Operation struct {
	Key     string        // name, URI or template; "" for a list
	Tool    string        // the name of the tool, "" for any other operation
	Timeout time.Duration // how long a call may take; 0 means the server's timeout

	// Do runs the operation with the input of the call.
	Do func(ctx context.Context, call *Call) (Result, error)

	// Explain turns an error of Do into a result or into the error that the client gets.
	Explain func(call *Call, err error) (Result, *exchange.Error)

	// Asks means that the handler may ask the client.
	Asks bool

	// Engine means that Do runs no code of the program and so needs no deadline.
	Engine bool
}

// A Result is the result of an operation.
type Result interface {
	request.Result

	// Append appends the raw result in the shape of a version.
	Append(dst []byte, v spec.Version, server *spec.ServerInfo) []byte
}

// A SharedResult is a result that is already encoded. Its bytes end a response: the result
// and a closing brace.
type SharedResult interface {
	Result
	Shared() []byte
}

// Begin counts the call and enters it into its table. It answers the call and reports false
// if the program is stopping, the client runs too many calls or has canceled this one, or
// the id is in use.
func (c *Call) Begin() bool {
	if refusal := c.server.Shares.Calls.Take(&c.arrival.held, 1, c.facts.HTTP); refusal != nil {
		return c.reject(refusal)
	}
	if !c.server.Lifecycle.begin() {
		return c.reject(fault.ShuttingDown())
	}
	if c.table == nil {
		return true
	}
	var refusal *exchange.Error
	switch c.table.begin(c) {
	case admitted:
		return true
	case idInUse:
		refusal = fault.IDInUse(c.id)
	case canceled:
	}
	c.server.Lifecycle.end()
	return c.reject(refusal)
}

// reject answers a request whose call can't begin, and returns false. Refusal is nil if the client
// has canceled the call.
func (r *incoming) reject(refusal *exchange.Error) bool {
	r.server.Shares.Calls.Return(&r.arrival.held)
	if refusal == nil {
		r.reply.Finish(Answer{Status: http.StatusAccepted})
	} else {
		Refuse(r.id, refusal, r.facts.Version, r.reply)
	}
	return false
}

// Run runs the operation and answers with its result or its error.
func (c *Call) Run(operation *Operation) {
	c.operation = operation
	if m := &c.arrival.Message; (m.InputResponses != nil || m.RequestState != nil) && c.facts.Version.Modern() && operation.Asks {
		if refusal := (&asking{call: c}).openRounds(); refusal != nil {
			c.Refuse(operation, refusal)
			return
		}
	}
	c.server.watchdogs.watch(c)
	if held := &c.arrival.held; held.Counted > 0 && !operation.Engine {
		queue := &c.server.Shares.Queue
		if err := queue.Enter(&c.ctx, *held.Client); err != nil {
			c.conclude(nil, err)
			return
		}
		defer queue.Leave(*held.Client)
	}
	c.conclude(c.do())
}

// Refuse answers with an error instead of running the operation, which may be nil.
func (c *Call) Refuse(operation *Operation, refusal *exchange.Error) {
	c.operation = operation
	c.fail(refusal, refusal)
	c.over()
}

// do runs the operation. A panic becomes an error.
func (c *Call) do() (result Result, err error) {
	returned := false
	defer func() {
		value := recover()
		exits := !returned && value == nil
		if exits {
			value = errExits
		}
		if value != nil {
			result, err = nil, newPanicError("the handler", value)
		}
		if exits { // the goroutine ends after its deferred functions
			c.reply.HandlerStillRuns()
			c.conclude(result, err)
		}
	}()
	result, err = c.operation.Do(&c.ctx, c)
	returned = true
	return result, readable(err)
}

// readable returns an error that can be read, since a typed nil as an error panics then.
func readable(err error) (same error) {
	if err == nil {
		return nil
	}
	defer func() {
		if value := recover(); value != nil {
			same = newPanicError("the error that the handler returned", value)
		}
	}()
	_, _ = exchange.OutcomeOf(err), err.Error()
	return err
}

// conclude answers the call after its operation has returned.
func (c *Call) conclude(result Result, err error) {
	c.lock.Lock()
	c.returned = true
	if err != nil && c.asking == nil && errors.Is(err, exchange.ErrInputRequired) {
		c.asks() // nothing, so far
	}
	asking := c.asking
	c.lock.Unlock()
	if asking != nil {
		asking.end()
	}
	c.server.watchdogs.leave(c)
	switch {
	case asking != nil && asking.finish(err):
	case err != nil:
		c.explain(err)
	default:
		c.finishResult(result, nil)
	}
	c.over()
}

// explain answers with the result or the error that Explain returns, or with a result of
// another type, which is no failure.
func (c *Call) explain(err error) {
	defer func() { // the data of an error and the value of a result encode themselves
		if value := recover(); value != nil {
			c.explain(newPanicError("the answer of the handler", value))
		}
	}()
	if typed, ok := errors.AsType[*exchange.TypedResult](err); ok {
		var result Result
		if result, err = c.server.Typed(c, typed); err == nil {
			c.finishResult(result, nil)
			return
		}
	}
	result, refusal := c.operation.Explain(c, err)
	if refusal != nil {
		c.fail(refusal, err)
		return
	}
	c.finishResult(result, err)
}

// finishResult answers with a result. Problem is the error that it explains, or nil.
func (c *Call) finishResult(result Result, problem error) {
	outcome := exchange.OutcomeOK
	if problem != nil {
		outcome = exchange.OutcomeOf(problem)
	} else if told := result.Err(); told != nil {
		outcome, problem = exchange.OutcomeRefused, told
	}
	answer := Answer{Frame: jsonrpc.NewFrame(), Status: http.StatusOK}
	defer answer.Frame.Free()
	b := jsonrpc.AppendResult(answer.Frame.Buffer, c.id)
	if shared, ok := result.(SharedResult); ok {
		answer.Rest = shared.Shared()
	} else {
		b = append(result.Append(b, c.facts.Version, c.server.Info), '}')
	}
	answer.Frame.Buffer = b
	c.finish(outcome, problem, answer)
}

// fail answers with an error. Problem is its cause, which the log has.
func (c *Call) fail(refusal *exchange.Error, problem error) {
	answer := Answer{Frame: jsonrpc.NewFrame(), Status: statusOf(refusal, c.facts.Version), Error: refusal}
	defer answer.Frame.Free()
	answer.Frame.Buffer = fault.AppendResponse(answer.Frame.Buffer, c.id, refusal)
	c.finish(exchange.OutcomeOf(problem), problem, answer)
}

// statusOf returns the HTTP status of a call that fails. To a legacy client, 404 means that
// its session has ended, so it gets 200 for all errors but 401 and 403.
func statusOf(refusal *exchange.Error, v spec.Version) int {
	access := refusal.Status == http.StatusUnauthorized || refusal.Status == http.StatusForbidden
	if refusal.Status == 0 || !v.Modern() && !access {
		return http.StatusOK
	}
	return refusal.Status
}

// finish answers the call, once.
func (c *Call) finish(outcome exchange.Outcome, problem error, answer Answer) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.answered {
		(&Ending{Outcome: outcome, Err: problem}).endsLate(c)
		return
	}
	failed := outcome == exchange.OutcomeFailed || outcome == exchange.OutcomeRefused
	// The handler's error probably follows from the cancellation, and its result reaches nobody.
	canceled := failed && c.canceled() || outcome == exchange.OutcomeOK && errors.Is(c.ctx.Context.Err(), context.Canceled)
	if table := c.table; table != nil && !table.end(c) { // before the answer, after which the client may reuse the id
		canceled, answer = outcome != exchange.OutcomePanicked, Answer{Status: http.StatusAccepted}
	}
	if canceled {
		outcome = exchange.OutcomeCanceled
		if followsFromTheEnd(problem) {
			problem = nil
		}
	}
	c.answered, c.outcome, c.problem = true, outcome, problem
	c.reply.Finish(answer)
	c.server.Lifecycle.end()
}

// over ends the context of the call, logs the call and dispatches its event, unless its watchdog
// has done so.
func (c *Call) over() {
	c.ctx.end(context.Canceled)
	c.server.Shares.Calls.Return(&c.arrival.held)
	if ending, first := c.ending(); first {
		ending.log(c)
		ending.dispatch(c)
	}
}
