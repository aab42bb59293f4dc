package protocol

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"

	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A Tool is a tool as the engine knows it. Everything that registration can
// resolve is resolved in it.
type Tool struct {
	Item
	Headers []ParamHeader

	// Handle runs the tool. Arguments is a raw object. A fault is an answer too.
	Handle func(call *Call, arguments []byte) (ToolResult, *Fault)
}

// A Block is a content block, which appends itself in its newest shape.
type Block interface {
	AppendJSON(dst []byte) []byte
}

// A ToolResult is what a tool's handler gives.
type ToolResult struct {
	Content    []Block
	Structured []byte // raw JSON, nil if none; mirrored as text if there is no content
	Meta       []byte // raw object, nil if none
	IsError    bool
}

// textBlock is a block of plain text.
type textBlock string

// AppendJSON appends the block.
func (t textBlock) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"type":"text","text":`...)
	return append(codec.AppendQuote(dst, string(t)), '}')
}

// callTool answers tools/call.
func (c *Core) callTool(call *Call, r *Registry) {
	m := call.Message()
	name, ok := jsonrpc.Text(m.Name)
	if !ok {
		call.fail(invalidParams("Invalid params: the member \"name\" must be the name of a tool"))
		return
	}
	arguments := m.Arguments
	if arguments == nil {
		arguments = []byte("{}")
	}
	if !jsonrpc.IsObject(arguments) {
		call.fail(invalidParams("Invalid params: the member \"arguments\" must be an object"))
		return
	}
	tool, ok := r.tools.find(call.parent, name)
	if !ok {
		call.fail(unknown("tool", string(name), r.tools.shown(call.parent)))
		return
	}
	call.name, call.key = tool.Key, tool.Key
	call.allow(tool.Timeout)
	if http := call.HTTP(); http != nil && call.peer.Version.Modern() {
		for _, binding := range tool.Headers {
			if fault := binding.check(http.Header, arguments); fault != nil {
				call.fail(fault)
				return
			}
		}
	}
	if fault := c.openRounds(call); fault != nil {
		call.fail(fault)
		return
	}
	result, fault := c.runTool(call, tool, arguments)
	if c.finishAsking(call) {
		return
	}
	if fault != nil {
		call.fail(fault)
		return
	}
	c.finishTool(call, outcomeOf(result), result)
}

// outcomeOf returns the outcome of a call that has a result.
func outcomeOf(result ToolResult) Outcome {
	if result.IsError {
		return OutcomeToolError
	}
	return OutcomeOK
}

// unknown is the fault for a name that isn't there. It tells the name that was
// probably meant, of those that the client may see.
func unknown(kind, name string, names []string) *Fault {
	message := fmt.Sprintf("Unknown %s %.100q", kind, name)
	if nearest := naming.Nearest(name, names); nearest != "" {
		message += fmt.Sprintf("; did you mean %q?", nearest)
	}
	return &Fault{Code: jsonrpc.InvalidParams, Message: message}
}

// runTool runs a tool under a watchdog.
func (c *Core) runTool(call *Call, tool *Tool, arguments []byte) (result ToolResult, fault *Fault) {
	returned := false
	defer func() {
		panicked := recover()
		exits := !returned && panicked == nil
		if exits {
			panicked = errExits
		}
		if c.ended(call, panicked) {
			text := textBlock("The tool " + tool.Key + " failed. The server's log says why.")
			result, fault = ToolResult{Content: []Block{text}, IsError: true}, nil
		}
		if exits { // nothing after this runs
			call.reply.Late()
			c.finishTool(call, OutcomeToolError, result)
		}
	}()
	result, fault = tool.Handle(call, arguments)
	returned = true
	return result, fault
}

// ended takes the watchdog off a call whose handler has returned. It reports
// whether the handler panicked, which is logged with the stack.
func (c *Core) ended(call *Call, panicked any) bool {
	if panicked != nil {
		c.logger.Error("a handler panicked", "method", string(call.Message().Method), "tool", call.name,
			"panic", fmt.Sprint(panicked), "stack", string(debug.Stack()))
		call.problem = fmt.Errorf("the handler panicked: %v", panicked)
	}
	call.release()
	return panicked != nil
}

// finishTool answers a tools/call.
func (c *Core) finishTool(call *Call, outcome Outcome, result ToolResult) {
	frame := jsonrpc.NewFrame()
	b := jsonrpc.AppendResult(frame.Open(), call.Message().ID)
	b = c.appendToolResult(b, call.peer.Version, result)
	frame.Close(jsonrpc.AppendEnd(b))
	call.finish(outcome, http.StatusOK, frame)
}

func (c *Core) appendToolResult(b []byte, v Version, result ToolResult) []byte {
	b = append(b, '{')
	if v.Modern() {
		b = append(b, `"resultType":"complete",`...)
	}
	b = append(b, `"content":[`...)
	if result.Content == nil && result.Structured != nil {
		b = append(b, `{"type":"text","text":`...)
		b = append(codec.AppendQuotedJSON(b, result.Structured), '}')
	}
	for i, block := range result.Content {
		if i > 0 {
			b = append(b, ',')
		}
		if v >= Version20251125 {
			b = block.AppendJSON(b)
		} else {
			b = append(b, downgradeBlock(block.AppendJSON(nil), v)...)
		}
	}
	b = append(b, ']')
	if result.Structured != nil && (v.Modern() || v >= Version20250618 && jsonrpc.IsObject(result.Structured)) {
		b = append(b, `,"structuredContent":`...)
		b = append(b, result.Structured...)
	}
	if result.IsError {
		b = append(b, `,"isError":true`...)
	}
	return append(c.appendMeta(b, v, result.Meta), '}')
}

// appendMeta appends the member _meta of a result: the handler's own, and in the
// modern era who the server is.
func (c *Core) appendMeta(b []byte, v Version, own []byte) []byte {
	switch {
	case !v.Modern() && len(own) <= 2:
		return b
	case !v.Modern():
		return append(append(b, `,"_meta":`...), own...)
	case len(own) <= 2:
		return append(b, c.identity.metaMember...)
	}
	meta := parseObject(own)
	meta.set(metaServerInfo, c.identity.modern)
	return meta.append(append(b, `,"_meta":`...))
}

var errExits = errors.New("the handler called runtime.Goexit, as testing.T.FailNow does")
