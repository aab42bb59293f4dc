package tools_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// AddTool is the typed way to say what add says as a function.
type AddTool struct {
	tools.Typed[addIn, addOut]
	annotations.IsReadOnly
}

func (*AddTool) Name() string        { return "add" }
func (*AddTool) Description() string { return "Adds two numbers." }

func (*AddTool) Call(ctx context.Context, _ *tools.Request, arguments addIn) (addOut, error) {
	return add(ctx, arguments)
}

// versions are the oldest and the newest version of each era.
var versions = []string{"2025-03-26", "2025-11-25", "2026-07-28"}

func TestATypedToolIsCalledWithItsArguments(t *testing.T) {
	t.Parallel()
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			client := mcptest.New(t, &server{tools: []servers.Tool{&AddTool{}}}).Speaks(version)
			client.Tool(&AddTool{}, mcptest.Args{"a": 1, "b": 2}).AssertOK().AssertSee(`{"sum":3}`)
			client.Tool(&AddTool{}, mcptest.Args{"a": "1"}).AssertError("The arguments of add are not valid:\n- /a: ")
			client.Tool(&AddTool{}, mcptest.Args{"b": 1}).AssertError("/a: required")
			client.Tool(&AddTool{}, mcptest.Args{"a": 1, "c": 1}).AssertError("/c: ")
			client.Tool(&AddTool{}, mcptest.Args{"a": 1, "b": -1}).AssertError("b is -1; it must not be negative")
		})
	}
	mcptest.Tool(t, &AddTool{}, mcptest.Args{"a": 1}).AssertOK().AssertStructured(addOut{1})
}

// A type and a function with the same types are the same for clients, but for hints and titles.
func TestATypedToolHasTheDefinitionOfAFunction(t *testing.T) {
	t.Parallel()
	list := func(tool servers.Tool) string {
		listed := mcptest.New(t, &server{tools: []servers.Tool{tool}}).Tools()[0]
		listed.Title, listed.Annotations = "", annotations.Hints{}
		encoded, err := codec.Marshal(listed)
		if err != nil {
			t.Fatal(err)
		}
		return string(encoded)
	}
	if typed, function := list(&AddTool{}), list(tools.Func("add", "Adds two numbers.", add)); typed != function {
		t.Errorf("the type is listed as\n%s\nand the function as\n%s", typed, function)
	}
}

// gives is a typed tool that returns a value.
type gives[T any] struct {
	tools.Typed[struct{}, T]
	value T
}

func (*gives[T]) Name() string        { return "give" }
func (*gives[T]) Description() string { return "Gives." }

func (g *gives[T]) Call(context.Context, *tools.Request, struct{}) (T, error) { return g.value, nil }

func TestResultsOfATypedToolAreWrapped(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		tool servers.Tool
		want string // the result as a client gets it
	}{
		{"a string", &gives[string]{value: "Hello."}, `{"content":[{"type":"text","text":"Hello."}]}`},
		{"an int", &gives[int]{value: 42}, `{"content":[{"type":"text","text":"42"}]}`},
		{"nothing", &gives[tools.Nothing]{}, `{"content":[]}`},
		{"a nil list", &gives[[]string]{}, `{"content":[{"type":"text","text":"[]"}]}`},
		{"a map", &gives[map[string]int]{value: map[string]int{"a": 1}}, `{"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":1}}`},
		{"a struct", &gives[addOut]{value: addOut{3}}, `{"content":[{"type":"text","text":"{\"sum\":3}"}],"structuredContent":{"sum":3}}`},
		{"a pointer to a struct", &gives[*addOut]{value: &addOut{3}}, `{"content":[{"type":"text","text":"{\"sum\":3}"}],"structuredContent":{"sum":3}}`},
		{"a block", &gives[content.Block]{value: content.Link("x:y", "n")}, `{"content":[{"type":"resource_link","uri":"x:y","name":"n"}]}`},
		{"a call result", &gives[*tools.CallResult]{value: tools.Error("No.")}, `{"content":[{"type":"text","text":"No."}],"isError":true}`},
		{"any result", &gives[tools.Result]{value: tools.Text("a")}, `{"content":[{"type":"text","text":"a"}]}`},
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

type countTool struct {
	tools.Typed[struct {
		To int `json:"to"`
	}, tools.Result]
}

func (*countTool) Description() string { return "Counts." }

func (*countTool) Call(ctx context.Context, _ *tools.Request, arguments struct {
	To int `json:"to"`
},
) (tools.Result, error) {
	return tools.StreamFunc(ctx, func(send func(tools.Message) error) error {
		for n := range arguments.To {
			if err := send(tools.Progress{Done: float64(n + 1), Total: float64(arguments.To)}); err != nil {
				return err
			}
		}
		return send(tools.Text(fmt.Sprint("counted to ", arguments.To)))
	}), nil
}

func TestATypedToolStreams(t *testing.T) {
	t.Parallel()
	for _, version := range versions {
		result := mcptest.New(t, &server{tools: []servers.Tool{&countTool{}}}).Speaks(version).Tool(&countTool{}, mcptest.Args{"to": 3})
		result.AssertOK().AssertSee("counted to 3").AssertNotificationCount("notifications/progress", 3)
	}
}

type failTool struct {
	tools.Typed[struct{}, *addOut]
	err error
}

func (*failTool) Name() string        { return "fail" }
func (*failTool) Description() string { return "Fails." }

func (f *failTool) Call(context.Context, *tools.Request, struct{}) (*addOut, error) {
	return nil, f.err
}

func TestErrorsOfATypedToolReachTheModelOrTheLog(t *testing.T) {
	t.Parallel()
	mcptest.Tool(t, &failTool{err: tools.Errorf("No such city.")}, nil).AssertError("No such city.")
	mcptest.Tool(t, &failTool{err: errors.New("secret")}, nil).AssertError("The tool fail failed.")
	mcptest.Tool(t, &failTool{}, nil).AssertError("The tool fail failed.") // nil violates the output schema
}

// deleteTool has every kind of method that a tool with types may add.
type deleteTool struct {
	tools.Typed[deleteArguments, string]
	tools.Confirmed
	annotations.IsDestructive
	staff
}

type deleteArguments struct {
	Page int `json:"page" schema:"min=1"`
}

// staff hides tools from others.
type staff struct{}

func (staff) VisibleTo(ctx context.Context) bool { return exchange.PrincipalFrom(ctx).ID == "ann" }

func (*deleteTool) Description() string { return "Deletes a page." }

func (d *deleteTool) Schema(s *schema.Object) {
	d.Typed.Schema(s)
	s.String("reason").Description("Why.")
}

func (*deleteTool) Guardrails() []guardrails.Guardrail {
	return []guardrails.Guardrail{guardrails.Func(func(ctx context.Context, operation *guardrails.Operation, next guardrails.Next) error {
		if operation.Request.Client().Name == "" {
			return tools.Errorf("who are you?")
		}
		return next(ctx, operation)
	})}
}

func (*deleteTool) Confirmation(_ context.Context, request *tools.Request) (string, error) {
	return fmt.Sprintf("Delete page %d?", request.Int("page")), nil
}

func (*deleteTool) Call(_ context.Context, request *tools.Request, arguments deleteArguments) (string, error) {
	return fmt.Sprintf("deleted page %d: %s", arguments.Page, request.String("reason")), nil
}

func TestATypedToolHasTheMethodsOfOthers(t *testing.T) {
	t.Parallel()
	arguments := mcptest.Args{"page": 7, "reason": "old"}
	client := mcptest.New(t, &server{tools: []servers.Tool{&deleteTool{}}})
	client.AssertNotRegistered(&deleteTool{})
	client = client.As(exchange.Principal{ID: "ann"})
	client.Tool(&deleteTool{}, mcptest.Args{"page": 0}).AssertError("/page")
	asked := client.Can("elicitation").Tool(&deleteTool{}, arguments).AssertAsks("confirmed", "Delete page 7?")
	asked.Respond("confirmed", nil).AssertOK().AssertSee("deleted page 7: old")
	asked.Decline("confirmed").AssertOK().AssertStructured(map[string]string{"status": "declined", "message": "The user did not agree. Do not try again unless the user asks for it."})

	older := client.Speaks("2025-11-25") // which can't ask in a test
	older.Tool(&deleteTool{}, arguments).AssertSee("confirmation_required", "Delete page 7?")
	arguments["confirmed"] = true
	older.Tool(&deleteTool{}, arguments).AssertOK().AssertSee("deleted page 7: old")
}

// A value may be used by several servers and by calls that run together.
func TestOneTypedToolServesSeveralServers(t *testing.T) {
	t.Parallel()
	tool := &AddTool{}
	var calls sync.WaitGroup
	for range 3 {
		client := mcptest.New(t, &server{tools: []servers.Tool{tool}})
		for n := range 4 {
			calls.Go(func() {
				client.Tool(tool, mcptest.Args{"a": n, "b": n}).AssertOK().AssertStructured(addOut{2 * n})
			})
		}
	}
	calls.Wait()
}
