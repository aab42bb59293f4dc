package exchange

import (
	"errors"
	"fmt"
	"net/http"
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

	// Status is the HTTP status of the answer, and Header has headers for it. 0 is the
	// status that the protocol has for the code, mostly 200. Clients before 2026-07-28
	// see only 401 and 403, since they read others as the loss of their session. Both
	// are ignored where there is no HTTP, and once the answer streams.
	Status int         `json:"-"`
	Header http.Header `json:"-"`

	// Err is what led to the error. It is only in the log.
	Err error `json:"-"`
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

// A PublicError is an error whose text the client reads: the model as the result of a
// tool with isError set, a client otherwise as a JSON-RPC error with the code -32603.
// The functions Errorf of packages tools, resources and prompts make one. Any other
// error is logged, and the client only reads that something failed.
type PublicError struct{ err error }

// Errorf returns an error whose text the client reads, whatever it asked for. It
// formats like [fmt.Errorf], %w included.
func Errorf(format string, args ...any) error {
	return &PublicError{fmt.Errorf(format, args...)}
}

// Error returns the text.
func (e *PublicError) Error() string { return e.err.Error() }

// Unwrap returns the error that %w named, if any.
func (e *PublicError) Unwrap() error { return e.err }

// An AskError is why Ask has no answer, for a reason that the client may read: that an
// older client refused the question or did not answer in time, or that it can't be
// asked, in which case the error wraps [ErrCannotAsk]. If a context that the handler has
// made ended first, it wraps that one's error, such as context.DeadlineExceeded.
type AskError struct {
	Key    string // of the question
	Reason string
	Err    error // ErrCannotAsk, or that of the handler's own context, or nil
}

// Error returns the reason, with the question.
func (e *AskError) Error() string { return "The question " + e.Key + " has no answer: " + e.Reason }

// Unwrap returns Err.
func (e *AskError) Unwrap() error { return e.Err }
