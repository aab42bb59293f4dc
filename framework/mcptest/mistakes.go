package mcptest

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/bowline-mcp/bowline/internal/engine/request"
)

// mistakes collects the mistakes of the program that the engine logs.
type mistakes struct {
	lock  sync.Mutex
	found []*request.Mistake
}

// take returns the mistakes since the last call of take.
func (m *mistakes) take() []*request.Mistake {
	m.lock.Lock()
	defer m.lock.Unlock()
	found := m.found
	m.found = nil
	return found
}

// logger returns a logger that collects mistakes and forwards records to next.
func (m *mistakes) logger(next *slog.Logger) *slog.Logger {
	return slog.New(&mistakesHandler{next.Handler(), m})
}

// A mistakesHandler collects the mistakes in the records that it handles.
type mistakesHandler struct {
	next     slog.Handler
	mistakes *mistakes
}

func (h *mistakesHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn || h.next.Enabled(ctx, level)
}

func (h *mistakesHandler) Handle(ctx context.Context, record slog.Record) error {
	record.Attrs(func(attr slog.Attr) bool {
		err, _ := attr.Value.Any().(error)
		if mistake, ok := errors.AsType[*request.Mistake](err); ok {
			h.mistakes.lock.Lock()
			h.mistakes.found = append(h.mistakes.found, mistake)
			h.mistakes.lock.Unlock()
		}
		return true
	})
	if !h.next.Enabled(ctx, record.Level) {
		return nil
	}
	return h.next.Handle(ctx, record)
}

func (h *mistakesHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &mistakesHandler{h.next.WithAttrs(attrs), h.mistakes}
}

func (h *mistakesHandler) WithGroup(name string) slog.Handler {
	return &mistakesHandler{h.next.WithGroup(name), h.mistakes}
}

// failOnMistakes fails the test for each mistake of the program that a call has revealed.
func (c *Client) failOnMistakes() {
	c.t.Helper()
	for _, mistake := range c.mistakes.take() {
		if mistake.Place == "" {
			c.t.Errorf("%s", mistake.Text)
			continue
		}
		c.t.Errorf("%s: %s", mistake.Place, mistake.Text)
	}
}
