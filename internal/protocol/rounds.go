package protocol

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/jsonrpc"
)

// rounds are what a client carries from one round of a call to the next, as the
// sealed requestState: the server remembers nothing. It is bound to who asked and
// to what was asked for.
type rounds struct {
	Expires int64                  `json:"e"`           // Unix seconds
	Asked   map[string]string      `json:"q"`           // the marks of the last round's questions, by their keys
	Answers map[string]answered    `json:"a,omitempty"` // to the questions before
	Kept    map[string]codec.Value `json:"k,omitempty"` // by the handler
}

// answered is an answer, with the mark of the question that it was given to.
type answered struct {
	Mark   string      `json:"m"`
	Answer codec.Value `json:"a"`
}

// mark tells a question from others of its key: consent to one price is none to
// another.
func (q *Question) mark() string {
	sum := sha256.Sum256(append([]byte(q.Method+" "), q.Params...))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// stateLife is how long a client may take to answer one round.
const stateLife = time.Hour

// maxState is how many bytes a state may have before it is sealed. The client sends
// it back with the next round.
const maxState = 256 << 10

// openRounds reads what a request carries of the rounds before it. Whatever is wrong
// with the state, the client is told the same.
func (c *Core) openRounds(call *Call) *Fault {
	m := call.Message()
	if m.InputResponses == nil && m.RequestState == nil || !call.peer.Version.Modern() {
		return nil
	}
	asking := &asking{}
	if m.RequestState != nil {
		text, _ := jsonrpc.Text(m.RequestState)
		state, ok := c.config.Seal.Open(c.purpose(call), string(text))
		if !ok || codec.Unmarshal(state, &asking.state) != nil || time.Now().Unix() >= asking.state.Expires {
			return invalidParams("Invalid params: the requestState isn't one of this request, or has expired; call again without it")
		}
	}
	if m.InputResponses != nil {
		var answers map[string]codec.Value
		if err := codec.Unmarshal(m.InputResponses, &answers); err != nil || answers == nil {
			return invalidParams("Invalid params: inputResponses must be an object of answers by the keys of inputRequests")
		}
		asking.answers = make(map[string][]byte, len(answers))
		for key, answer := range answers {
			asking.answers[key] = answer
		}
	}
	call.answer.Lock()
	defer call.answer.Unlock()
	call.asking = asking
	return nil
}

// sealRounds returns the state for the client to send with the next round.
func (c *Core) sealRounds(call *Call, asking *asking) (string, *Fault) {
	state := asking.state
	state.Expires, state.Asked = time.Now().Add(stateLife).Unix(), map[string]string{}
	for _, question := range asking.open {
		state.Asked[question.Key] = question.mark()
	}
	encoded, err := codec.Marshal(state)
	if err != nil || len(encoded) > maxState {
		c.logger.Error("a call can't be continued: what its rounds have gathered is too much to carry",
			"of", brief(call.subject()), "bytes", len(encoded), "limit", maxState, "error", err)
		return "", &Fault{Code: jsonrpc.InternalError, Message: fmt.Sprintf("The answers and kept values of this call are more than %d bytes together", maxState)}
	}
	return c.config.Seal.Seal(c.purpose(call), encoded), nil
}

// purpose is what a state is bound to: the server and the path that leads to it, the
// principal, and the request but for what changes from round to round.
func (c *Core) purpose(call *Call) string {
	m, hash := call.Message(), sha256.New()
	for _, part := range [][]byte{m.Method, m.Name, m.URI} {
		_, _ = fmt.Fprintf(hash, "%d:%s", len(part), part)
	}
	if m.Arguments != nil {
		canonical, _ := codec.AppendCanonical(nil, m.Arguments) // it has been scanned
		_, _ = hash.Write(canonical)
	}
	path := "" // which may name a tenant
	if r := call.HTTP(); r != nil {
		path = r.URL.Path
	}
	return fmt.Sprintf("state of %q at %q for %q: %x", c.config.Scope, path, c.config.Principal(call.parent), hash.Sum(nil))
}
