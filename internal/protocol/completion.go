package protocol

import (
	"net/http"
	"time"

	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/jsonrpc"
)

// A Completer gives the values that complete an argument of a prompt or a variable
// of a template.
type Completer struct {
	Timeout time.Duration // 0 is the server's

	// Complete returns the raw object of the result's member completion.
	Complete func(call *Call, argument, value string, others map[string]string) (completion []byte, fault *Fault)
}

// noCompletion is the answer for an argument that nothing completes.
const noCompletion = `{"completion":{"values":[]}}`

// complete answers completion/complete.
func (c *Core) complete(call *Call, r *Registry) {
	var params struct {
		Ref struct {
			Type string `json:"type"`
			Name string `json:"name"`
			URI  string `json:"uri"`
		} `json:"ref"`
		Argument *struct {
			Name  string  `json:"name"`
			Value *string `json:"value"`
		} `json:"argument"`
		Context struct {
			Arguments map[string]string `json:"arguments"`
		} `json:"context"`
	}
	if err := codec.Unmarshal(call.Message().Params, &params); err != nil || params.Argument == nil || params.Argument.Name == "" || params.Argument.Value == nil {
		call.fail(invalidParams("Invalid params: completion needs a ref, and an argument with a name and a value"))
		return
	}
	var completer *Completer
	switch params.Ref.Type {
	case "ref/prompt":
		prompt, ok := r.prompts.find(call.parent, []byte(params.Ref.Name))
		if !ok {
			call.fail(unknown("prompt", params.Ref.Name, r.prompts.shown(call.parent)))
			return
		}
		completer, call.key = prompt.Complete, prompt.Key
	case "ref/resource":
		template := r.templateOf(call, params.Ref.URI)
		if template == nil && !r.readable(call.parent, params.Ref.URI) {
			call.fail(ResourceNotFound(params.Ref.URI, Newest)) // no resource is read, so that older clients have no code of their own for it
			return
		}
		if template != nil {
			completer, call.key = template.Complete, template.Key
		}
	default:
		call.fail(invalidParams("Invalid params: the type of a ref is ref/prompt or ref/resource, not %.40q", params.Ref.Type))
		return
	}
	if completer == nil {
		c.answerObject(call, false, func() ([]byte, *Fault) { return []byte(noCompletion), nil })
		return
	}
	call.allow(completer.Timeout)
	c.answerObject(call, false, func() ([]byte, *Fault) {
		completion, fault := completer.Complete(call, params.Argument.Name, *params.Argument.Value, params.Context.Arguments)
		return append(append([]byte(`{"completion":`), completion...), '}'), fault
	})
}

// templateOf returns the template that a ref names: by itself, or by a URI that it
// matches. A fixed resource has none.
func (r *Registry) templateOf(call *Call, uri string) *Template {
	template, ok := r.templates.byKey[uri]
	if _, fixed := r.resources.byKey[uri]; !ok && !fixed {
		template, _ = r.match(uri)
	}
	if template == nil || !template.visible(call.parent) {
		return nil
	}
	return template
}

// answerRound is answerObject for a handler that may ask the client.
func (c *Core) answerRound(call *Call, cacheable bool, handler func() ([]byte, *Fault)) {
	if fault := c.openRounds(call); fault != nil {
		call.fail(fault)
		return
	}
	c.answerObject(call, cacheable, handler)
}

// answerObject runs a handler whose result is a raw object in its newest shape, and
// answers with it.
func (c *Core) answerObject(call *Call, cacheable bool, handler func() ([]byte, *Fault)) {
	result, fault := c.runObject(call, handler)
	if c.finishAsking(call) {
		return
	}
	if fault != nil {
		call.fail(fault)
		return
	}
	frame := jsonrpc.NewFrame()
	b := jsonrpc.AppendResult(frame.Open(), call.Message().ID)
	b = c.appendResult(b, call.peer.Version, result, cacheable)
	frame.Close(jsonrpc.AppendEnd(b))
	call.finish(OutcomeOK, http.StatusOK, frame)
}

// runObject runs a handler under a watchdog.
func (c *Core) runObject(call *Call, handler func() ([]byte, *Fault)) (result []byte, fault *Fault) {
	returned := false
	defer func() {
		panicked := recover()
		exits := !returned && panicked == nil
		if exits {
			panicked = errExits
		}
		if c.ended(call, panicked) {
			fault = internalError()
		}
		if exits { // nothing after this runs
			call.reply.Late()
			call.fail(fault)
		}
	}()
	result, fault = handler()
	returned = true
	return result, fault
}
