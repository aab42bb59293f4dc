// Package requestlog adds to each log line of a request which request it belongs to. The context
// of the request carries a [Subject]; a [Handler] adds its attributes to each line that is logged
// with that context, so the code that logs doesn't have to know the request.
package requestlog

import (
	"context"
	"encoding/hex"
	"log/slog"
	"math/rand/v2"
	"slices"
)

// A Subject identifies a request in the log.
type Subject interface {
	// LogAttrs returns the attributes that identify the request, such as its [ID]. Zero values
	// are no attributes.
	LogAttrs() [MaxAttrs]slog.Attr
}

// MaxAttrs is how many attributes a Subject has. An array needs no allocation.
const MaxAttrs = 3

// An ID identifies a request in the log, and in what its client reads about a failure. It is
// random, so that it doesn't repeat after a restart or in another process, and short, so that a
// person can read it out: one of a million requests has the same as another with a probability
// of 1 in 4000.
type ID uint32

// NewID returns the ID of another request.
func NewID() ID { return ID(rand.Uint32()) } //nolint:gosec // not a secret

// String returns the ID as the log has it, such as 8f3a12c7.
func (id ID) String() string {
	var text [8]byte
	hex.Encode(text[:], []byte{byte(id >> 24), byte(id >> 16), byte(id >> 8), byte(id)})
	return string(text[:])
}

// Key is the key under which a context carries its Subject.
type Key struct{}

// With returns a context that carries a subject.
func With(ctx context.Context, subject Subject) context.Context {
	return context.WithValue(ctx, Key{}, subject)
}

// Bind returns a logger whose lines belong to the request of a context, whatever the context
// that a line is logged with. The logger must have a [Handler].
func Bind(ctx context.Context, logger *slog.Logger) *slog.Logger {
	return slog.New(&bound{logger.Handler(), ctx})
}

// A Handler adds the attributes of the Subject to the lines of a request. They are members of
// the line, not of a group that the logger has.
type Handler interface {
	slog.Handler
	namesRequests()
}

// New returns a Handler that passes its lines on to another handler, or the other one if it is a
// Handler.
func New(other slog.Handler) Handler {
	if h, ok := other.(Handler); ok {
		return h
	}
	return &handler{inner: other}
}

type handler struct {
	inner   slog.Handler
	outside slog.Handler                      // inner before its first group, nil if it has none
	later   []func(slog.Handler) slog.Handler // the groups and attributes after that
}

func (*handler) namesRequests() {}

// Enabled reports whether the handler handles lines of a level.
func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.inner.Enabled(ctx, level)
}

// Handle handles a line.
func (h *handler) Handle(ctx context.Context, line slog.Record) error {
	subject, ok := ctx.Value(Key{}).(Subject)
	if !ok {
		return h.inner.Handle(ctx, line)
	}
	attrs := subject.LogAttrs()
	if has(&line, attrs[0]) {
		return h.inner.Handle(ctx, line)
	}
	if h.outside == nil {
		line = line.Clone()
		line.AddAttrs(attrs[:]...)
		return h.inner.Handle(ctx, line)
	}
	inner := h.outside.WithAttrs(slices.Clone(attrs[:]))
	for _, add := range h.later {
		inner = add(inner)
	}
	return inner.Handle(ctx, line)
}

// has reports whether a line has an attribute, which a Handler around this one has added.
func has(line *slog.Record, attr slog.Attr) (found bool) {
	line.Attrs(func(have slog.Attr) bool {
		found = have.Equal(attr)
		return !found
	})
	return found
}

// WithAttrs returns the handler with attributes.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return h.with(false, func(handler slog.Handler) slog.Handler { return handler.WithAttrs(attrs) })
}

// WithGroup returns the handler with a group.
func (h *handler) WithGroup(name string) slog.Handler {
	return h.with(name != "", func(handler slog.Handler) slog.Handler { return handler.WithGroup(name) })
}

func (h *handler) with(group bool, add func(slog.Handler) slog.Handler) *handler {
	added := &handler{inner: add(h.inner), outside: h.outside}
	if group && h.outside == nil {
		added.outside = h.inner
	}
	if added.outside != nil {
		added.later = append(h.later[:len(h.later):len(h.later)], add)
	}
	return added
}

// bound handles all lines with one context.
type bound struct {
	slog.Handler
	ctx context.Context //nolint:containedctx // the lines of a request's logger belong to the request
}

func (b *bound) Handle(_ context.Context, line slog.Record) error {
	return b.Handler.Handle(b.ctx, line)
}

func (b *bound) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &bound{b.Handler.WithAttrs(attrs), b.ctx}
}

func (b *bound) WithGroup(name string) slog.Handler { return &bound{b.Handler.WithGroup(name), b.ctx} }
