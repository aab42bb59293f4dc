// Package fault has the errors that the engine itself answers requests with. They are
// those of framework/exchange, as a handler's own are.
package fault

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// InvalidRequest is for a message that is not what its transport or version takes.
func InvalidRequest(format string, args ...any) *exchange.Error {
	return WithStatus(http.StatusBadRequest, "Invalid request: "+format, args...)
}

// WithStatus is for a request that is refused with that HTTP status.
func WithStatus(status int, format string, args ...any) *exchange.Error {
	code := exchange.CodeInvalidRequest
	if status >= http.StatusInternalServerError {
		code = exchange.CodeInternalError
	}
	return &exchange.Error{Code: code, Message: fmt.Sprintf(format, args...), Status: status}
}

// IDInUse is for a request with the raw id of another that is still running.
func IDInUse(id []byte) *exchange.Error {
	return InvalidRequest("the id %.100s belongs to a request that is still running", id)
}

// InvalidParams is for params that a method doesn't take.
func InvalidParams(format string, args ...any) *exchange.Error {
	return &exchange.Error{Code: exchange.CodeInvalidParams, Message: "Invalid params: " + fmt.Sprintf(format, args...)}
}

// BadEnvelope is for a modern request whose _meta is missing or malformed.
func BadEnvelope(format string, args ...any) *exchange.Error {
	refused := InvalidParams(format, args...)
	refused.Status = http.StatusBadRequest
	return refused
}

// BadSeverity is for a log level that isn't one of the eight.
func BadSeverity() *exchange.Error {
	return InvalidParams("the log level must be debug, info, notice, warning, error, critical, alert or emergency")
}

// HeaderMismatch is for a header that doesn't say what the message says.
func HeaderMismatch(format string, args ...any) *exchange.Error {
	return &exchange.Error{Code: exchange.CodeHeaderMismatch, Message: "Header mismatch: " + fmt.Sprintf(format, args...), Status: http.StatusBadRequest}
}

// MethodNotFound is for a method that there isn't.
func MethodNotFound(method []byte) *exchange.Error {
	return &exchange.Error{Code: exchange.CodeMethodNotFound, Message: fmt.Sprintf("Method not found: %.100s", method), Status: http.StatusNotFound}
}

// ResourceNotFound is for a URI that leads nowhere.
func ResourceNotFound(uri string, v spec.Version) *exchange.Error {
	code := exchange.CodeInvalidParams
	if !v.Modern() {
		code = exchange.CodeResourceNotFound
	}
	return &exchange.Error{Code: code, Message: fmt.Sprintf("Resource not found: %.200s", uri), Data: map[string]string{"uri": uri}}
}

// Unknown is for a name that isn't there. It tells the name that was probably meant, of
// those that the client may see. Kind is such as "tool".
func Unknown(kind, name string, names []string) *exchange.Error {
	message := fmt.Sprintf("Unknown %s %.100q", kind, name)
	if nearest := naming.Nearest(name, names); nearest != "" {
		message += fmt.Sprintf("; did you mean %q?", nearest)
	}
	return &exchange.Error{Code: exchange.CodeInvalidParams, Message: message}
}

// Internal hides what went wrong; the log has it.
func Internal() *exchange.Error {
	return &exchange.Error{Code: exchange.CodeInternalError, Message: "Internal error"}
}

// Unavailable is for what the server takes no more of at the moment.
func Unavailable(format string, args ...any) *exchange.Error {
	return WithStatus(http.StatusServiceUnavailable, format, args...)
}

// Stopping is what clients are told while the server shuts down.
const Stopping = "The server is shutting down; try again later"

// ShuttingDown is for what comes while the server stops.
func ShuttingDown() *exchange.Error { return Unavailable(Stopping) }

// UnsupportedVersion names the versions that would have been accepted.
func UnsupportedVersion(supported spec.Versions, requested []byte) *exchange.Error {
	names := make([]string, len(supported))
	for i, v := range supported {
		names[i] = v.String()
	}
	return &exchange.Error{
		Code:    exchange.CodeUnsupportedProtocolVersion,
		Message: fmt.Sprintf("Unsupported protocol version %.40q; this server speaks %s", requested, supported.AppendNames(nil)),
		Data: struct {
			Supported []string `json:"supported"`
			Requested string   `json:"requested"`
		}{names, string(requested)},
		Status: http.StatusBadRequest,
	}
}

// Malformed is for bytes that [jsonrpc.Message.Scan] refused.
func Malformed(err error) *exchange.Error {
	var scan *jsonrpc.ScanError
	if errors.As(err, &scan) && !scan.Malformed {
		return InvalidRequest("%s", scan.Reason)
	}
	return &exchange.Error{Code: exchange.CodeParseError, Message: "Parse error: " + err.Error(), Status: http.StatusBadRequest}
}

// AppendResponse appends the error response to the request of a raw id; nil leaves the
// member out. Data that doesn't encode is left out.
func AppendResponse(dst, id []byte, refused *exchange.Error) []byte {
	var data []byte
	if refused.Data != nil {
		if encoded, err := codec.Marshal(refused.Data); err == nil {
			data = encoded
		}
	}
	return jsonrpc.AppendError(dst, id, refused.Code, refused.Message, data)
}
