package exchange

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// Ask asks the client a question and returns its answer (specification: elicitation,
// sampling, roots). The key identifies the question within this request: give each
// question a different key. Only tools, prompts and resources can ask.
//
// Return the error unchanged if it isn't nil. A client of 2026-07-28 gets the question
// instead of a result, and sends the request again with the answer. Handle then runs from
// its beginning, and Ask returns the answer if the question has the same text as before.
// Use [Once] for work that shouldn't run in every round, and for values that must not
// change between rounds. For a client of an older version, Ask sends the question and
// waits for the answer. The call's timeout is paused while it waits, and the wait ends
// with ctx.
//
// The error wraps [ErrInputRequired] if the client is asked first. It wraps
// [ErrCannotAsk] if the client can't be asked; a handler may then continue without the
// answer. It is an [*AskError] if an older client refused or did not answer. Ask also
// returns an error for a contradictory question, and for a key that another question
// uses.
func (r *Request) Ask(ctx context.Context, key string, question ask.Question) (*ask.Answer, error) {
	answers, err := r.AskAll(ctx, map[string]ask.Question{key: question})
	if err != nil {
		return nil, err
	}
	return answers[key], nil
}

// AskAll asks several questions at once, in the order of their keys, and returns the
// answers by key. Otherwise it works like [Request.Ask].
func (r *Request) AskAll(ctx context.Context, questions map[string]ask.Question) (map[string]*ask.Answer, error) {
	keys := slices.Sorted(maps.Keys(questions))
	if len(keys) == 0 {
		return map[string]*ask.Answer{}, nil
	}
	compiled, asked, err := r.compile(keys, questions)
	if err != nil {
		return nil, err
	}
	raw, err := r.call().Ask(ctx, asked)
	if err != nil {
		return nil, err
	}
	answers := make(map[string]*ask.Answer, len(keys))
	for i, key := range keys {
		if answers[key], err = compiled[i].Kind.Answer(r.call(), key, raw[i]); err != nil {
			r.call().RefuseAnswer(key, err.Error())
			return nil, &Error{
				Code: CodeInvalidParams, Err: err,
				Message: fmt.Sprintf("The answer to the question %q can't be used: %v", key, err),
			}
		}
	}
	return answers, nil
}

// compile checks questions, in the order of their keys, and whether the client supports
// them.
func (r *Request) compile(keys []string, questions map[string]ask.Question) ([]*request.Compiled[*ask.Answer], []request.Question, error) {
	client, missing := &r.call().Facts().Client, missing{}
	compiled, asked := make([]*request.Compiled[*ask.Answer], len(keys)), make([]request.Question, len(keys))
	for i, key := range keys {
		question, err := compile(key, questions[key])
		if err != nil {
			return nil, nil, fmt.Errorf("the question %q: %w", key, err)
		}
		if since := question.Kind.Since(); client.Version < since {
			return nil, nil, &Error{
				Code: CodeMissingClientCapability, Err: ErrCannotAsk,
				Message: fmt.Sprintf("The client can't be asked the question %q: it uses the protocol version %s, and such questions require %s", key, client.Version, since),
			}
		}
		if lacks := question.Kind.Missing(client.Capabilities, client.Version); lacks != "" {
			missing.add(key, []byte(lacks))
		}
		compiled[i] = question
		asked[i] = request.Question{Key: key, Method: question.Method, Params: question.Kind.Params(client.Capabilities, client.Version), Early: question.Early}
	}
	return compiled, asked, missing.err()
}

// compile checks a question.
func compile(key string, question ask.Question) (*request.Compiled[*ask.Answer], error) {
	if question == nil {
		return nil, errors.New("it is nil; make one with ask.Form, ask.Confirm, ask.URL, ask.Sample or ask.Roots")
	}
	compiled, err := request.Compile[*ask.Answer](question)
	if err == nil && key == "" {
		err = errors.New("it has no key; give it one, such as \"city\"")
	}
	return compiled, err
}

// Confirm asks the user a yes-or-no question and reports whether the answer is yes.
// Otherwise it works like [Request.Ask].
func (r *Request) Confirm(ctx context.Context, key, message string) (bool, error) {
	answer, err := r.Ask(ctx, key, ask.Confirm(message))
	return err == nil && answer.Accepted(), err
}

// AnyRequest is a request of any kind, such as *tools.Request.
type AnyRequest interface{ call() request.Call }

// Once runs fn in one round of a request, and returns the same value in all later rounds.
// The value must survive encoding as JSON. An error isn't stored: the next round runs fn
// again. The client stores the value between rounds, sealed, so keep it small.
//
// Once only saves work. If a client repeats a round, fn runs again. If something must
// never happen twice, keep a record of your own.
func Once[T any](r AnyRequest, key string, fn func() (T, error)) (value T, err error) {
	call := r.call()
	if kept := call.Kept(key); kept != nil {
		err = codec.Unmarshal(kept, &value)
		return value, err
	}
	if value, err = fn(); err != nil {
		return value, err
	}
	encoded, err := codec.Marshal(value)
	if err != nil {
		return value, fmt.Errorf("the value that Once keeps as %q does not encode as JSON: %w", key, err)
	}
	call.Keep(key, encoded)
	return value, nil
}

// missing collects the capabilities that questions need and the client has not declared.
type missing struct {
	keys         []string // the keys of the questions, quoted
	capabilities map[string]map[string]codec.Value
}

// add adds the capabilities that a question needs: a raw object such as
// {"elicitation":{"url":{}}}.
func (m *missing) add(key string, capabilities []byte) {
	m.keys = append(m.keys, fmt.Sprintf("%q", key))
	var more map[string]map[string]codec.Value
	_ = codec.Unmarshal(capabilities, &more) // the framework encoded it
	if m.capabilities == nil {
		m.capabilities = map[string]map[string]codec.Value{}
	}
	for name, settings := range more {
		if m.capabilities[name] == nil {
			m.capabilities[name] = map[string]codec.Value{}
		}
		for setting, value := range settings {
			m.capabilities[name][setting] = value
		}
	}
}

// err returns an error that names the missing capabilities (specification:
// requiredCapabilities), or nil if there are none.
func (m *missing) err() error {
	if m.keys == nil {
		return nil
	}
	questions, capabilities := "question", "capability"
	if len(m.keys) > 1 {
		questions, capabilities = "questions", "capabilities"
	}
	encoded, err := codec.Marshal(m.capabilities)
	if err != nil {
		return err
	}
	return &Error{
		Code: CodeMissingClientCapability, Err: ErrCannotAsk,
		Message: fmt.Sprintf("The client can't be asked the %s %s: it has not declared the %s %s", questions, strings.Join(m.keys, ", "), capabilities, encoded),
		Data:    map[string]any{"requiredCapabilities": codec.Value(encoded)},
	}
}
