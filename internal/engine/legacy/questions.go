package legacy

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/store"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// questions are the open requests of the server to a client. The server chooses their ids: numbers
// that begin at random, so that the client's answers to two servers, or to a server before and
// after its restart, can be told apart. If processes share the session, none asks with an id
// that is open in another.
type questions struct {
	remote *remote       // nil if no other process serves the client
	limit  time.Duration // how long the client may take to answer
	most   int           // maximum number of rounds of questions in a call

	lock  sync.Mutex
	last  uint64 // the id of the newest question
	asked map[uint64]chan<- response
}

// newQuestions returns the questions to a client, none so far. Their ids fit into 32 bits with a
// sign, since some clients have no larger integers.
func newQuestions(config Config, remote *remote) *questions {
	return &questions{remote: remote, limit: config.AskTimeout, most: config.AskRounds, last: mathrand.Uint64N(1 << 30), asked: map[uint64]chan<- response{}}
}

// A response is a client's answer: either a result or an error, both raw.
type response struct {
	Result  codec.Value `json:"result,omitempty"`
	Refusal codec.Value `json:"error,omitempty"`
}

// Ask sends all questions on the reply of their call, and waits for the answers. The call's
// deadline is suspended meanwhile.
func (c *client) Ask(ctx context.Context, k *call.Call, asked []request.Question) ([][]byte, error) {
	if round := k.CountRound(); round > c.questions.most {
		return nil, &exchange.AskError{Key: asked[0].Key, Reason: fmt.Sprintf("a call may ask %d times, and this one already has", c.questions.most)}
	}
	resume := k.Pause()
	defer resume()
	// A derived context wouldn't time out if the call's suspended deadline were the earlier
	// one.
	limit := time.NewTimer(c.questions.limit)
	defer limit.Stop()
	ids, answers := make([]uint64, len(asked)), make([]chan response, len(asked))
	for i, question := range asked {
		answers[i] = make(chan response, 1)
		id, leave := c.questions.enter(ctx, answers[i])
		defer leave()
		ids[i] = id
		params := question.Params
		if c.peer.Version == spec.Version20251125 {
			params = identify(params)
		}
		if err := k.Request(ids[i], question.Method, params); errors.Is(err, call.ErrNoStream) {
			return nil, &exchange.AskError{Key: question.Key, Reason: "the client accepts no event stream, so it can't be asked", Err: exchange.ErrCannotAsk}
		} else if errors.Is(err, call.ErrFinished) {
			return nil, cmp.Or(ctx.Err(), context.Canceled)
		} // on any other error, the client may reconnect and answer
		asked[i].Params = nil // params may be large, and the answer may take long
	}
	results := make([][]byte, len(asked))
	for i, question := range asked {
		select {
		case answer := <-answers[i]:
			if answer.Refusal != nil {
				c.withdraw(k, ids[i+1:])
				return nil, &exchange.AskError{Key: question.Key, Reason: "the client refused it: " + message(answer.Refusal)}
			}
			results[i] = answer.Result
		case <-limit.C:
			c.withdraw(k, ids[i:])
			return nil, &exchange.AskError{Key: question.Key, Reason: fmt.Sprintf("the client did not answer it within %s", c.questions.limit)}
		case <-ctx.Done():
			c.withdraw(k, ids[i:])
			return nil, interrupted(ctx, k, question.Key)
		case <-k.Done(): // ctx may not be derived from the context of the call
			c.withdraw(k, ids[i:])
			return nil, context.Canceled
		}
	}
	return results, nil
}

// interrupted returns the error for a context that ended while a question was open. The
// error has a reason unless the call itself has ended.
func interrupted(ctx context.Context, k *call.Call, key string) error {
	select {
	case <-k.Done():
		return ctx.Err()
	default:
	}
	reason := "the handler stopped waiting for it"
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		reason = "the client did not answer it before the deadline of the handler's context"
	}
	return &exchange.AskError{Key: key, Reason: reason, Err: ctx.Err()}
}

// withdraw notifies the client that questions are canceled.
func (c *client) withdraw(k *call.Call, ids []uint64) {
	for _, id := range ids {
		_ = k.Notify("notifications/cancelled", append(strconv.AppendUint([]byte(`{"requestId":`), id, 10), '}'))
	}
}

// enter registers a question and returns its id. The question is open until leave is called.
func (q *questions) enter(ctx context.Context, answer chan<- response) (id uint64, leave func()) {
	for id = q.open(answer); q.remote != nil && !q.remote.ask(ctx, id, q.limit); id = q.open(answer) {
		q.close(id)
	}
	if q.remote == nil {
		return id, func() { q.close(id) }
	}
	waits, cancel := context.WithCancel(context.WithoutCancel(ctx))
	go q.remote.await(waits, id, q.limit, func(r response) { q.deliver(id, r) })
	return id, func() {
		q.close(id)
		cancel()
	}
}

// open opens a question and returns its id.
func (q *questions) open(answer chan<- response) uint64 {
	q.lock.Lock()
	defer q.lock.Unlock()
	q.last++
	q.asked[q.last] = answer
	return q.last
}

func (q *questions) close(id uint64) {
	q.lock.Lock()
	defer q.lock.Unlock()
	delete(q.asked, id)
}

// answer takes a client's response to a question. It drops the response if no such question is
// open: it may have been canceled meanwhile. It returns an error if another process may have
// asked, and the store doesn't take the response.
func (q *questions) answer(ctx context.Context, m *jsonrpc.Message) *exchange.Error {
	id, err := strconv.ParseUint(string(m.ID), 10, 64)
	if err != nil || q.deliver(id, response{m.Result, m.Error}) || q.remote == nil {
		return nil
	}
	switch err := q.remote.answer(ctx, id, m); {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrTooLarge):
		return fault.WithStatus(http.StatusRequestEntityTooLarge, "The answer is too large to be passed on to the process that has asked, which takes %d MiB; send a smaller one", store.MaxValue>>20)
	}
	return unreachable() // the store has logged why
}

// deliver passes a response to the Ask that waits for it. It reports false if there is none.
func (q *questions) deliver(id uint64, r response) bool {
	q.lock.Lock()
	defer q.lock.Unlock()
	answer := q.asked[id]
	if answer == nil {
		return false
	}
	delete(q.asked, id) // only the first response counts
	answer <- r
	return true
}

// message returns the message of a raw JSON-RPC error.
func message(refusal []byte) string {
	var failure struct {
		Message string `json:"message"`
	}
	if err := codec.Unmarshal(refusal, &failure); err != nil || failure.Message == "" {
		return "it gave no reason"
	}
	return fmt.Sprintf("%.300q", failure.Message)
}

// identify adds the elicitationId that version 2025-11-25 requires to an elicitation by URL.
func identify(params []byte) []byte {
	var elicitation struct {
		Mode string `json:"mode"`
	}
	if codec.Unmarshal(params, &elicitation) != nil || elicitation.Mode != "url" {
		return params
	}
	identified := append(bytes.Clone(params[:len(params)-1]), `,"elicitationId":"`...)
	return append(append(identified, rand.Text()...), `"}`...)
}
