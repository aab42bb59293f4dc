package legacy

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/bowline-mcp/bowline/framework/store"
	"github.com/bowline-mcp/bowline/internal/engine/shared"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// A remote connects the processes that serve one session: each passes on the client's answers
// and cancellations that concern a call of another one.
type remote struct {
	store *shared.Store
	key   string // of the session
	topic string // of the session's record
}

// newRemote returns the remote of a session, nil if the program has one process.
func newRemote(s *shared.Store, id string) *remote {
	if s == nil {
		return nil
	}
	return &remote{s, shared.Key(id), recordName(id)}
}

// cancelation begins a message that cancels the call with the id after it. All other messages
// of the topic say that the record has changed.
const cancelation = "cancel "

// listen calls cancel with the id of a call that the client has canceled, and changed when
// the session's record may have changed, until stop is called.
func (r *remote) listen(cancel func(id []byte), changed func()) (stop func()) {
	return r.store.Listen(r.topic, func(payload []byte) {
		if id, ok := bytes.CutPrefix(payload, []byte(cancelation)); ok {
			cancel(id)
			return
		}
		changed()
	})
}

// cancel passes on the cancellation of a call that doesn't run here.
func (r *remote) cancel(id []byte) {
	_ = r.store.Publish(context.Background(), r.topic, append([]byte(cancelation), id...)) // then the call runs on, as the specification allows
}

// question returns the name of the value that has the answer to a question, and of the topic
// that wakes the process that has asked.
func (r *remote) question(id uint64) string {
	return "question/" + r.key + "/" + strconv.FormatUint(id, 10)
}

// ask prepares for the answer to a question. It reports false if another process has asked with
// the id. While the store fails, only this process can get the answer.
func (r *remote) ask(ctx context.Context, id uint64, limit time.Duration) bool {
	err := r.store.DoUnlessOut(ctx, func(ctx context.Context, to store.Store) error {
		_, err := to.Put(ctx, r.question(id), nil, limit+limits.StoreTime, store.Absent)
		return err
	})
	return !errors.Is(err, store.ErrConflict)
}

// await delivers the answer that another process gets within the limit, until the context ends.
func (r *remote) await(ctx context.Context, id uint64, limit time.Duration, deliver func(response)) {
	name, wake := r.question(id), make(chan struct{}, 1)
	defer r.store.Listen(name, func([]byte) {
		select {
		case wake <- struct{}{}:
		default:
		}
	})()
	defer r.forget(context.WithoutCancel(ctx), name)
	again := time.NewTicker(limits.FollowPause)
	defer again.Stop()
	for {
		if answer, ok := r.answered(ctx, name, limit); ok {
			deliver(answer)
			return
		}
		select {
		case <-wake:
		case <-again.C:
		case <-ctx.Done():
			return
		}
	}
}

// answered returns the answer to a question, if there is one. If the store has lost the
// question, answered puts it there again.
func (r *remote) answered(ctx context.Context, name string, limit time.Duration) (answer response, ok bool) {
	err := r.store.DoUnlessOut(ctx, func(ctx context.Context, in store.Store) error {
		value, _, err := in.Get(ctx, name)
		if errors.Is(err, store.ErrNotFound) {
			_, err = in.Put(ctx, name, nil, limit+limits.StoreTime, store.Absent)
		}
		if err == nil && len(value) > 0 {
			err = codec.Unmarshal(value, &answer)
			ok = err == nil
		}
		return err
	})
	return answer, ok && err == nil
}

// forget deletes a question.
func (r *remote) forget(ctx context.Context, name string) {
	_ = r.store.DoUnlessOut(ctx, func(ctx context.Context, from store.Store) error { // it would expire
		_, err := from.Delete(ctx, name)
		return err
	})
}

// answer passes on an answer to the process that has asked. It drops one to a question that
// isn't open, or that has an answer: only the first response counts.
func (r *remote) answer(ctx context.Context, id uint64, m *jsonrpc.Message) error {
	value, err := codec.Marshal(response{m.Result, m.Error})
	if err != nil {
		return err
	}
	name := r.question(id)
	err = r.store.Do(ctx, func(ctx context.Context, in store.Store) error {
		have, at, err := in.Get(ctx, name)
		if err != nil || len(have) > 0 {
			return err
		}
		_, err = in.Put(ctx, name, value, limits.AnswerTTL, at)
		return err
	})
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrConflict):
		return nil
	case err == nil:
		_ = r.store.Publish(ctx, name, nil) // the one that waits reads the answer soon anyway
	}
	return err
}
