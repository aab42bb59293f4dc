package mcp

import (
	"context"
	"errors"
	"fmt"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// AddPrompt registers a prompt.
func (e *engine) AddPrompt(prompt servers.Prompt) (problem error) {
	what := fmt.Sprintf("%T", prompt)
	if isNil(prompt) {
		return errors.New("it is nil; give a pointer to a prompt, such as &prompts.ReviewPrompt{}")
	}
	defer rescueRegistration(&problem, what, "prompts.Prompt")
	compiled, err := prompts.Compile(prompt)
	if err := errors.Join(err, prompts.Check(prompt), checkIcons(prompt.Icons()), checkHooks(prompt)); err != nil {
		return err
	}
	run := &promptRunner{engine: e, prompt: prompt, compiled: compiled}
	made := &protocol.Prompt{
		Item: protocol.Item{Key: compiled.Definition.Name, Definition: compiled.JSON, Timeout: compiled.Timeout, Visible: e.visibility(compiled.Definition.Name, prompt)},
		Get:  run.get,
	}
	if compiled.Sources != nil {
		made.Complete = e.completer(compiled.Sources)
	}
	if err := e.core.AddPrompt(made); err != nil {
		return fmt.Errorf("the prompt %s: %w: the server has a prompt of that name already; define Name on one of them", made.Key, err)
	}
	return nil
}

// RemovePrompt takes a prompt out.
func (e *engine) RemovePrompt(name string) bool { return e.core.RemovePrompt(name) }

// A promptRunner gets one prompt for the core.
type promptRunner struct {
	engine   *engine
	prompt   servers.Prompt
	compiled *prompts.Compiled
}

func (r *promptRunner) get(call *protocol.Call, arguments []byte) ([]byte, *protocol.Fault) {
	return answer(call, func(link exchange.Link) (prompts.Request, error) {
		return prompts.NewRequest(link, r.compiled, arguments)
	}, r.handle, r.fail)
}

func (r *promptRunner) handle(ctx context.Context, request *prompts.Request) ([]byte, error) {
	result, err := r.prompt.Handle(ctx, request)
	if err != nil {
		return nil, err
	}
	finished, err := prompts.Finish(result)
	if err != nil {
		return nil, err
	}
	return codec.Marshal(finished)
}

// fail turns an error into what the client gets.
func (r *promptRunner) fail(call *protocol.Call, err error) *protocol.Fault {
	var own *exchange.Error
	var readable *prompts.GetError
	if !errors.As(err, &own) && errors.As(err, &readable) {
		call.Logger().Debug("a prompt refused a call", "prompt", r.compiled.Definition.Name, "error", err)
		return &protocol.Fault{Code: exchange.CodeInternalError, Message: readable.Error()}
	}
	return r.engine.fault(call, err)
}
