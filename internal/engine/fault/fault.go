// Package fault makes the JSON-RPC errors of the engine itself, such as "Method not found".
// They have the type that handlers return too, exchange.Error.
package fault

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// InvalidRequest returns the error for a message that the transport or the protocol
// version doesn't allow.
func InvalidRequest(format string, args ...any) *exchange.Error {
	return WithStatus(http.StatusBadRequest, "Invalid request: "+format, args...)
}

// WithStatus returns the error for a request that is refused with an HTTP status.
func WithStatus(status int, format string, args ...any) *exchange.Error {
	code := exchange.CodeInvalidRequest
	if status >= http.StatusInternalServerError {
		code = exchange.CodeInternalError
	}
	return &exchange.Error{Code: code, Message: fmt.Sprintf(format, args...), Status: status}
}

// TryAgain returns an error with a header Retry-After, which says when the client may try
// again.
func TryAgain(after time.Duration, status int, format string, args ...any) *exchange.Error {
	refusal := WithStatus(status, format, args...)
	refusal.Header = http.Header{"Retry-After": {strconv.Itoa(int(after.Seconds()))}}
	return refusal
}

// IDInUse returns the error for a request whose raw id belongs to a running request.
func IDInUse(id []byte) *exchange.Error {
	return InvalidRequest("the id %.100s belongs to a request that is still running", id)
}

// InvalidParams returns the error for invalid params.
func InvalidParams(format string, args ...any) *exchange.Error {
	return &exchange.Error{Code: exchange.CodeInvalidParams, Message: "Invalid params: " + fmt.Sprintf(format, args...)}
}

// BadEnvelope returns the error for a modern request whose _meta is missing or malformed.
func BadEnvelope(format string, args ...any) *exchange.Error {
	refusal := InvalidParams(format, args...)
	refusal.Status = http.StatusBadRequest
	return refusal
}

// BadSeverity returns the error for an unknown log level.
func BadSeverity() *exchange.Error {
	return InvalidParams("the log level must be debug, info, notice, warning, error, critical, alert or emergency")
}

// HeaderMismatch returns the error for a header that contradicts the message.
func HeaderMismatch(format string, args ...any) *exchange.Error {
	return &exchange.Error{Code: exchange.CodeHeaderMismatch, Message: "Header mismatch: " + fmt.Sprintf(format, args...), Status: http.StatusBadRequest}
}

// MethodNotFound returns the error for an unknown method.
func MethodNotFound(method []byte) *exchange.Error {
	return &exchange.Error{Code: exchange.CodeMethodNotFound, Message: fmt.Sprintf("Method not found: %.100s", method), Status: http.StatusNotFound}
}

// MissingExtension returns the error for a client that doesn't declare an extension. The code is
// for modern clients; older versions have none.
func MissingExtension(identifier string, v spec.Version) *exchange.Error {
	if !v.Modern() {
		return InvalidRequest("this needs the extension %s, which the client didn't declare when it sent initialize", identifier)
	}
	return &exchange.Error{
		Code: exchange.CodeMissingClientCapability, Message: fmt.Sprintf("This needs the extension %s, which the client doesn't declare", identifier),
		Data:   map[string]any{"requiredCapabilities": map[string]any{"extensions": map[string]any{identifier: struct{}{}}}},
		Status: http.StatusBadRequest,
	}
}

// ResourceNotFound returns the error for a URI that no resource has.
func ResourceNotFound(uri string, v spec.Version) *exchange.Error {
	code := exchange.CodeInvalidParams
	if !v.Modern() {
		code = exchange.CodeResourceNotFound
	}
	return &exchange.Error{Code: code, Message: fmt.Sprintf("Resource not found: %.200s", uri), Data: map[string]string{"uri": uri}}
}

// Unknown returns the error for an unknown name of a kind, such as "tool". It suggests the
// most similar of names, all of which must be visible to the client.
func Unknown(kind, name string, names []string) *exchange.Error {
	message := fmt.Sprintf("Unknown %s %.100q", kind, name)
	if nearest := naming.Nearest(name, names); nearest != "" {
		message += fmt.Sprintf("; did you mean %q?", nearest)
	}
	return &exchange.Error{Code: exchange.CodeInvalidParams, Message: message}
}

// Internal returns an error that hides the cause from the client. The cause is logged.
func Internal() *exchange.Error {
	return &exchange.Error{Code: exchange.CodeInternalError, Message: "Internal error"}
}

// Unavailable returns the error for a request that the server can't serve at the moment.
func Unavailable(format string, args ...any) *exchange.Error {
	return WithStatus(http.StatusServiceUnavailable, format, args...)
}

// Stopping is the message of errors while the server shuts down.
const Stopping = "The server is shutting down; try again later"

// ShuttingDown returns the error for a request that arrives while the server shuts down. It
// asks an HTTP client to use another connection, since this one will be closed.
func ShuttingDown() *exchange.Error {
	refusal := TryAgain(limits.RetryBusy, http.StatusServiceUnavailable, Stopping)
	refusal.Header.Set("Connection", "close")
	return refusal
}

// UnsupportedVersion returns the error for a version that the server doesn't support. It
// lists the supported ones.
func UnsupportedVersion(supported spec.Versions, requested []byte) *exchange.Error {
	names := make([]string, len(supported))
	for i, v := range supported {
		names[i] = v.String()
	}
	return &exchange.Error{
		Code:    exchange.CodeUnsupportedProtocolVersion,
		Message: fmt.Sprintf("Unsupported protocol version %.40q; this server supports %s", requested, supported.AppendNames(nil)),
		Data: struct {
			Supported []string `json:"supported"`
			Requested string   `json:"requested"`
		}{names, string(requested)},
		Status: http.StatusBadRequest,
	}
}

// Malformed returns the error for bytes that [jsonrpc.Message.Scan] refused.
func Malformed(err error) *exchange.Error {
	var scan *jsonrpc.ScanError
	if errors.As(err, &scan) && !scan.Malformed {
		return InvalidRequest("%s", scan.Reason)
	}
	return &exchange.Error{Code: exchange.CodeParseError, Message: "Parse error: " + err.Error(), Status: http.StatusBadRequest}
}

// AppendResponse appends the error response to the request with a raw id. It omits a nil id,
// and data that can't be encoded.
func AppendResponse(dst, id []byte, refusal *exchange.Error) []byte {
	var data []byte
	if refusal.Data != nil {
		if encoded, err := codec.Marshal(refusal.Data); err == nil {
			data = encoded
		}
	}
	return jsonrpc.AppendError(dst, id, refusal.Code, refusal.Message, data)
}
