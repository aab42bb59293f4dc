package mcptest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// Can returns a client that declares capabilities (specification: ClientCapabilities):
// "elicitation" for forms, "elicitation.url", "sampling", "sampling.tools",
// "sampling.context" or "roots". A client without capabilities, the default, can't be
// asked. Names below "experimental" and "extensions" may be of your own; any other
// unknown name fails the test.
func (c *Client) Can(capabilities ...string) *Client {
	c.t.Helper()
	for _, name := range capabilities {
		c.checkCapability(name)
	}
	changed := *c
	changed.capabilities = slices.Concat(c.capabilities, capabilities)
	changed.checkAsked()
	return &changed
}

// objects converts paths such as "elicitation.url" to nested objects.
func objects(paths []string) map[string]any {
	root := map[string]any{}
	for _, path := range paths {
		at := root
		for name := range strings.SplitSeq(path, ".") {
			inner, ok := at[name].(map[string]any)
			if !ok {
				inner = map[string]any{}
				at[name] = inner
			}
			at = inner
		}
	}
	return root
}

// A Question is a question to the client (specification: InputRequest). Params is raw
// JSON.
type Question struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// text returns the question's message, if it has one, and its params.
func (q Question) text() string {
	var params struct {
		Message string `json:"message"`
	}
	_ = codec.Unmarshal(q.Params, &params) // a sampling question has no message
	return params.Message + "\n" + string(q.Params)
}

// asked decodes the questions of an answer, and reports whether it has any.
func (r *Result) asked(result []byte) bool {
	r.t.Helper()
	var required struct {
		ResultType    string              `json:"resultType"`
		InputRequests map[string]Question `json:"inputRequests"`
		RequestState  codec.Value         `json:"requestState"`
	}
	if err := codec.Unmarshal(result, &required); err != nil || required.ResultType != "input_required" {
		return false
	}
	r.Questions, r.state = required.InputRequests, required.RequestState
	return true
}

// keys returns the keys of the questions as text.
func (r *Result) keys() string {
	return strings.Join(slices.Sorted(maps.Keys(r.Questions)), ", ")
}

// AssertAsks asserts that the server asks a question with the key, and that the question
// contains each of the texts.
func (r *Result) AssertAsks(key string, texts ...string) *Result {
	r.t.Helper()
	if problem := r.notAsked(key); problem != "" {
		r.t.Errorf("%s", problem)
		return r
	}
	question := r.Questions[key]
	for _, text := range texts {
		if !strings.Contains(question.text(), text) {
			r.t.Errorf("the question %q does not contain %q:\n%s", key, text, question.Params)
		}
	}
	return r
}

// notAsked returns a text that says that there is no question with the key, or "" if
// there is one.
func (r *Result) notAsked(key string) string {
	_, ok := r.Questions[key]
	switch {
	case ok:
		return ""
	case r.Questions == nil:
		return "the server asks nothing; its answer is: " + r.Text()
	}
	return fmt.Sprintf("the server doesn't ask with the key %q, only with %s", key, r.keys())
}

// Respond answers the question with the key and returns the next result: the answer to
// the request, or more questions. Accept a form with its fields in an [Args], and a
// confirmation or URL with nil. Answer a sampling question with a string, or with any
// value that encodes as a whole result. Answer a roots question with an [][ask.Root]. A
// field that the form doesn't have fails the test, since the server would drop it.
func (r *Result) Respond(key string, answer any) *Result {
	r.t.Helper()
	switch method := r.Questions[key].Method; method {
	case "elicitation/create":
		result := map[string]any{"action": ask.Accept}
		if answer != nil {
			r.checkFields(key, answer)
			result["content"] = answer
		}
		return r.retry(key, result)
	case "sampling/createMessage":
		if text, ok := answer.(string); ok {
			answer = map[string]any{
				"role": "assistant", "content": map[string]any{"type": "text", "text": text}, "model": "mcptest", "stopReason": "endTurn",
			}
		}
		return r.retry(key, answer)
	case "roots/list":
		return r.retry(key, map[string]any{"roots": answer})
	}
	return r.retry(key, nil)
}

// Decline declines a form, a confirmation or a URL, and returns the next result.
func (r *Result) Decline(key string) *Result {
	r.t.Helper()
	return r.retry(key, map[string]any{"action": ask.Decline})
}

// Cancel dismisses a form, a confirmation or a URL without a choice, and returns the
// next result.
func (r *Result) Cancel(key string) *Result {
	r.t.Helper()
	return r.retry(key, map[string]any{"action": ask.Cancel})
}

// retry sends the request again with an answer.
func (r *Result) retry(key string, answer any) *Result {
	r.t.Helper()
	if problem := r.notAsked(key); problem != "" {
		r.t.Fatalf("%s", problem)
	}
	params := maps.Clone(r.params)
	params["inputResponses"] = map[string]any{key: answer}
	delete(params, "requestState")
	if r.state != nil {
		params["requestState"] = r.state
	}
	return r.client.round(r.id+1, r.method, r.name, params)
}
