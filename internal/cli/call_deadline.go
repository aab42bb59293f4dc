package cli

import (
	"context"
	"errors"
	"time"
)

var errTimeout = errors.New("there is no result in time")

// A deadline ends a context with errTimeout, some time after begin. It pauses while a person
// answers a question.
type deadline struct {
	ctx   context.Context
	end   context.CancelCauseFunc
	limit time.Duration
	timer *time.Timer // nil without a limit, and before begin
}

// newDeadline returns a deadline after a time. If the time is 0, the context has none.
func newDeadline(ctx context.Context, limit time.Duration) *deadline {
	d := &deadline{limit: limit}
	d.ctx, d.end = context.WithCancelCause(ctx)
	return d
}

func (d *deadline) begin() {
	if d.limit > 0 {
		d.timer = time.AfterFunc(d.limit, func() { d.end(errTimeout) })
	}
}

// pause stops the time, and returns a function that begins it anew.
func (d *deadline) pause() (resume func()) {
	if d.timer == nil {
		return func() {}
	}
	d.timer.Stop()
	return func() { d.timer.Reset(d.limit) }
}

func (d *deadline) stop() {
	if d.timer != nil {
		d.timer.Stop()
	}
	d.end(nil)
}
