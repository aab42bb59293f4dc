package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/internal/call"
	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/fault"
	"github.com/bowline-mcp/bowline/internal/protocol"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// explain returns the JSON-RPC error that the client gets for the error of a handler.
// Errors that weren't meant for the client are logged, and it gets none of their text
// unless in Debug.
func (s *Server) explain(k *call.Call, err error) (call.Result, *exchange.Error) {
	if timeout, ok := errors.AsType[*call.TimeoutError](err); ok {
		return nil, &exchange.Error{Code: exchange.CodeInternalError, Message: fmt.Sprintf("The request timed out after %s", timeout.After)}
	}
	if refused := readable(err); refused != nil && !hasCode(err) {
		k.Logger().DebugContext(k.Context(), "a handler refused a request", "method", k.Method(), "of", k.Key(), "error", err)
		return nil, refused
	}
	if refused := declared(k, err); refused != nil {
		return nil, refused
	}
	refused := fault.Internal()
	if isLogged(err) || stopped(k, err) {
		return nil, refused
	}
	k.Logger().ErrorContext(k.Context(), "a handler failed", "method", k.Method(), "of", k.Key(), "error", err)
	if s.config.Debug {
		refused.Message += ": " + err.Error()
	}
	return nil, refused
}

// explain returns what the client gets for the error of a tool: a text that the model
// reads, a JSON-RPC error, or, for any other, a line in the log and a text that says
// nothing.
func (t *tool) explain(k *call.Call, err error) (call.Result, *exchange.Error) {
	if timeout, ok := errors.AsType[*call.TimeoutError](err); ok {
		return failure(fmt.Sprintf("The tool %s timed out after %s.", t.name, timeout.After)), nil
	}
	if refused := readable(err); refused != nil {
		k.Logger().DebugContext(k.Context(), "a tool refused a call", "tool", t.name, "error", err)
		return failure(refused.Message), nil
	}
	if text := unanswered(err, k.Version()); text != "" {
		return failure(text), nil
	}
	if refused := declared(k, err); refused != nil {
		return nil, refused
	}
	failed := failure("The tool " + t.name + " failed. The server's log says why.")
	switch {
	case isLogged(err):
		return failed, nil
	case stopped(k, err):
		return failure("The tool " + t.name + " was stopped before it had finished."), nil
	}
	k.Logger().ErrorContext(k.Context(), "a tool failed", "tool", t.name, "error", err)
	if t.server.config.Debug {
		return failure("The tool " + t.name + " failed: " + err.Error()), nil
	}
	return failed, nil
}

// failure is a result that tells the model what went wrong.
func failure(text string) call.Result {
	block := content.Text(text)
	return &protocol.ToolResult{Content: []protocol.Block{&block}, IsError: true}
}

// isLogged reports whether an error is in the log already.
func isLogged(err error) bool {
	_, panicked := errors.AsType[*call.PanicError](err)
	return panicked
}

// stopped reports whether a handler gave up because its call was over, which the call's
// own line in the log says.
func stopped(k *call.Call, err error) bool {
	select {
	case <-k.Done():
		return errors.Is(err, context.Canceled) || errors.Is(err, call.ErrFinished)
	default:
		return false
	}
}

// hasCode reports whether an error has a code of its own.
func hasCode(err error) bool {
	_, own := errors.AsType[*exchange.Error](err)
	return own
}

// readable returns the error for one whose text is for the client, nil for any other.
func readable(err error) *exchange.Error {
	var public *exchange.PublicError
	var refusal *guardrails.RefusalError
	readable := &exchange.Error{Code: exchange.CodeInternalError}
	switch {
	case errors.As(err, &refusal):
		readable.Message = refusal.Error()
		if wait := refusal.RetryAfter(); wait > 0 {
			readable.Data = map[string]int{"retryAfter": int(wait.Seconds())}
		}
	case errors.As(err, &public):
		readable.Message = public.Error()
	default:
		return nil
	}
	return readable
}

// unanswered returns what the model reads when the client was not asked or gave no
// answer, "" for any other error. Clients of 2026-07-28 have an error of their own for
// a capability that they lack.
func unanswered(err error, v spec.Version) string {
	var failed *exchange.AskError
	var own *exchange.Error
	switch {
	case errors.As(err, &failed):
		return failed.Error()
	case !v.Modern() && errors.Is(err, exchange.ErrCannotAsk) && errors.As(err, &own):
		return own.Message
	}
	return ""
}

// declared returns the error for one that is meant for the client, nil for any other.
// What the error says beyond that is logged.
func declared(k *call.Call, err error) *exchange.Error {
	told := publicError(err, k.Version())
	if told != nil && err.Error() != told.Message {
		k.Logger().InfoContext(k.Context(), "a handler refused a request, and the client is told less", "method", k.Method(), "of", k.Key(),
			"told", told.Message, "error", err)
	}
	return told
}

// publicError returns what the client is told of an error that is meant for it: never
// the text of what wraps one.
func publicError(err error, v spec.Version) *exchange.Error {
	var own *exchange.Error
	var unanswered *exchange.AskError
	switch {
	case errors.As(err, &unanswered):
		return &exchange.Error{Code: exchange.CodeInternalError, Message: unanswered.Error()}
	case errors.As(err, &own):
		told := &exchange.Error{Code: wireCode(own.Code, v), Message: own.Message, Status: own.Status, Header: own.Header}
		if told.Code == exchange.CodeMissingClientCapability && told.Status == 0 {
			told.Status = http.StatusBadRequest
		}
		if data, err := codec.Marshal(own.Data); err == nil && own.Data != nil { // data that doesn't encode is left out
			told.Data = codec.Value(data)
		}
		return told
	case errors.Is(err, exchange.ErrToolNotFound):
		return &exchange.Error{Code: exchange.CodeInvalidParams, Message: "Tool not found"}
	case errors.Is(err, exchange.ErrPromptNotFound):
		return &exchange.Error{Code: exchange.CodeInvalidParams, Message: "Prompt not found"}
	case errors.Is(err, exchange.ErrResourceNotFound):
		return &exchange.Error{Code: wireCode(exchange.CodeResourceNotFound, v), Message: "Resource not found"}
	case errors.Is(err, exchange.ErrUnauthorized):
		return &exchange.Error{Code: exchange.CodeInternalError, Message: "Unauthorized", Status: http.StatusUnauthorized}
	case errors.Is(err, exchange.ErrForbidden):
		return &exchange.Error{Code: exchange.CodeInternalError, Message: "Forbidden", Status: http.StatusForbidden}
	}
	return nil
}

// wireCode keeps codes that the protocol reserves, and hasn't defined for this, off
// the wire.
func wireCode(code int, v spec.Version) int {
	switch code {
	case exchange.CodeParseError, exchange.CodeInvalidRequest, exchange.CodeMethodNotFound, exchange.CodeInvalidParams,
		exchange.CodeInternalError, exchange.CodeHeaderMismatch, exchange.CodeUnsupportedProtocolVersion:
		return code
	case exchange.CodeMissingClientCapability:
		if v.Modern() {
			return code
		}
		return exchange.CodeInvalidRequest
	case exchange.CodeResourceNotFound:
		if v.Modern() {
			return exchange.CodeInvalidParams
		}
		return code
	}
	if code >= -32768 && code <= -32000 {
		return exchange.CodeInternalError
	}
	return code
}
