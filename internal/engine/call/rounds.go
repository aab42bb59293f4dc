package call

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// rounds is the state of a call whose handler asks questions. The client sends it back with
// the answers, as the sealed requestState, so the server stores nothing. The state is bound
// to the principal and to the request.
type rounds struct {
	Expires int64                  `json:"e"`           // Unix seconds
	Asked   map[string]string      `json:"q"`           // the marks of the last round's questions, by their keys
	Answers map[string]answered    `json:"a,omitempty"` // to the questions of earlier rounds
	Kept    map[string]codec.Value `json:"k,omitempty"` // by the handler
}

// answered is an answer and the mark of its question.
type answered struct {
	Mark   string      `json:"m"`
	Answer codec.Value `json:"a"`
}

// markOf returns a hash of a question's content. An answer counts only for the same
// content: consent to one price isn't consent to another.
func markOf(q *request.Question) string {
	sum := sha256.Sum256(append([]byte(q.Method+" "), q.Params...))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// openRounds opens the state of the earlier rounds, and keeps it for the call. All invalid
// states get the same error, so that it reveals nothing about them.
func (a *asking) openRounds() *exchange.Error {
	c := a.call
	m := &c.arrival.Message
	if m.RequestState != nil {
		text, _ := jsonrpc.Text(m.RequestState)
		state, ok := c.server.Seal.Open(a.purpose(), string(text))
		if !ok || codec.Unmarshal(state, &a.state) != nil || time.Now().Unix() >= a.state.Expires {
			return fault.InvalidParams("the requestState doesn't belong to this request, or has expired; call again without it")
		}
	}
	if m.InputResponses != nil {
		var answers map[string]codec.Value
		if err := codec.Unmarshal(m.InputResponses, &answers); err != nil || answers == nil {
			return fault.InvalidParams("inputResponses must be an object of answers by the keys of inputRequests")
		}
		a.answers = make(map[string][]byte, len(answers))
		for key, answer := range answers {
			a.answers[key] = answer
		}
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	c.asking = a
	return nil
}

// sealRounds returns the state for the client to send with the next round.
func (a *asking) sealRounds() (string, error) {
	c, state := a.call, a.state
	state.Expires, state.Asked = time.Now().Add(limits.StateLife).Unix(), map[string]string{}
	for _, question := range a.open {
		state.Asked[question.Key] = markOf(&question)
	}
	encoded, err := codec.Marshal(state)
	if err != nil || len(encoded) > limits.MaxState {
		return "", &exchange.Error{
			Code: exchange.CodeInternalError, Message: fmt.Sprintf("The answers and kept values of this call are more than %d bytes together", limits.MaxState),
			Err: cmp.Or(err, fmt.Errorf("the requestState would have %d bytes; keep less, or ask fewer questions in one call", len(encoded))),
		}
	}
	return c.server.Seal.Seal(a.purpose(), encoded), nil
}

// purpose returns the text to which a state is bound. It contains the server, its path, the
// principal, and the request without the members that change from round to round.
func (a *asking) purpose() string {
	c, hash := a.call, sha256.New()
	params := spec.ParseObject(c.facts.Params)
	params.Drop("_meta", "inputResponses", "requestState")
	canonical, _ := codec.AppendCanonical(nil, params.Append(nil)) // the scan of the message has validated them
	_, _ = fmt.Fprintf(hash, "%d:%s%s", len(c.facts.Method), c.facts.Method, canonical)
	path := "" // which may name a tenant
	if r := c.facts.HTTP; r != nil {
		path = r.URL.Path
	}
	return fmt.Sprintf("state of %q at %q for %q: %x", c.server.Scope, path, c.server.Principal(c.Context()), hash.Sum(nil))
}
