package guardrails

import (
	"context"
	"errors"
	"fmt"
)

// ResponseLimit refuses results of calls, reads and gets that have more bytes (see
// Operation.Size), which would fill a model's context. The client is told what the
// limit is, and to ask for less. What a tool sends before its result doesn't count.
func ResponseLimit(bytes int) Guardrail {
	kinds := setOf(Call, Read, Get)
	g := Guardrail{name: fmt.Sprintf("ResponseLimit(%d)", bytes), able: kinds, kinds: kinds}
	if bytes < 1 {
		g.problem = errors.New("the limit must be more than 0 bytes, such as 64<<10")
	}
	g.handle = func(ctx context.Context, operation *Operation, next Next) error {
		if err := next(ctx, operation); err != nil {
			return err
		}
		if size := operation.Size(); size > bytes {
			return Errorf("The result has %d bytes, and at most %d may be sent. Ask for less: a part of it, or fewer items.", size, bytes)
		}
		return nil
	}
	return g
}
