package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// failing is a server whose tool calls a function of the test.
func failing(handle func() (tools.Result, error)) *toolbox {
	return boxOf(doing("fail", func(context.Context, *tools.Request) (tools.Result, error) { return handle() }))
}

const generic = "The tool fail failed. The server's log says why."

func TestFailuresOfAToolReachTheModel(t *testing.T) {
	t.Parallel()
	secret := errors.New("password is hunter2")
	for _, test := range []struct {
		name   string
		handle func() (tools.Result, error)
		want   string // what the model reads
		debug  string // likewise, with Config.Debug
		logged string // preceded by the level
	}{
		{"a result", func() (tools.Result, error) { return tools.Error("No such city."), nil }, "No such city.", "No such city.", ""},
		{"an error for the model", func() (tools.Result, error) { return nil, tools.Errorf("No city %q.", "X") }, `No city "X".`, `No city "X".`, "level=INFO msg=call"},
		{"one that wraps a cause", func() (tools.Result, error) { return nil, tools.Errorf("No: %w", secret) }, "No: password is hunter2", "No: password is hunter2", "level=INFO msg=call"},
		{"one that is wrapped", func() (tools.Result, error) { return nil, fmt.Errorf("hunter2: %w", tools.Errorf("No.")) }, "No.", "No.", "hunter2"},
		{"any other error", func() (tools.Result, error) { return nil, secret }, generic, "The tool fail failed: password is hunter2", "level=ERROR"},
		{"an error beside a result", func() (tools.Result, error) { return tools.Text("fine"), secret }, generic, "The tool fail failed: password is hunter2", "hunter2"},
		{"a panic", func() (tools.Result, error) { panic("hunter2") }, generic, "The tool fail failed: the handler panicked: hunter2 (tool_error_test.go:39)", "tool_error_test.go"},
		{"a panic with an error", func() (tools.Result, error) { panic(secret) }, generic, "The tool fail failed: the handler panicked: password is hunter2 (tool_error_test.go:40)", "outcome=panicked"},
		{"a stream that is nil", func() (tools.Result, error) { return tools.Stream(nil), nil }, generic, "The tool fail failed: Handle returned neither a result nor an error; return a result, such as tools.Text(\"done\")", "level=ERROR"},
		{"an iterator that is nil", func() (tools.Result, error) { return tools.Seq(nil), nil }, generic, "The tool fail failed: Handle returned neither a result nor an error; return a result, such as tools.Text(\"done\")", "level=ERROR"},
		{"a nil pointer", func() (tools.Result, error) { var s *toolbox; return tools.Text(s.tools[0].Name()), nil }, generic, "The tool fail failed: the handler panicked: runtime error: invalid memory address or nil pointer dereference (tool_error_test.go:43)", "nil pointer dereference"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, debug := range []bool{false, true} {
				for _, version := range []string{"2026-07-28", "2025-11-25"} {
					var log logbook
					p, _ := probeServer(t, mcp.Config{Logger: log.logger(), Debug: debug}, failing(test.handle)).as(version)
					r := p.call("fail", nil)
					text, isError := r.text()
					if want := map[bool]string{false: test.want, true: test.debug}[debug]; r.status != 200 || !isError || text != want {
						t.Errorf("%s, debug %t: got %d, isError %t, %q; want %q", version, debug, r.status, isError, text, want)
					}
					if !strings.Contains(log.String(), test.logged) {
						t.Errorf("%s: the log does not say %q:\n%s", version, test.logged, log.String())
					}
					if strings.Contains(r.body, "goroutine") || !debug && test.want == generic && strings.Contains(r.body, "hunter2") {
						t.Errorf("%s: the reply reveals too much: %s", version, r.body)
					}
				}
			}
		})
	}
}

func TestACallAfterAPanicIsServed(t *testing.T) {
	t.Parallel()
	broken := true
	p := probeServer(t, mcp.Config{}, failing(func() (tools.Result, error) {
		if broken {
			panic("boom")
		}
		return tools.Text("fine"), nil
	}))
	p.call("fail", nil)
	broken = false
	if text, isError := p.call("fail", nil).text(); isError || text != "fine" {
		t.Errorf("got %q", text)
	}
}

func TestFieldsOfAnErrorReachPrograms(t *testing.T) {
	t.Parallel()
	p := probeServer(t, mcp.Config{}, failing(func() (tools.Result, error) {
		return tools.Error("No such page.").With(map[string]any{"success": false, "code": "NOT_FOUND"}), nil
	}))
	const want = `{"resultType":"complete","content":[{"type":"text","text":"No such page."},{"type":"text","text":"{\"code\":\"NOT_FOUND\",\"success\":false}"}],` +
		`"structuredContent":{"code":"NOT_FOUND","success":false},"isError":true`
	if r := p.call("fail", nil); !strings.HasPrefix(r.result, want) {
		t.Errorf("got\n%s\nwant\n%s", r.result, want)
	}
}

// promiseTool has an output schema, and a result that may violate it.
type promiseTool struct {
	plain
	result tools.Result
}

func (*promiseTool) OutputSchema(s *schema.Object) { s.Integer("n").Min(1).Required() }

func (p *promiseTool) Handle(context.Context, *tools.Request) (tools.Result, error) {
	return p.result, nil
}

func TestAResultThatViolatesTheOutputSchemaIsAFailedCall(t *testing.T) {
	t.Parallel()
	const broken = "The tool promise failed. The server's log says why."
	for _, test := range []struct {
		name   string
		result tools.Result
		want   string
		logged string
	}{
		{"kept", tools.Structured(map[string]int{"n": 3}), `{"n":3}`, "outcome=ok"},
		{"broken", tools.Structured(map[string]int{"n": 0}), broken, "the result breaks the tool's output schema: "},
		{"broken by a name", tools.Structured(map[string]int{"m": 1}), broken, "/n: required"},
		{"not structured at all", tools.Text("3"), broken, "the result has no structured content, but the tool has an output schema; return tools.Structured"},
		{"an error is not checked", tools.Error("No."), "No.", "outcome=refused"},
		{"an error's fields are not checked", tools.Error("No.").With(map[string]any{"n": 0}), "No.\n{\"n\":0}", "outcome=refused"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var log logbook
			text, _ := probeServer(t, mcp.Config{Logger: log.logger()}, boxOf(&promiseTool{result: test.result})).call("promise", nil).text()
			if text != test.want || !strings.Contains(log.String(), test.logged) {
				t.Errorf("got %q, want %q, and the log\n%s", text, test.want, log.String())
			}
		})
	}
}

func TestAProtocolErrorOfAToolIsAJSONRPCError(t *testing.T) {
	t.Parallel()
	failure := &exchange.Error{Code: -12, Message: "Out of paper", Data: map[string]int{"tray": 2}, Err: errors.New("sensor 7")}
	for _, version := range []string{"2026-07-28", "2025-11-25", "2024-11-05"} {
		p, _ := probeServer(t, mcp.Config{}, failing(func() (tools.Result, error) { return nil, fmt.Errorf("printing: %w", failure) })).as(version)
		r := p.call("fail", nil)
		if r.status != 200 || !strings.Contains(r.body, `"error":{"code":-12,"message":"Out of paper","data":{"tray":2}}`) || strings.Contains(r.body, "sensor") {
			t.Errorf("%s: got %d %s", version, r.status, r.body)
		}
	}
}

func TestAnUnknownToolIsAProtocolErrorThatNamesTheNearest(t *testing.T) {
	t.Parallel()
	p := probeServer(t, mcp.Config{}, boxOf(saying("search-pages", "")))
	if r := p.call("serach-pages", nil); r.err == nil || r.err.Code != -32602 || r.err.Message != `Unknown tool "serach-pages"; did you mean "search-pages"?` {
		t.Errorf("got %s", r.body)
	}
	if r := p.call("delete", nil); r.err == nil || r.err.Code != -32602 || r.err.Message != `Unknown tool "delete"` {
		t.Errorf("got %s", r.body)
	}
}

func TestMissingArgumentsAreNone(t *testing.T) {
	t.Parallel()
	p := probeServer(t, mcp.Config{}, boxOf(saying("hello", "Hello.")))
	if text, isError := p.ask("tools/call", params{"name": "hello"}).text(); isError || text != "Hello." {
		t.Errorf("got %q", text)
	}
	for _, wrong := range []any{[]int{}, "x", 3} {
		if r := p.ask("tools/call", params{"name": "hello", "arguments": wrong}); r.err == nil || r.err.Code != -32602 {
			t.Errorf("%v: got %s", wrong, r.body)
		}
	}
}
