package exchange

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
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

	// CodeResourceNotFound is the code of [ErrResourceNotFound] for clients older than
	// 2026-07-28. Newer clients get CodeInvalidParams.
	CodeResourceNotFound = -32002
)

// An Error is sent to the client as a JSON-RPC error, with its code, message and data. A
// tool should prefer tools.Error, which the model reads. Codes of your own must be
// outside -32768 to -32000. A code in that range that isn't a constant of this package is
// sent as CodeInternalError.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`

	// Status is the HTTP status of the answer, and Header has additional headers. 0 means
	// the status that the protocol defines for the code, usually 200. Clients older than
	// 2026-07-28 get only the statuses 401 and 403, since they treat others as the loss
	// of their session. Both fields are ignored on other transports, and after the answer
	// has begun to stream.
	Status int         `json:"-"`
	Header http.Header `json:"-"`

	// Err is the cause of the error. It is logged, but not sent.
	Err error `json:"-"`
}

// Error returns the message, and the cause unless the message contains its text.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.Message
	}
	cause := e.Err.Error()
	if strings.Contains(strings.ToLower(e.Message), strings.ToLower(cause)) { // a message may begin with it
		return e.Message
	}
	return e.Message + ": " + cause
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errors that a handler may return or wrap. The client gets:
//
//	ErrToolNotFound, ErrPromptNotFound  -32602
//	ErrResourceNotFound                 -32602, before 2026-07-28 -32002
//	ErrUnauthorized, ErrForbidden       HTTP status 401 or 403; -32603 elsewhere
//	ErrInputRequired                    the client is asked; not a failure
//	ErrCannotAsk                        -32021; before 2026-07-28 -32600, or isError if a tool asks
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

	// ErrInputRequired is returned by Ask if the client must answer first. Return it
	// unchanged: the client answers, and Handle is called again.
	ErrInputRequired = errors.New("the client is asked first")

	// ErrCannotAsk is wrapped by Ask's error if the client can't be asked.
	ErrCannotAsk = errors.New("the client can't be asked")
)

// A PublicError is an error whose text the client reads. From a tool it becomes a result
// with isError set, which the model reads; otherwise it becomes a JSON-RPC error with the
// code -32603. The Errorf functions of packages tools, resources and prompts make one.
// Any other error is logged, and the client reads only that something failed.
type PublicError struct{ err error }

// Errorf returns an error whose text the client reads, whatever the method. It formats
// like [fmt.Errorf], including %w.
func Errorf(format string, args ...any) error {
	return &PublicError{fmt.Errorf(format, args...)}
}

// Error returns the text.
func (e *PublicError) Error() string { return e.err.Error() }

// Unwrap returns the error that %w wrapped, if any.
func (e *PublicError) Unwrap() error { return e.err }

// An AskError says why Ask has no answer; the client may read its text. An older client
// refused the question, did not answer in time, or can't be asked. In the last case the
// error wraps [ErrCannotAsk]. If a context made by the handler ended first, it wraps that
// context's error, such as context.DeadlineExceeded.
type AskError struct {
	Key    string // identifies the question
	Reason string
	Err    error // ErrCannotAsk, the error of a context made by the handler, or nil
}

// Error returns the question's key and the reason.
func (e *AskError) Error() string { return "The question " + e.Key + " has no answer: " + e.Reason }

// Unwrap returns Err.
func (e *AskError) Unwrap() error { return e.Err }
