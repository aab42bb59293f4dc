package exchange

import (
	"errors"
	"fmt"
)

// The codes of JSON-RPC 2.0.
const (
	CodeParseError     = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternalError  = -32603
)

// The codes of MCP.
const (
	CodeHeaderMismatch             = -32020
	CodeMissingClientCapability    = -32021
	CodeUnsupportedProtocolVersion = -32022

	// CodeResourceNotFound is what clients before 2026-07-28 get for
	// [ErrResourceNotFound]; newer ones get CodeInvalidParams.
	CodeResourceNotFound = -32002
)

// An Error is an error that the client gets as a JSON-RPC error, with its code,
// message and data. A tool should rather fail by tools.Error, which the model can
// read. Codes of your own lie outside -32768 to -32000; one inside that isn't a
// constant of this package is sent as CodeInternalError.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
	Err     error  `json:"-"` // what led to it; only in the log
}

// Error returns the message and what led to it.
func (e *Error) Error() string {
	if e.Err != nil && e.Err.Error() != e.Message {
		return fmt.Sprintf("%s: %v", e.Message, e.Err)
	}
	return e.Message
}

// Unwrap returns what led to the error.
func (e *Error) Unwrap() error { return e.Err }

// Errors that a handler may return, or wrap, for what they say. How they reach the
// client:
//
//	ErrToolNotFound, ErrPromptNotFound  -32602
//	ErrResourceNotFound                 -32602, before 2026-07-28 -32002
//	ErrUnauthorized, ErrForbidden       HTTP status 401 or 403; -32603 elsewhere
//	ErrInputRequired                    the client is asked; it is no failure
//	ErrCannotAsk                        -32021; before 2026-07-28 -32600, of a tool a text
//	ErrConnectionClosed                 never sent
//	ErrRequestTimeout                   never sent as such: -32603
var (
	ErrToolNotFound     = errors.New("tool not found")
	ErrPromptNotFound   = errors.New("prompt not found")
	ErrResourceNotFound = errors.New("resource not found")
	ErrUnauthorized     = errors.New("unauthorized")
	ErrForbidden        = errors.New("forbidden")
	ErrConnectionClosed = errors.New("connection closed")
	ErrRequestTimeout   = errors.New("request timed out")

	// ErrInputRequired is what Ask returns when the client has to be asked first.
	// Return it as it is: the client answers, and Handle is called again.
	ErrInputRequired = errors.New("the client is asked first")

	// ErrCannotAsk is in the chain of Ask's error when the client can't be asked.
	ErrCannotAsk = errors.New("the client can't be asked")
)
