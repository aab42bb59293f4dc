package protocol

import (
	"fmt"
	"net/http"

	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/jsonrpc"
)

// The error codes that MCP adds to those of JSON-RPC.
const (
	CodeHeaderMismatch             = -32020
	CodeMissingClientCapability    = -32021
	CodeUnsupportedProtocolVersion = -32022
)

// A Fault is an answer that is a JSON-RPC error. Data is raw JSON and may be nil.
// Status is the HTTP status that goes with it in the modern era; zero means 200,
// for errors of a feature rather than of the request.
type Fault struct {
	Code    int
	Message string
	Data    []byte
	Status  int
}

// Error returns the message.
func (f *Fault) Error() string { return f.Message }

func invalidRequest(format string, args ...any) *Fault {
	return &Fault{Code: jsonrpc.InvalidRequest, Message: fmt.Sprintf(format, args...), Status: http.StatusBadRequest}
}

func idTaken(id []byte) *Fault {
	return invalidRequest("Invalid request: the id %.100s belongs to a request that is still running", id)
}

// badEnvelope is for a modern request whose _meta is missing or malformed.
func badEnvelope(format string, args ...any) *Fault {
	return &Fault{Code: jsonrpc.InvalidParams, Message: fmt.Sprintf(format, args...), Status: http.StatusBadRequest}
}

func invalidParams(format string, args ...any) *Fault {
	return &Fault{Code: jsonrpc.InvalidParams, Message: fmt.Sprintf(format, args...)}
}

func headerMismatch(format string, args ...any) *Fault {
	return &Fault{Code: CodeHeaderMismatch, Message: "Header mismatch: " + fmt.Sprintf(format, args...), Status: http.StatusBadRequest}
}

func methodNotFound(method []byte) *Fault {
	return &Fault{Code: jsonrpc.MethodNotFound, Message: fmt.Sprintf("Method not found: %.100s", method), Status: http.StatusNotFound}
}

// internalError hides what went wrong; the log has it.
func internalError() *Fault {
	return &Fault{Code: jsonrpc.InternalError, Message: "Internal error"}
}

// unavailable is for what the server takes no more of at the moment.
func unavailable(format string, args ...any) *Fault {
	return &Fault{Code: jsonrpc.InternalError, Message: fmt.Sprintf(format, args...), Status: http.StatusServiceUnavailable}
}

// Stopping is what clients are told while the server shuts down.
const Stopping = "The server is shutting down; try again later"

func shuttingDown() *Fault { return unavailable(Stopping) }

// unsupportedVersion names the versions that would have been accepted.
func unsupportedVersion(supported Versions, requested []byte) *Fault {
	data := append([]byte(`{"supported":`), supported.appendNames(nil)...)
	data = append(data, `,"requested":`...)
	data = append(codec.AppendQuote(data, requested), '}')
	return &Fault{
		Code:    CodeUnsupportedProtocolVersion,
		Message: fmt.Sprintf("Unsupported protocol version %.40q; this server speaks %s", requested, supported.appendNames(nil)),
		Data:    data,
		Status:  http.StatusBadRequest,
	}
}

// scanFault is the answer to bytes that are not a message.
func scanFault(err error) *Fault {
	fault := &Fault{Code: jsonrpc.ParseError, Message: "Parse error: " + err.Error(), Status: http.StatusBadRequest}
	if scan, ok := err.(*jsonrpc.ScanError); ok && scan.Code == jsonrpc.InvalidRequest { //nolint:errorlint // Scan returns it bare
		fault.Code, fault.Message = scan.Code, "Invalid request: "+scan.Reason
	}
	return fault
}
