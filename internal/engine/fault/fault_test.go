package fault_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/spec"
)

func TestErrorsHaveTheirCodesStatusesAndTexts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		refusal *exchange.Error
		status  int
		want    string
	}{
		"invalid request": {fault.InvalidRequest("send %d message", 1), 400, `{"code":-32600,"message":"Invalid request: send 1 message"}`},
		"client's status": {fault.WithStatus(406, "No %s.", "stream"), 406, `{"code":-32600,"message":"No stream."}`},
		"server's status": {fault.WithStatus(500, "Broken."), 500, `{"code":-32603,"message":"Broken."}`},
		"id in use":       {fault.IDInUse([]byte(`"a"`)), 400, `{"code":-32600,"message":"Invalid request: the id \"a\" belongs to a request that is still running"}`},
		"invalid params":  {fault.InvalidParams("no %q", "uri"), 0, `{"code":-32602,"message":"Invalid params: no \"uri\""}`},
		"bad envelope":    {fault.BadEnvelope("no %q", "_meta"), 400, `{"code":-32602,"message":"Invalid params: no \"_meta\""}`},
		"bad severity":    {fault.BadSeverity(), 0, `{"code":-32602,"message":"Invalid params: the log level must be debug, info, notice, warning, error, critical, alert or emergency"}`},
		"header mismatch": {fault.HeaderMismatch("%s is missing", "Mcp-Name"), 400, `{"code":-32020,"message":"Header mismatch: Mcp-Name is missing"}`},
		"no method":       {fault.MethodNotFound([]byte("acme/x")), 404, `{"code":-32601,"message":"Method not found: acme/x"}`},
		"no resource":     {fault.ResourceNotFound("a://b", spec.Newest), 0, `{"code":-32602,"message":"Resource not found: a://b","data":{"uri":"a://b"}}`},
		"no old resource": {fault.ResourceNotFound("a://b", spec.Version20251125), 0, `{"code":-32002,"message":"Resource not found: a://b","data":{"uri":"a://b"}}`},
		"unknown":         {fault.Unknown("tool", "zzz", []string{"echo"}), 0, `{"code":-32602,"message":"Unknown tool \"zzz\""}`},
		"misspelt":        {fault.Unknown("tool", "ecoh", []string{"echo", "add"}), 0, `{"code":-32602,"message":"Unknown tool \"ecoh\"; did you mean \"echo\"?"}`},
		"internal":        {fault.Internal(), 0, `{"code":-32603,"message":"Internal error"}`},
		"unavailable":     {fault.Unavailable("Full."), 503, `{"code":-32603,"message":"Full."}`},
		"shutting down":   {fault.ShuttingDown(), 503, `{"code":-32603,"message":"The server is shutting down; try again later"}`},
		"unsupported": {
			fault.UnsupportedVersion(spec.Versions{spec.Newest}, []byte("2030-01-01")), 400,
			`{"code":-32022,"message":"Unsupported protocol version \"2030-01-01\"; this server supports [\"2026-07-28\"]","data":{"supported":["2026-07-28"],"requested":"2030-01-01"}}`,
		},
		"not JSON":               {malformed(`{`), 400, `{"code":-32700,"message":"Parse error: the message ends after 1 bytes, where a member's name should be"}`},
		"not a JSON-RPC message": {malformed(`{"jsonrpc":"1.0","id":1,"method":"a"}`), 400, `{"code":-32600,"message":"Invalid request: the member \"jsonrpc\" must be \"2.0\""}`},
		"another error":          {fault.Malformed(errors.New("cut")), 400, `{"code":-32700,"message":"Parse error: cut"}`},
	} {
		got := string(fault.AppendResponse(nil, []byte("7"), test.refusal))
		if want := `{"jsonrpc":"2.0","id":7,"error":` + test.want + `}`; got != want || test.refusal.Status != test.status {
			t.Errorf("%s: got the status %d and\n%s\nwant %d and\n%s", name, test.refusal.Status, got, test.status, want)
		}
	}
}

// malformed returns the error for a message that the scanner refuses.
func malformed(text string) *exchange.Error {
	var m jsonrpc.Message
	return fault.Malformed(m.Scan([]byte(text)))
}

func TestTextsOfClientsAreTruncated(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 10_000)
	for name, refusal := range map[string]*exchange.Error{
		"id": fault.IDInUse([]byte(long)), "method": fault.MethodNotFound([]byte(long)), "URI": fault.ResourceNotFound(long, spec.Newest),
		"name": fault.Unknown("tool", long, []string{"echo"}), "version": fault.UnsupportedVersion(spec.Versions{spec.Newest}, []byte(long)),
	} {
		if len(refusal.Message) > 300 {
			t.Errorf("%s: the message has %d bytes", name, len(refusal.Message))
		}
	}
}

func TestAResponseOmitsAbsentMembers(t *testing.T) {
	t.Parallel()
	for want, refusal := range map[string]*exchange.Error{
		`{"jsonrpc":"2.0","error":{"code":7,"message":"No."}}`:            {Code: 7, Message: "No."},
		`{"jsonrpc":"2.0","error":{"code":8,"message":"No."}}`:            {Code: 8, Message: "No.", Data: func() {}}, // can't be encoded
		`{"jsonrpc":"2.0","error":{"code":9,"message":"No.","data":[1]}}`: {Code: 9, Message: "No.", Data: []int{1}, Err: errors.New("secret")},
	} {
		if got := string(fault.AppendResponse(nil, nil, refusal)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
