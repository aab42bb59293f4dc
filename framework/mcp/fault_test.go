package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// The error that a client gets for each sentinel and code of a method, in both eras.
func TestErrorsOfAMethodHaveTheirWireForm(t *testing.T) {
	t.Parallel()
	coded := func(code int) error { return &exchange.Error{Code: code, Message: "m"} }
	for _, test := range []struct {
		name                   string
		err                    error
		modern, legacy         int // codes
		message                string
		modernHTTP, legacyHTTP int
	}{
		{"tool not found", exchange.ErrToolNotFound, -32602, -32602, "Tool not found", 200, 200},
		{"prompt not found", exchange.ErrPromptNotFound, -32602, -32602, "Prompt not found", 200, 200},
		{"resource not found", exchange.ErrResourceNotFound, -32602, -32002, "Resource not found", 200, 200},
		{"a tool, with more in the error", fmt.Errorf("hunter2: %w", exchange.ErrToolNotFound), -32602, -32602, "Tool not found", 200, 200},
		{"a prompt, with more", fmt.Errorf("hunter2: %w", exchange.ErrPromptNotFound), -32602, -32602, "Prompt not found", 200, 200},
		{"a resource, with more", fmt.Errorf("hunter2: %w", exchange.ErrResourceNotFound), -32602, -32002, "Resource not found", 200, 200},
		{"unauthorized", exchange.ErrUnauthorized, -32603, -32603, "Unauthorized", 401, 401},
		{"forbidden", fmt.Errorf("hunter2: %w", exchange.ErrForbidden), -32603, -32603, "Forbidden", 403, 403},
		{"connection closed", exchange.ErrConnectionClosed, -32603, -32603, "Internal error", 200, 200},
		{"request timed out", exchange.ErrRequestTimeout, -32603, -32603, "Internal error", 200, 200},
		{"any other", errors.New("hunter2"), -32603, -32603, "Internal error", 200, 200},

		{"parse error", coded(exchange.CodeParseError), -32700, -32700, "m", 200, 200},
		{"invalid request", coded(exchange.CodeInvalidRequest), -32600, -32600, "m", 200, 200},
		{"method not found", coded(exchange.CodeMethodNotFound), -32601, -32601, "m", 200, 200},
		{"invalid params", coded(exchange.CodeInvalidParams), -32602, -32602, "m", 200, 200},
		{"internal error", coded(exchange.CodeInternalError), -32603, -32603, "m", 200, 200},
		{"header mismatch", coded(exchange.CodeHeaderMismatch), -32020, -32020, "m", 200, 200},
		{"missing capability", coded(exchange.CodeMissingClientCapability), -32021, -32600, "m", 400, 200},
		{"unsupported version", coded(exchange.CodeUnsupportedProtocolVersion), -32022, -32022, "m", 200, 200},
		{"resource not found, by its old code", coded(exchange.CodeResourceNotFound), -32602, -32002, "m", 200, 200},
		{"a code of one's own", coded(42), 42, 42, "m", 200, 200},
		{"a negative one", coded(-31999), -31999, -31999, "m", 200, 200},
		{"just below", coded(-32769), -32769, -32769, "m", 200, 200},
		{"reserved", coded(-32000), -32603, -32603, "m", 200, 200},
		{"reserved, which once was unauthorized", coded(-32001), -32603, -32603, "m", 200, 200},
		{"reserved for the protocol", coded(-32099), -32603, -32603, "m", 200, 200},
		{"reserved by JSON-RPC", coded(-32768), -32603, -32603, "m", 200, 200},
		{"a cause beside it", &exchange.Error{Code: 7, Message: "m", Err: exchange.ErrUnauthorized}, 7, 7, "m", 200, 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			box := boxOf(doing("fail", func(context.Context, *tools.Request) (tools.Result, error) { return nil, test.err }))
			box.boot = func(context.Context) error {
				return box.AddMethod("acme/fail", func(context.Context, *exchange.Request) (any, error) { return nil, test.err })
			}
			modern := probeServer(t, mcp.Config{}, box)
			legacy, _ := modern.as("2025-06-18")
			check := func(what string, r reply, code, status int) {
				t.Helper()
				if r.err == nil || r.err.Code != code || r.err.Message != test.message || r.status != status {
					t.Errorf("%s: got %d %s, want %d with the code %d and %q", what, r.status, r.body, status, code, test.message)
				}
				if strings.Contains(r.body, "hunter2") {
					t.Errorf("%s: the reply reveals too much: %s", what, r.body)
				}
			}
			check("modern", modern.ask("acme/fail", nil), test.modern, test.modernHTTP)
			check("legacy", legacy.ask("acme/fail", nil), test.legacy, test.legacyHTTP)

			// The errors of a tool are the same, except internal ones: the model reads
			// that the tool failed.
			if test.message == "Internal error" {
				for _, p := range []*probe{modern, legacy} {
					if text, isError := p.call("fail", nil).text(); !isError || text != generic {
						t.Errorf("%s: a tool answers %q", p.version, text)
					}
				}
				return
			}
			check("modern tool", modern.call("fail", nil), test.modern, test.modernHTTP)
			check("legacy tool", legacy.call("fail", nil), test.legacy, test.legacyHTTP)
		})
	}
}

func TestTheDataOfAnErrorIsSent(t *testing.T) {
	t.Parallel()
	for want, data := range map[string]any{
		`"error":{"code":7,"message":"m","data":{"left":3}}`: map[string]int{"left": 3},
		`"error":{"code":7,"message":"m","data":"none"}`:     "none",
		`"error":{"code":7,"message":"m"}}`:                  nil,
	} {
		fails := func() error { return &exchange.Error{Code: 7, Message: "m", Data: data} }
		box := boxOf(doing("fail", func(context.Context, *tools.Request) (tools.Result, error) { return nil, fails() }))
		box.boot = func(context.Context) error {
			return box.AddMethod("acme/fail", func(context.Context, *exchange.Request) (any, error) { return nil, fails() })
		}
		for _, p := range bothEras(t, mcp.Config{}, box) {
			for what, r := range map[string]reply{"a method": p.ask("acme/fail", nil), "a tool": p.call("fail", nil)} {
				if !strings.Contains(r.body, want) {
					t.Errorf("%s: %s gets %s, want %s", p.version, what, r.body, want)
				}
			}
		}
	}
}

func TestDataThatDoesNotEncodeIsOmitted(t *testing.T) {
	t.Parallel()
	box := boxOf()
	box.boot = func(context.Context) error {
		return box.AddMethod("acme/fail", func(context.Context, *exchange.Request) (any, error) {
			return nil, &exchange.Error{Code: 7, Message: "m", Data: func() {}}
		})
	}
	if r := probeServer(t, mcp.Config{}, box).ask("acme/fail", nil); !strings.Contains(r.body, `"error":{"code":7,"message":"m"}`) {
		t.Errorf("got %s", r.body)
	}
}

func TestDebugShowsAnUnexpectedErrorOfAMethod(t *testing.T) {
	t.Parallel()
	var log logbook
	box := boxOf()
	box.boot = func(context.Context) error {
		return errors.Join(
			box.AddMethod("acme/fail", func(context.Context, *exchange.Request) (any, error) { return nil, errors.New("no such table") }),
			box.AddMethod("acme/list", func(context.Context, *exchange.Request) (any, error) { return []int{1}, nil }),
			box.AddMethod("acme/panic", func(context.Context, *exchange.Request) (any, error) { panic("boom") }),
		)
	}
	p := probeServer(t, mcp.Config{Debug: true, Logger: log.logger()}, box)
	if r := p.ask("acme/fail", nil); r.status != http.StatusOK || r.err == nil || r.err.Message != "Internal error: no such table" {
		t.Errorf("got %d %s", r.status, r.body)
	}
	if r := p.ask("acme/list", nil); r.err == nil || r.err.Code != -32603 || r.err.Message != "Internal error: the result of acme/list: it must encode as a JSON object, not as [1]" {
		t.Errorf("got %s", r.body)
	}
	if r := p.ask("acme/panic", nil); r.err == nil || r.err.Code != -32603 || !strings.HasPrefix(r.err.Message, "Internal error: the handler panicked: boom (fault_test.go:") || !strings.Contains(log.String(), "fault_test.go") {
		t.Errorf("got %s and the log\n%s", r.body, log.String())
	}
}

// Stdio has no status codes.
func TestErrorsOnStdioHaveCodesOnly(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		want string
	}{
		{exchange.ErrUnauthorized, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Unauthorized"}}`},
		{exchange.ErrForbidden, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Forbidden"}}`},
		{exchange.ErrResourceNotFound, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Resource not found"}}`},
	} {
		in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fail","_meta":{` +
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n")
		var out strings.Builder
		if err := mcp.ServeStdio(t.Context(), failing(func() (tools.Result, error) { return nil, test.err }), in, &out); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(out.String()); got != test.want {
			t.Errorf("%v: got %s, want %s", test.err, got, test.want)
		}
	}
}
