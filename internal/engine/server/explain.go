package server

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/engine/protected"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// explain returns the JSON-RPC error for a handler's error. The client gets the text of an error
// that isn't meant for it only if Debug is on. Otherwise it gets the id under which the log has
// the error.
func (s *Server) explain(k *call.Call, err error) (call.Result, *exchange.Error) {
	if timeout, ok := errors.AsType[*call.TimeoutError](err); ok {
		return nil, &exchange.Error{Code: exchange.CodeInternalError, Message: fmt.Sprintf("The request timed out after %s (request %s)", timeout.After, k.LogID())}
	}
	if refusal := readable(err); refusal != nil && !hasCode(err) {
		return nil, refusal
	}
	if refusal := publicError(err, k.Facts().Version); refusal != nil {
		return nil, refusal
	}
	refusal := fault.Internal()
	if s.config.Debug {
		refusal.Message += ": " + err.Error()
	}
	refusal.Message += fmt.Sprintf(" (request %s)", k.LogID())
	return nil, refusal
}

// explain returns the answer for a tool's error: a result that the model reads, or a
// JSON-RPC error. The result has the text of an error that isn't meant for the model only if Debug
// is on. Otherwise it has the id under which the log has the error.
func (t *tool) explain(k *call.Call, err error) (call.Result, *exchange.Error) {
	if timeout, ok := errors.AsType[*call.TimeoutError](err); ok {
		return failure(fmt.Sprintf("The tool %s timed out after %s (request %s).", t.name, timeout.After, k.LogID())), nil
	}
	if refusal := readable(err); refusal != nil {
		return failure(refusal.Message), nil
	}
	if text := unanswered(err, k.Facts().Version); text != "" {
		return failure(text), nil
	}
	if refusal := publicError(err, k.Facts().Version); refusal != nil {
		return nil, refusal
	}
	switch {
	case k.Stopped():
		return failure("The tool " + t.name + " was stopped before it had finished."), nil
	case t.server.config.Debug:
		return failure(fmt.Sprintf("The tool %s failed: %v (request %s)", t.name, err, k.LogID())), nil
	}
	return failure(fmt.Sprintf("The tool %s failed. The server's log says why (request %s).", t.name, k.LogID())), nil
}

// failure returns an error result for the model.
func failure(text string) call.Result {
	block := content.Text(text)
	return &protocol.ToolResult{Content: []protocol.Block{&block}, IsError: true}
}

// hasCode reports whether an error has a JSON-RPC code.
func hasCode(err error) bool {
	_, own := errors.AsType[*exchange.Error](err)
	return own
}

// readable returns the JSON-RPC error for an error whose text is meant for the client, or
// nil.
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

// unanswered returns the text for the model if the client could not be asked or did not
// answer, and otherwise "". If a capability is missing, 2026-07-28 requires a JSON-RPC
// error instead.
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

// publicError returns the JSON-RPC error for an error that is meant for the client, or
// nil. It never includes the text of errors that wrap it.
func publicError(err error, v spec.Version) *exchange.Error {
	var own *exchange.Error
	var unanswered *exchange.AskError
	var lacking *exchange.ScopeError
	switch {
	case errors.As(err, &unanswered):
		return &exchange.Error{Code: exchange.CodeInternalError, Message: unanswered.Error()}
	case errors.As(err, &own):
		sent := &exchange.Error{Code: wireCode(own.Code, v), Message: own.Message, Status: own.Status, Header: own.Header}
		if sent.Code == exchange.CodeMissingClientCapability && sent.Status == 0 {
			sent.Status = http.StatusBadRequest
		}
		if data, err := codec.Marshal(own.Data); err == nil && own.Data != nil { // data that can't be encoded is omitted
			sent.Data = codec.Value(data)
		}
		return sent
	case errors.Is(err, exchange.ErrToolNotFound):
		return &exchange.Error{Code: exchange.CodeInvalidParams, Message: "Tool not found"}
	case errors.Is(err, exchange.ErrPromptNotFound):
		return &exchange.Error{Code: exchange.CodeInvalidParams, Message: "Prompt not found"}
	case errors.Is(err, exchange.ErrResourceNotFound):
		return &exchange.Error{Code: wireCode(exchange.CodeResourceNotFound, v), Message: "Resource not found"}
	case errors.As(err, &lacking):
		return protected.InsufficientScope(lacking)
	case errors.Is(err, exchange.ErrUnauthorized):
		return &exchange.Error{Code: exchange.CodeInternalError, Message: "Unauthorized", Status: http.StatusUnauthorized}
	case errors.Is(err, exchange.ErrForbidden):
		return &exchange.Error{Code: exchange.CodeInternalError, Message: "Forbidden", Status: http.StatusForbidden}
	}
	return nil
}

// wireCode returns the code to send. It replaces codes that the version reserves but
// doesn't define for this purpose.
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
