package guardrails

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/chain"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// Audit writes one log line per operation: the server, the method, the name of the tool,
// resource or prompt, the principal (or "anonymous"), the client's address, the outcome,
// and the duration. The outcome is one of:
//
//	ok              a result
//	failed          an error, a panic, or a tool's result with isError set
//	refused         by a guardrail inside this one
//	cancelled       by the client, or by the end of the program
//	timed out
//	input required  the client is asked something first
//
// The line never contains results. Of the arguments of tools and prompts and the
// variables of templates, it contains only those named here, and the first 256 bytes of
// each. A request for an item that the caller may not see (see [Permission]) is not an
// operation; the program's log has a line for it.
//
// A nil logger means the program's logger (see [Operation.Logger]).
func Audit(logger *slog.Logger, arguments ...string) Guardrail {
	inner := chain.Guardrail[Operation]{Name: "Audit", Able: chain.All}
	inner.Handle = func(ctx context.Context, operation *Operation, next chain.Next[Operation]) error {
		start, came := time.Now(), "failed" // unless next returns: a handler may panic
		defer func() {
			attrs := append(about(ctx, operation, arguments), slog.String("outcome", came), slog.Duration("took", time.Since(start)))
			to := operation.Logger() // it names the server
			if logger != nil {
				to = logger.With("server", operation.Server)
			}
			to.LogAttrs(context.WithoutCancel(ctx), slog.LevelInfo, "audit", attrs...)
		}()
		err := next(ctx, operation)
		came = outcome(ctx, operation, err)
		return err
	}
	return guardrail(inner)
}

// about returns the attributes that identify an operation and its caller.
func about(ctx context.Context, operation *Operation, arguments []string) []slog.Attr {
	attrs := []slog.Attr{
		slog.String("method", operation.Request.Method()),
		slog.String("name", operation.Name), slog.String("principal", principal(ctx)),
	}
	if address := operation.Request.Address(); address.IsValid() {
		attrs = append(attrs, slog.String("address", address.String()))
	}
	if named := named(operation, arguments); named != nil {
		attrs = append(attrs, slog.GroupAttrs("arguments", named...))
	}
	return attrs
}

func principal(ctx context.Context) string {
	if id := exchange.PrincipalFrom(ctx).ID; id != "" {
		return id
	}
	return "anonymous"
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

// The outcomes in the line of an operation.
const (
	outcomeOK            = "ok"
	outcomeInputRequired = "input required"
	outcomeCanceled      = "cancelled"
	outcomeTimedOut      = "timed out"
	outcomeRefused       = "refused"
	outcomeFailed        = "failed"
)

// outcome returns the outcome of an operation.
func outcome(ctx context.Context, operation *Operation, err error) string {
	var refusal *RefusalError
	switch ended := ctx.Err(); {
	case isTyped(err):
		return outcomeOK
	case errors.Is(err, exchange.ErrInputRequired):
		return outcomeInputRequired
	case errors.Is(ended, context.Canceled):
		return outcomeCanceled
	case ended != nil:
		return outcomeTimedOut
	case errors.As(err, &refusal):
		return outcomeRefused
	case err != nil || operation.IsError():
		return outcomeFailed
	}
	return outcomeOK
}

// isTyped reports whether the error of an operation is a result of another type.
func isTyped(err error) bool {
	_, typed := errors.AsType[*exchange.TypedResult](err)
	return typed
}
