package protocol

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/jsonrpc"
)

// ErrInputRequired is returned for a question that the client has not answered yet.
// The handler ends, the client gets the question, and calls again with the answer.
var ErrInputRequired = errors.New("the client is asked first")

// A Question is what the client is asked while a call runs.
type Question struct {
	Key    string
	Method string
	Params []byte // raw object
	Early  bool   // whether an answer counts that comes before the question was asked
}

// An Asker puts questions to a client as requests of their own, and waits for the
// answers: clients before 2026-07-28 know that.
type Asker interface {
	Ask(ctx context.Context, call *Call, questions []Question) (answers [][]byte, err error)
}

// An AskError says why there is no answer. Its text is for the client.
type AskError struct {
	Key    string // of the question
	Reason string
	Unable bool  // whether the client can't be asked at all
	Cause  error // that ended the handler's own context, or nil
}

// Error returns the reason, with the question.
func (e *AskError) Error() string { return "The question " + e.Key + " has no answer: " + e.Reason }

// ErrSameKey is returned for a question whose key another question of the call has.
var ErrSameKey = errors.New("another question of the call has the same key; give each its own")

// asking is what a call has asked, and what it knows already. A call that doesn't ask
// has none.
type asking struct {
	state   rounds            // of the rounds before this
	answers map[string][]byte // that came with the request, raw
	marks   map[string]string // of the questions of this round, by their keys
	open    []Question        // without an answer
	fault   *Fault            // an answer that can't be used
	unwound bool              // whether the handler has ended because of it
	rounds  int               // of questions to an older client
}

// Ask returns the raw answers to questions, in order. The error is ErrInputRequired
// when the client has to be asked first.
func (call *Call) Ask(ctx context.Context, questions []Question) ([][]byte, error) {
	switch string(call.Message().Method) {
	case "tools/call", "prompts/get", "resources/read":
	default:
		return nil, &AskError{Key: questions[0].Key, Reason: "only tools, prompts and resources can ask the client", Unable: true}
	}
	if err := call.note(questions); err != nil {
		return nil, err
	}
	if !call.peer.Version.Modern() {
		if call.peer.Asker == nil {
			return nil, &AskError{Key: questions[0].Key, Reason: "a client without a session can't be asked", Unable: true}
		}
		return call.peer.Asker.Ask(ctx, call, questions)
	}
	call.answer.Lock()
	defer call.answer.Unlock()
	asking := call.asks()
	answers := make([][]byte, len(questions))
	open := false
	for i, question := range questions {
		if answers[i] = asking.find(question); answers[i] == nil {
			open = true
			asking.add(question)
		}
	}
	if open {
		return nil, ErrInputRequired
	}
	return answers, nil
}

// asks returns what the call has asked. The caller holds the lock.
func (call *Call) asks() *asking {
	if call.asking == nil {
		call.asking = &asking{}
	}
	return call.asking
}

// note notes the keys of questions, which are for one question each.
func (call *Call) note(questions []Question) error {
	call.answer.Lock()
	defer call.answer.Unlock()
	asking := call.asks()
	if asking.marks == nil {
		asking.marks = map[string]string{}
	}
	for _, question := range questions {
		mark := question.mark()
		if have, ok := asking.marks[question.Key]; ok && have != mark {
			return fmt.Errorf("the question %q: %w", question.Key, ErrSameKey)
		}
		asking.marks[question.Key] = mark
	}
	return nil
}

// find returns the answer to a question, nil if there is none that counts: it must
// have been given to a question of the same words.
func (a *asking) find(question Question) []byte {
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
	a.state.Answers[question.Key] = answered{mark, answer} // for the rounds that follow
	return answer
}

// add notes a question that is open, once.
func (a *asking) add(question Question) {
	for _, have := range a.open {
		if have.Key == question.Key {
			return
		}
	}
	a.open = append(a.open, question)
}

// Refuse says that the answer to a question can't be used: the client gets an error,
// whatever the handler returns.
func (call *Call) Refuse(key, reason string) {
	call.answer.Lock()
	defer call.answer.Unlock()
	call.asks().fault = invalidParams("Invalid params: the answer to the question %.100q can't be used: %.300s", key, reason)
}

// Unwind says that the handler has ended because a question is open.
func (call *Call) Unwind() {
	call.answer.Lock()
	defer call.answer.Unlock()
	call.asks().unwound = true
}

// Overrules returns what the client gets in the place of the result of a handler that
// has returned: an error for an answer that can't be used, or, if open, a question.
func (call *Call) Overrules() (fault *Fault, open bool) {
	call.answer.Lock()
	defer call.answer.Unlock()
	if call.asking == nil || !call.peer.Version.Modern() {
		return nil, false
	}
	return call.asking.fault, call.asking.open != nil
}

// Kept returns what a handler kept in this call or in the rounds before, nil if
// nothing was.
func (call *Call) Kept(key string) []byte {
	call.answer.Lock()
	defer call.answer.Unlock()
	return call.asks().state.Kept[key]
}

// Keep keeps a raw value for the rounds of the call.
func (call *Call) Keep(key string, value []byte) {
	call.answer.Lock()
	defer call.answer.Unlock()
	state := &call.asks().state
	if state.Kept == nil {
		state.Kept = map[string]codec.Value{}
	}
	state.Kept[key] = value
}

// CountRound returns how many rounds of questions there have been in the call, with
// the one that begins.
func (call *Call) CountRound() int {
	call.answer.Lock()
	defer call.answer.Unlock()
	asking := call.asks()
	asking.rounds++
	return asking.rounds
}

// finishAsking answers a call whose handler has left a question open, or has got an
// answer that can't be used. It reports whether there was any.
func (c *Core) finishAsking(call *Call) bool {
	asking := call.asking // the handler has returned, and can't ask any more
	switch {
	case asking == nil:
		return false
	case asking.fault != nil && call.peer.Version.Modern():
		call.fail(asking.fault)
		return true
	case asking.open == nil && !asking.unwound:
		return false
	case asking.open == nil:
		c.logger.Error("a handler says that the client is asked first, but it has asked nothing in this call",
			"method", string(call.Message().Method), "of", brief(call.subject()))
		call.fail(internalError())
		return true
	case !asking.unwound:
		c.logger.Warn("a handler goes on though the client has to be asked first; return the error of Ask",
			"method", string(call.Message().Method), "of", brief(call.subject()), "question", asking.open[0].Key)
	}
	state, fault := c.sealRounds(call, asking)
	if fault != nil {
		call.fail(fault)
		return true
	}
	frame := jsonrpc.NewFrame()
	b := jsonrpc.AppendResult(frame.Open(), call.Message().ID)
	b = append(b, `{"resultType":"input_required","inputRequests":{`...)
	for i, question := range asking.open {
		if i > 0 {
			b = append(b, ',')
		}
		b = codec.AppendQuote(b, question.Key)
		b = codec.AppendQuote(append(b, `:{"method":`...), question.Method)
		b = append(append(append(b, `,"params":`...), question.Params...), '}')
	}
	b = append(append(append(b, `},"requestState":"`...), state...), '"')
	b = append(append(b, c.identity.metaMember...), '}')
	frame.Close(jsonrpc.AppendEnd(b))
	call.finish(OutcomeAsked, http.StatusOK, frame)
	return true
}
