package mcp

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
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
	own := prompt.Guardrails()
	if err := errors.Join(err, prompts.Check(prompt), checkIcons(prompt.Icons()), checkHooks(prompt),
		within(what, guardrails.Check(own, guardrails.Get, guardrails.Complete))); err != nil {
		return err
	}
	name := compiled.Definition.Name
	rails, stack := e.rails(guardrails.Get, name, own)
	run := &promptRunner{engine: e, prompt: prompt, compiled: compiled, rails: rails}
	made := &protocol.Prompt{
		Item: e.item(name, compiled.JSON, compiled.Timeout, prompt, stack), Get: run.get,
		Complete: e.completer(name, compiled.Sources, own),
	}
	if err := e.core.AddPrompt(made); err != nil {
		return taken("the prompt "+made.Key, prompt, err, "a prompt of that name", "give one of them another Name")
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
	rails    *rails
	doubted  sync.Map // what was logged already
}

func (r *promptRunner) get(call *protocol.Call, arguments []byte) ([]byte, *protocol.Fault) {
	return answer[prompts.Request](call, r.rails, getting{r, arguments})
}

// doubt logs once what the author of the prompt may not have meant.
func (r *promptRunner) doubt(finished *prompts.GetResult) {
	for _, doubt := range prompts.Doubts(finished) {
		if _, logged := r.doubted.LoadOrStore(doubt, true); !logged {
			r.engine.core.Logger().Warn("a prompt returns what MCP has not", "prompt", r.compiled.Definition.Name, "problem", doubt)
		}
	}
}

// getting asks for the messages of a prompt.
type getting struct {
	runner    *promptRunner
	arguments []byte
}

func (g getting) request(link exchange.Link) (prompts.Request, error) {
	return prompts.NewRequest(link, g.runner.compiled, g.arguments)
}

func (g getting) handle(ctx context.Context, request *prompts.Request) ([]byte, error) {
	result, err := g.runner.prompt.Handle(ctx, request)
	if err != nil {
		return nil, err
	}
	finished, err := prompts.Finish(result)
	if err != nil {
		return nil, err
	}
	g.runner.doubt(finished)
	return codec.Marshal(finished)
}

func (g getting) fault(call *protocol.Call, err error) *protocol.Fault {
	return g.runner.engine.fault(call, err)
}

func (g getting) argument(name string) []byte { return member(g.arguments, name) }
