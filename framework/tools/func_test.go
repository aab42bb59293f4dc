package tools_test

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

type addIn struct {
	A int `json:"a"`
	B int `json:"b,omitempty"`
}

type addOut struct {
	Sum int `json:"sum"`
}

func add(_ context.Context, in addIn) (addOut, error) {
	if in.B < 0 {
		return addOut{}, tools.Errorf("b is %d; it must not be negative", in.B)
	}
	return addOut{in.A + in.B}, nil
}

func TestAFunctionIsATool(t *testing.T) {
	t.Parallel()
	tool := tools.Func("add", "Adds two numbers.", add)
	mcptest.Tool(t, tool, mcptest.Args{"a": 1, "b": 2}).AssertOK().AssertSee(`{"sum":3}`).AssertStructured(map[string]int{"sum": 3})
	mcptest.Tool(t, tool, mcptest.Args{"a": 1}).AssertOK().AssertStructured(addOut{1})
	mcptest.Tool(t, tool, mcptest.Args{"a": "1"}).AssertError("The arguments of add are not valid:\n- /a: ")
	mcptest.Tool(t, tool, mcptest.Args{"b": 1}).AssertError("/a: required")
	mcptest.Tool(t, tool, mcptest.Args{"a": 1, "c": 1}).AssertError("/c: ")
	mcptest.Tool(t, tool, mcptest.Args{"a": 1, "b": -1}).AssertError("b is -1; it must not be negative")
}

type notes struct{ pages []string }

func (n *notes) search(_ context.Context, in struct {
	Query string `json:"query"`
}) ([]string, error) {
	found := []string{}
	for _, page := range n.pages {
		if strings.Contains(page, in.Query) {
			found = append(found, page)
		}
	}
	return found, nil
}

func TestAMethodOfAValueIsATool(t *testing.T) {
	t.Parallel()
	n := &notes{pages: []string{"today", "tomorrow", "never"}}
	mcptest.Tool(t, tools.Func("search_pages", "Searches.", n.search), mcptest.Args{"query": "to"}).AssertOK().AssertSee("[\n  \"today\",\n  \"tomorrow\"\n]")
}

// returns makes a tool that returns a value of a static type.
func returns[T any](value T) servers.Tool {
	return tools.Func("give", "Gives.", func(context.Context, struct{}) (T, error) { return value, nil })
}

func TestResultsOfAFunctionAreWrapped(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		tool servers.Tool
		want string // the result as a client gets it
	}{
		{"a string", returns("Hello."), `{"content":[{"type":"text","text":"Hello."}]}`},
		{"an int", returns(42), `{"content":[{"type":"text","text":"42"}]}`},
		{"a bool", returns(true), `{"content":[{"type":"text","text":"true"}]}`},
		{"nothing", returns(tools.Nothing{}), `{"content":[]}`},
		{"nil", returns[any](nil), `{"content":[{"type":"text","text":"(null)"}]}`},
		{"a nil map", returns(map[string]any(nil)), `{"content":[{"type":"text","text":"{}"}],"structuredContent":{}}`},
		{"a nil list", returns([]string(nil)), `{"content":[{"type":"text","text":"[]"}]}`},
		{"a list", returns([]int{1}), `{"content":[{"type":"text","text":"[\n  1\n]"}]}`},
		{"a struct", returns(addOut{3}), `{"content":[{"type":"text","text":"{\"sum\":3}"}],"structuredContent":{"sum":3}}`},
		{"a pointer to a struct", returns(&addOut{3}), `{"content":[{"type":"text","text":"{\"sum\":3}"}],"structuredContent":{"sum":3}}`},
		{"a block", returns(content.Link("x:y", "n")), `{"content":[{"type":"resource_link","uri":"x:y","name":"n"}]}`},
		{"blocks", returns([]content.Block{content.Text("a")}), `{"content":[{"type":"text","text":"a"}]}`},
		{"a mixed list", returns([]any{content.Text("a"), 1}), `{"content":[{"type":"text","text":"a"},{"type":"text","text":"1"}]}`},
		{"a result", returns(tools.Error("No.")), `{"content":[{"type":"text","text":"No."}],"isError":true}`},
		{"any result", returns[tools.Result](tools.Text("a")), `{"content":[{"type":"text","text":"a"}]}`},
		{"a time", returns(time.Date(2026, 7, 28, 0, 0, 0, 0, time.UTC)), `{"content":[{"type":"text","text":"\"2026-07-28T00:00:00Z\""}],"structuredContent":"2026-07-28T00:00:00Z"}`},
		{"a pointer that encodes itself as a number", returns(big.NewInt(7)), `{"content":[{"type":"text","text":"7"}],"structuredContent":7}`},
		{"what encodes itself as an object", returns(money{5}), `{"content":[{"type":"text","text":"{\"currency\":\"EUR\"}"}],"structuredContent":{"currency":"EUR"}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			call := mcptest.Tool(t, test.tool, nil).Call
			delete(call.Meta, "io.modelcontextprotocol/serverInfo")
			if got, err := codec.Marshal(call); err != nil || string(got) != test.want {
				t.Errorf("got\n%s, %v\nwant\n%s", got, err, test.want)
			}
		})
	}
}

// A tool with an output schema must return a structured result.
func TestAFunctionThatPromisesAStructMustNotReturnNil(t *testing.T) {
	t.Parallel()
	mcptest.Tool(t, returns((*addOut)(nil)), nil).AssertError("The tool give failed.")
}

func TestAFunctionThatReturnsAnErrorFails(t *testing.T) {
	t.Parallel()
	failed := tools.Func("fail", "Fails.", func(context.Context, struct{}) (string, error) { return "secret", errors.New("secret") })
	result := mcptest.Tool(t, failed, nil).AssertError("The tool fail failed.")
	if strings.Contains(result.Text(), "secret") {
		t.Errorf("the reply has the error's text: %s", result.Text())
	}
}

func TestAFunctionWithoutAStructOfArgumentsIsRefused(t *testing.T) {
	t.Parallel()
	for name, tool := range map[string]servers.Tool{
		"a number of arguments": tools.Func("f", "F.", func(context.Context, int) (string, error) { return "", nil }),
		"a list of arguments":   tools.Func("f", "F.", func(context.Context, []string) (string, error) { return "", nil }),
		"no function":           tools.Func[addIn, addOut]("f", "F.", nil),
		"no handler":            tools.New(tools.Definition{Name: "f", Description: "F."}, nil),
	} {
		if err := mcp.Validate(&server{tools: []servers.Tool{tool}}); err == nil {
			t.Errorf("%s: it was registered", name)
		} else if strings.Contains(err.Error(), "goroutine") || !strings.Contains(err.Error(), "f (") {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}
