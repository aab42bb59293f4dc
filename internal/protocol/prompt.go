package protocol

import "github.com/bowline-mcp/bowline/internal/jsonrpc"

// A Prompt is a prompt as the engine knows it.
type Prompt struct {
	Item
	Get      func(call *Call, arguments []byte) (result []byte, fault *Fault)
	Complete *Completer // nil if nothing completes
}

// getPrompt answers prompts/get.
func (c *Core) getPrompt(call *Call, r *Registry) {
	m := call.Message()
	name, ok := jsonrpc.Text(m.Name)
	if !ok {
		call.fail(invalidParams("Invalid params: the member \"name\" must be the name of a prompt"))
		return
	}
	if m.Arguments != nil && !jsonrpc.IsObject(m.Arguments) {
		call.fail(invalidParams("Invalid params: the member \"arguments\" must be an object"))
		return
	}
	prompt, ok := r.prompts.find(call.parent, name)
	if !ok {
		call.fail(unknown("prompt", string(name), r.prompts.shown(call.parent)))
		return
	}
	call.key = prompt.Key
	call.allow(prompt.Timeout)
	c.answerRound(call, false, func() ([]byte, *Fault) { return prompt.Get(call, m.Arguments) })
}
