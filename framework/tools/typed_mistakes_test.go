package tools_test

import (
	"context"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// described is embedded by the tools of this file, which have mistakes elsewhere.
type described struct{}

func (described) Description() string { return "Is described." }

type (
	lacksCall struct {
		tools.Typed[addIn, *addOut]
		described
	}
	misnamesCall struct {
		tools.Typed[addIn, map[string][]addOut]
		described
	}
	otherArguments struct {
		tools.Typed[addIn, addOut]
		described
	}
	lacksRequest struct {
		tools.Typed[addIn, tools.Result]
		described
	}
	ofValue struct {
		tools.Typed[addIn, addOut]
		described
	}
	ofValueWithoutCall struct {
		tools.Typed[addIn, addOut]
		described
	}
	hasHandle struct {
		tools.Typed[addIn, addOut]
		described
	}
	unencodable struct {
		tools.Typed[addIn, struct {
			C chan int `json:"c"`
		}]
		described
	}
	withHooks struct {
		tools.Typed[hooks, string]
		described
	}
	misspelled struct {
		tools.Typed[addIn, string]
		described
	}
	numbers struct {
		tools.Typed[int, string]
		described
	}
)

// hooks are arguments with a method of a tool.
type hooks struct {
	A int `json:"a"`
}

func (hooks) Schema(*schema.Object) {}

func (*misnamesCall) Run(context.Context, *tools.Request, addIn) (map[string][]addOut, error) {
	return nil, nil
}
func (*otherArguments) Call(context.Context, *tools.Request, addOut) (addOut, error) {
	return addOut{}, nil
}
func (*lacksRequest) Call(context.Context, addIn) (tools.Result, error)        { return tools.Text(""), nil }
func (*ofValue) Call(context.Context, *tools.Request, addIn) (addOut, error)   { return addOut{}, nil }
func (*hasHandle) Call(context.Context, *tools.Request, addIn) (addOut, error) { return addOut{}, nil }
func (*hasHandle) Handle(context.Context, *tools.Request) (tools.Result, error) {
	return tools.Text(""), nil
}
func (*withHooks) Call(context.Context, *tools.Request, hooks) (string, error)  { return "", nil }
func (*misspelled) Call(context.Context, *tools.Request, addIn) (string, error) { return "", nil }
func (*misspelled) Guardrail() string                                           { return "" }
func (*numbers) Call(context.Context, *tools.Request, int) (string, error)      { return "", nil }
func (*unencodable) Call(context.Context, *tools.Request, addIn) (out struct {
	C chan int `json:"c"`
}, err error,
) {
	return out, nil
}

func TestMistakesInTypedToolsAreFoundAtRegistration(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tool servers.Tool
		want string
	}{
		"no Call":          {&lacksCall{}, "it embeds tools.Typed and has no method Call; write: func (*lacksCall) Call(ctx context.Context, request *tools.Request, arguments addIn) (*addOut, error)"},
		"another name":     {&misnamesCall{}, "it embeds tools.Typed and has no method Call; rename its method Run: func (*misnamesCall) Call(ctx context.Context, request *tools.Request, arguments addIn) (map[string][]addOut, error)"},
		"other arguments":  {&otherArguments{}, "the signature of its method Call isn't the one that its tools.Typed asks for, Call(context.Context, *tools.Request, tools_test.addOut) (tools_test.addOut, error); write: func (*otherArguments) Call(ctx context.Context, request *tools.Request, arguments addIn) (addOut, error)"},
		"no request":       {&lacksRequest{}, "write: func (*lacksRequest) Call(ctx context.Context, request *tools.Request, arguments addIn) (tools.Result, error)"},
		"a value":          {ofValue{}, "its method Call has a pointer receiver, and the tool is given by value: give &tools_test.ofValue{…}"},
		"a value, no Call": {ofValueWithoutCall{}, "write: func (*ofValueWithoutCall) Call(ctx"},
		"Handle":           {&hasHandle{}, "embeds tools.Typed and has a method Handle, so its method Call is never called; remove Handle, and let a guardrail do what has to happen around Call"},
		"a channel":        {&unencodable{}, "OutputSchema: "},
		"hooks":            {&withHooks{}, "its arguments, tools_test.hooks, have a method Schema, which is never called there; define it on the tool."},
		"misspelled":       {&misspelled{}, "the method Guardrail is never called; did you mean Guardrails() []guardrails.Guardrail?"},
		"no struct":        {&numbers{}, "Schema: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := mcp.Validate(&server{tools: []servers.Tool{test.tool}})
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "goroutine") {
				t.Errorf("got\n%v\nwant …%s…", err, test.want)
			}
		})
	}
}

func TestATypedToolIsCheckedWhenItIsAddedToo(t *testing.T) {
	t.Parallel()
	s := &server{}
	mcptest.New(t, s)
	if err := s.AddTool(&lacksCall{}); err == nil || !strings.Contains(err.Error(), "has no method Call") {
		t.Errorf("got %v", err)
	}
}

// Each of these tools runs another one.
type (
	wraps struct{ servers.Tool }
	inner struct{ wraps }
	tags  struct {
		wraps
		tag string
	}
	pointsTo struct{ *AddTool }
	holds    struct {
		tools.Tool
		described
		tool servers.Tool
	}
	typedHolds struct {
		tools.Typed[addIn, addOut]
		described
		tool servers.Tool
	}
	calls struct {
		tools.Typed[addIn, addOut]
		described
		add *AddTool
	}
	handles struct {
		tools.Typed[addIn, addOut]
		described
		add    *AddTool
		failed error
	}
	borrows struct {
		tools.Tool
		described
		add    *AddTool
		failed error
	}
)

func (w *wraps) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	for range 2 { // as one that tries again
		if _, err := w.Tool.Handle(ctx, request); err != nil {
			return nil, err
		}
	}
	return w.Tool.Handle(ctx, request)
}

func (p *pointsTo) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	return p.AddTool.Handle(ctx, request)
}

func (h *holds) Schema(s *schema.Object) { h.tool.Schema(s) }
func (h *holds) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	return h.tool.Handle(ctx, request)
}

func (*typedHolds) Call(context.Context, *tools.Request, addIn) (addOut, error) { return addOut{}, nil }

func (c *calls) Call(ctx context.Context, request *tools.Request, arguments addIn) (addOut, error) {
	sum, err := c.add.Call(ctx, request, arguments)
	return addOut{sum.Sum * 2}, err
}

func (h *handles) Call(ctx context.Context, request *tools.Request, _ addIn) (addOut, error) {
	_, h.failed = h.add.Handle(ctx, request)
	return addOut{}, nil
}

func (b *borrows) Schema(s *schema.Object) { b.add.Schema(s) }
func (b *borrows) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	_, b.failed = b.add.Handle(ctx, request)
	return tools.Text(""), nil
}

func TestAToolMayWrapATypedTool(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tool servers.Tool
		want int
	}{
		"by an interface":          {&wraps{&AddTool{}}, 3},
		"twice":                    {&inner{wraps{&wraps{&AddTool{}}}}, 3},
		"and a tag":                {&tags{wraps{&AddTool{}}, "slow"}, 3},
		"by a pointer":             {&pointsTo{&AddTool{}}, 3},
		"made by a function":       {&wraps{tools.Func("add", "Adds.", add)}, 3},
		"a function in a field":    {&holds{tool: tools.Func("add", "Adds.", add)}, 3},
		"the method of a function": {tools.New(tools.Definition{Name: "sum", InputSchema: []byte(`{"type":"object"}`)}, tools.Func("add", "Adds.", add).Handle), 3},
		"by its method Call":       {&calls{add: &AddTool{}}, 6},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mcptest.Tool(t, test.tool, mcptest.Args{"a": 1, "b": 2}).AssertOK().AssertStructured(addOut{test.want})
		})
	}
}

func TestATypedToolInAFieldIsRefused(t *testing.T) {
	t.Parallel()
	const want = "its field tool holds a *tools_test.AddTool, which embeds tools.Typed, so that its Handle works only in the tool that embeds it; " +
		"embed servers.Tool instead of the field, or give the field the type *tools_test.AddTool and call the method Call"
	for _, tool := range []servers.Tool{&holds{tool: &AddTool{}}, &typedHolds{tool: &AddTool{}}} {
		if err := mcp.Validate(&server{tools: []servers.Tool{tool}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%T: got %v", tool, err)
		}
	}
	err := mcp.Validate(&server{tools: []servers.Tool{&wraps{&lacksCall{}}}})
	if err == nil || !strings.Contains(err.Error(), "write: func (*lacksCall) Call(") {
		t.Errorf("a tool in another one lacks Call: %v", err)
	}
}

// Boot can't know which method of its fields a tool calls.
func TestHandleOfATypedToolFailsInAnotherTool(t *testing.T) {
	t.Parallel()
	const want = "Handle of a tool that embeds tools.Typed was called by the tool other, which doesn't embed it; call the method Call of that tool"
	outer, plain := &handles{add: &AddTool{}}, &borrows{add: &AddTool{}}
	for tool, failed := range map[servers.Tool]*error{outer: &outer.failed, plain: &plain.failed} {
		mcptest.Tool(t, tool, mcptest.Args{"a": 1}).AssertOK()
		if err := *failed; err == nil || err.Error() != want {
			t.Errorf("%T: got %v", tool, err)
		}
	}
}

func (*handles) Name() string { return "other" }
func (*borrows) Name() string { return "other" }
