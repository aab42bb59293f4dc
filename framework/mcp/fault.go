package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// fault maps a handler's error to what the client gets: nil if it is asked first. Errors
// that weren't meant for the client are logged, and it gets none of their text unless in
// Debug.
func (e *engine) fault(call *protocol.Call, err error) *protocol.Fault {
	method := string(call.Message().Method)
	if fault := readable(err); fault != nil {
		call.Logger().Debug("a handler refused a request", "method", method, "of", call.Key(), "error", err)
		return fault
	}
	if fault := declared(call, err); fault != nil {
		return fault
	}
	if asksFirst(call, err) {
		return nil
	}
	fault := &protocol.Fault{Code: exchange.CodeInternalError, Message: "Internal error"}
	if stopped(call, err) {
		return fault
	}
	call.Logger().Error("a handler failed", "method", method, "of", call.Key(), "error", err)
	if e.config.Debug {
		fault.Message += ": " + err.Error()
	}
	return fault
}

// stopped reports whether a handler gave up because its call was over, which the call's
// own line in the log says.
func stopped(call *protocol.Call, err error) bool {
	select {
	case <-call.Done():
		return errors.Is(err, context.Canceled) || errors.Is(err, protocol.ErrFinished)
	default:
		return false
	}
}

// readable returns the fault for an error whose text is for the client, nil for any
// other. An error that has a code of its own is not among them.
func readable(err error) *protocol.Fault {
	var own *exchange.Error
	var read *resources.ReadError
	var get *prompts.GetError
	var refusal *guardrails.RefusalError
	fault := &protocol.Fault{Code: exchange.CodeInternalError}
	switch {
	case errors.As(err, &own):
		return nil
	case errors.As(err, &refusal):
		fault.Message = refusal.Error()
		if wait := refusal.RetryAfter(); wait > 0 {
			fault.Data = fmt.Appendf(nil, `{"retryAfter":%d}`, int(wait.Seconds()))
		}
	case errors.As(err, &read):
		fault.Message = read.Error()
	case errors.As(err, &get):
		fault.Message = get.Error()
	default:
		return nil
	}
	return fault
}

// asksFirst reports whether an error says that the client is asked first. Then the call is
// marked: a handler that returns another error, or none, swallows the question, which is logged.
func asksFirst(call *protocol.Call, err error) bool {
	asks := errors.Is(err, exchange.ErrInputRequired)
	if asks && !errors.Is(err, errWentOn) {
		call.Unwind()
	}
	return asks
}

// declared returns the fault for an error that is meant for the client, nil for any
// other. What the error says beyond that is logged.
func declared(call *protocol.Call, err error) *protocol.Fault {
	fault := declaration(err, call.Peer().Version)
	if fault != nil && err.Error() != fault.Message {
		call.Logger().Info("a handler refused a request, and the client is told less", "method", string(call.Message().Method), "of", call.Key(),
			"told", fault.Message, "error", err)
	}
	return fault
}

// declaration returns what the client is told of an error that is meant for it: never
// the text of what wraps one.
func declaration(err error, v protocol.Version) *protocol.Fault {
	var own *exchange.Error
	var unanswered *exchange.AskError
	switch {
	case errors.As(err, &unanswered):
		return &protocol.Fault{Code: exchange.CodeInternalError, Message: unanswered.Error()}
	case errors.As(err, &own):
		fault := &protocol.Fault{Code: wireCode(own.Code, v), Message: own.Message}
		if fault.Code == exchange.CodeMissingClientCapability {
			fault.Status = http.StatusBadRequest
		}
		if own.Data != nil {
			if data, err := codec.Marshal(own.Data); err == nil { // data that doesn't encode is left out
				fault.Data = data
			}
		}
		return fault
	case errors.Is(err, exchange.ErrToolNotFound):
		return &protocol.Fault{Code: exchange.CodeInvalidParams, Message: "Tool not found"}
	case errors.Is(err, exchange.ErrPromptNotFound):
		return &protocol.Fault{Code: exchange.CodeInvalidParams, Message: "Prompt not found"}
	case errors.Is(err, exchange.ErrResourceNotFound):
		return &protocol.Fault{Code: wireCode(exchange.CodeResourceNotFound, v), Message: "Resource not found"}
	case errors.Is(err, exchange.ErrUnauthorized):
		return &protocol.Fault{Code: exchange.CodeInternalError, Message: "Unauthorized", Status: http.StatusUnauthorized}
	case errors.Is(err, exchange.ErrForbidden):
		return &protocol.Fault{Code: exchange.CodeInternalError, Message: "Forbidden", Status: http.StatusForbidden}
	}
	return nil
}

// wireCode keeps codes that the protocol reserves, and hasn't defined for this, off
// the wire.
func wireCode(code int, v protocol.Version) int {
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
