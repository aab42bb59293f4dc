package guardrails

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/chain"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/requestlog"
)

// Audit writes one log line per operation: the server, the method, the name of the tool,
// resource or prompt, the client's address, the outcome (exchange.Outcome), the duration, and the
// id, the principal and the client of the request, as all lines of the request have them. An
// operation whose handler doesn't return gets its line at its timeout, or when the client cancels
// it.
//
// The line never contains results. Of the arguments of tools and prompts and the
// variables of templates, it contains only those named here, and the first 256 bytes of
// each. A request for an item that the caller may not see (see [Permission]) is not an
// operation; the program's log has a line for it.
//
// A nil logger means the program's logger (see [Operation.Logger]).
func Audit(logger *slog.Logger, arguments ...string) Guardrail {
	if logger != nil {
		logger = slog.New(requestlog.New(logger.Handler()))
	}
	inner := chain.Guardrail[Operation]{Name: "Audit", Able: chain.All}
	inner.Handle = func(ctx context.Context, operation *Operation, next chain.Next[Operation]) error {
		to := operation.Logger() // it names the server
		if logger != nil {
			to = logger.With("server", operation.Server)
		}
		var once sync.Once
		start, attrs := time.Now(), about(operation, arguments)
		write := func(outcome exchange.Outcome) {
			once.Do(func() {
				attrs := append(attrs, slog.String("outcome", string(outcome)), slog.Duration("took", time.Since(start)))
				to.LogAttrs(context.WithoutCancel(ctx), slog.LevelInfo, "audit", attrs...)
			})
		}
		defer context.AfterFunc(ctx, func() {
			time.Sleep(limits.Patience) // the handler may return, or panic, since the context has ended
			write(outcome(ctx, operation, ctx.Err()))
		})()
		came := exchange.OutcomePanicked // unless next returns
		defer func() { write(came) }()
		err := next(ctx, operation)
		came = outcome(ctx, operation, err)
		return err
	}
	return guardrail(inner)
}

// about returns the attributes that identify an operation.
func about(operation *Operation, arguments []string) []slog.Attr {
	attrs := []slog.Attr{slog.String("method", operation.Request.Method()), slog.String("name", operation.Name)}
	if address := operation.Request.Address(); address.IsValid() {
		attrs = append(attrs, slog.String("address", address.String()))
	}
	if named := named(operation, arguments); named != nil {
		attrs = append(attrs, slog.GroupAttrs("arguments", named...))
	}
	return attrs
}

// named returns the arguments with these names.
func named(operation *Operation, names []string) (found []slog.Attr) {
	for _, name := range names {
		if text, ok := operation.Argument(name); ok {
			found = append(found, slog.String(name, strings.ToValidUTF8(text[:min(len(text), limits.MaxAudited)], "")))
		}
	}
	return found
}

// outcome returns the outcome of an operation. A result or an error that comes after the end of
// its context doesn't reach the client.
func outcome(ctx context.Context, operation *Operation, err error) exchange.Outcome {
	outcome := exchange.OutcomeOf(err)
	ended := ctx.Err()
	switch {
	case outcome == exchange.OutcomeInputRequired || outcome == exchange.OutcomePanicked:
	case outcome == exchange.OutcomeOK && errors.Is(ended, context.Canceled) && operation.call().Context().Err() == nil && !operation.IsError():
		// The program stops, and the client gets the result.
	case errors.Is(ended, context.Canceled):
		return exchange.OutcomeCanceled
	case ended != nil:
		return exchange.OutcomeTimedOut
	case outcome == exchange.OutcomeOK && operation.IsError():
		return exchange.OutcomeRefused
	}
	return outcome
}
