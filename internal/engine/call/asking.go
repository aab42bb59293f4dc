package call

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// ErrSameKey is returned for a question if another question of the call has the same key.
var ErrSameKey = errors.New("another question of the call has the same key; give each its own")

// ErrWentOn is the error that guardrails get if the handler returned a result although one
// of its questions has no answer.
var ErrWentOn = fmt.Errorf("the handler returned without the error of Ask, but %w", exchange.ErrInputRequired)

var errAskedNothing = errors.New("the handler returned exchange.ErrInputRequired, but asked nothing in this call; return the error of Ask")

// asking holds the questions and answers of a call. It is nil unless the call asks.
type asking struct {
	call      *Call
	state     rounds             // what the earlier rounds have left
	answers   map[string][]byte  // raw answers in the request, by their keys
	marks     map[string]string  // identify the questions of this round, by their keys
	open      []request.Question // questions without an answer
	refusal   *exchange.Error    // set if an answer can't be used
	rounds    int                // number of rounds with an older client
	waiting   int                // open questions to an older client
	withdrawn bool               // whether the questions were withdrawn because the handler has returned
	waits     sync.WaitGroup     // done when no question to an older client is open
}

// Ask returns the raw answers to questions, in order. The error is
// exchange.ErrInputRequired if the client has to be asked first.
func (c *Call) Ask(ctx context.Context, questions []request.Question) ([][]byte, error) {
	modern := c.facts.Version.Modern()
	if c.operation == nil || !c.operation.Asks {
		return nil, &exchange.AskError{Key: questions[0].Key, Reason: "only tools, prompts, resources and methods with Asks can ask the client", Err: exchange.ErrCannotAsk}
	}
	if !modern && c.asker == nil {
		return nil, &exchange.AskError{Key: questions[0].Key, Reason: "a client without a session can't be asked", Err: exchange.ErrCannotAsk}
	}
	c.lock.Lock()
	if c.isOver() || c.returned { // the handler, while another goroutine asks
		c.lock.Unlock()
		return nil, ErrFinished
	}
	asking := c.asks()
	answers, err := asking.ask(questions)
	c.lock.Unlock()
	if modern || err != nil {
		return answers, err
	}
	defer asking.stopWaiting()
	return c.asker.Ask(ctx, c, questions)
}

// asks returns the questions and answers of the call. The caller holds the lock.
func (c *Call) asks() *asking {
	if c.asking == nil {
		c.asking = &asking{call: c}
	}
	return c.asking
}

// ask records questions, and refuses a key that another question has. It returns the answers
// in the request, or exchange.ErrInputRequired. An older client's answers are awaited from then
// on. The caller holds the lock.
func (a *asking) ask(questions []request.Question) ([][]byte, error) {
	if a.marks == nil {
		a.marks = map[string]string{}
	}
	for _, question := range questions {
		mark := markOf(&question)
		if have, ok := a.marks[question.Key]; ok && have != mark {
			return nil, fmt.Errorf("the question %q: %w", question.Key, ErrSameKey)
		}
		a.marks[question.Key] = mark
	}
	if !a.call.facts.Version.Modern() {
		a.waiting++
		a.waits.Add(1)
		return nil, nil
	}
	answers := make([][]byte, len(questions))
	open := false
	for i, question := range questions {
		if answers[i] = a.find(question); answers[i] == nil {
			open = true
			a.add(question)
		}
	}
	if open {
		return nil, exchange.ErrInputRequired
	}
	return answers, nil
}

// stopWaiting records that a question was answered or withdrawn.
func (a *asking) stopWaiting() {
	a.call.lock.Lock()
	a.waiting--
	a.call.lock.Unlock()
	a.waits.Done()
}

// end wakes the goroutines that still wait for answers after the handler has returned. They
// withdraw their questions. No further question can be asked.
func (a *asking) end() {
	c := a.call
	c.lock.Lock()
	waits := a.waiting > 0
	a.withdrawn = waits && c.ctx.Err() == nil
	c.lock.Unlock()
	if waits {
		c.ctx.end(context.Canceled)
		a.waits.Wait()
	}
}

// find returns the answer to a question, or nil. An answer doesn't count if its question
// had the same key but different content.
func (a *asking) find(question request.Question) []byte {
	mark := a.marks[question.Key]
	if before, ok := a.state.Answers[question.Key]; ok && before.Mark == mark {
		return before.Answer
	}
	answer := a.answers[question.Key]
	if answer == nil || !question.Early && a.state.Asked[question.Key] != mark {
		return nil
	}
	if a.state.Answers == nil {
		a.state.Answers = map[string]answered{}
	}
	a.state.Answers[question.Key] = answered{mark, answer} // for later rounds
	return answer
}

// add records an open question, once.
func (a *asking) add(question request.Question) {
	for _, have := range a.open {
		if have.Key == question.Key {
			return
		}
	}
	a.open = append(a.open, question)
}

// RefuseAnswer makes the call fail because the answer to a question can't be used, no
// matter what the handler returns. It does nothing once the handler has returned.
func (c *Call) RefuseAnswer(key, reason string) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.returned {
		return
	}
	c.asks().refusal = fault.InvalidParams("the answer to the question %.100q can't be used: %.300s", key, reason)
}

// Overrules returns the error that replaces a handler's result if an answer can't be used
// or a question is still open.
func (c *Call) Overrules() error {
	c.lock.Lock()
	defer c.lock.Unlock()
	switch {
	case c.asking == nil || !c.facts.Version.Modern():
		return nil
	case c.asking.refusal != nil:
		return c.asking.refusal
	case c.asking.open != nil:
		return ErrWentOn
	}
	return nil
}

// Kept returns the value that a handler kept under a key in this round or an earlier one,
// or nil.
func (c *Call) Kept(key string) []byte {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.asks().state.Kept[key]
}

// Keep keeps a raw value for the rounds of the call. It does nothing once the handler has
// returned, because the state may already have been sent.
func (c *Call) Keep(key string, value []byte) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.returned {
		return
	}
	state := &c.asks().state
	if state.Kept == nil {
		state.Kept = map[string]codec.Value{}
	}
	state.Kept[key] = value
}

// CountRound counts a new round of questions, and returns the number of rounds so far.
func (c *Call) CountRound() int {
	c.lock.Lock()
	defer c.lock.Unlock()
	asking := c.asks()
	asking.rounds++
	return asking.rounds
}

// finish answers the call if a question is open or an answer can't be used, and reports whether
// it did. Err is the handler's error.
func (a *asking) finish(err error) bool {
	c := a.call
	returned := errors.Is(err, exchange.ErrInputRequired) && !errors.Is(err, ErrWentOn) // the error of Ask
	switch {
	case a.refusal != nil && c.facts.Version.Modern():
		c.fail(a.refusal, a.refusal)
		return true
	case a.open == nil:
		if !returned {
			return false
		}
		c.explain(errAskedNothing)
		return true
	case !returned:
		if _, panicked := errors.AsType[*PanicError](err); panicked {
			return false
		}
		attrs := []slog.Attr{slog.String("method", string(c.facts.Method)), slog.String("of", Brief(c.subject())), slog.String("question", a.open[0].Key)}
		if err != nil && !errors.Is(err, ErrWentOn) {
			attrs = append(attrs, reasons(err)...)
		}
		c.server.Logger.LogAttrs(&c.ctx, slog.LevelWarn, "a handler ignored the error of Ask; return it, so that the client is asked first", attrs...)
	}
	state, err := a.sealRounds()
	if err != nil {
		c.explain(err)
		return true
	}
	frame := jsonrpc.NewFrame()
	defer frame.Free()
	b := jsonrpc.AppendResult(frame.Buffer, c.id)
	b = append(b, `{"resultType":"input_required","inputRequests":{`...)
	for i, question := range a.open {
		if i > 0 {
			b = append(b, ',')
		}
		b = codec.AppendQuote(b, question.Key)
		b = codec.AppendQuote(append(b, `:{"method":`...), question.Method)
		b = append(append(append(b, `,"params":`...), question.Params...), '}')
	}
	b = append(append(append(b, `},"requestState":"`...), state...), '"')
	b = append(c.server.Info.AppendMeta(b, spec.Newest, nil), '}')
	frame.Buffer = append(b, '}')
	c.finish(exchange.OutcomeInputRequired, nil, Answer{Frame: frame, Status: http.StatusOK})
	return true
}
