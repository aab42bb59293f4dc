package mcptest_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

type boxServer struct {
	servers.Server
	tools []servers.Tool
}

func (b *boxServer) Tools() []servers.Tool { return b.tools }

// EchoTool is called by its type.
type EchoTool struct{ tools.Tool }

func (*EchoTool) Description() string     { return "Echoes." }
func (*EchoTool) Schema(s *schema.Object) { s.String("message").Required() }

func (*EchoTool) Handle(_ context.Context, request *tools.Request) (tools.Result, error) {
	return tools.Text(request.String("message")), nil
}

func TestCallFindsAToolByTypeOrName(t *testing.T) {
	t.Parallel()
	named := tools.New(tools.Definition{Name: "fixed", Description: "Fixed."}, func(context.Context, *tools.Request) (tools.Result, error) {
		return tools.Text("fixed"), nil
	})
	client := mcptest.New(t, &boxServer{tools: []servers.Tool{&EchoTool{}, named}})
	client.Tool(&EchoTool{}, mcptest.Args{"message": "a"}).AssertOK().AssertSee("a")
	client.Call("echo", mcptest.Args{"message": "b"}).AssertOK().AssertSee("b")
	client.Tool(named, nil).AssertOK().AssertSee("fixed")
	client.Call("ecko", nil).AssertError(`Unknown tool "ecko"; did you mean "echo"?`)
}

func TestArgumentsAreCheckedByTheRealEngine(t *testing.T) {
	t.Parallel()
	mcptest.Tool(t, &EchoTool{}, nil).AssertError("/message: required")
	mcptest.Tool(t, &EchoTool{}, mcptest.Args{"message": 3}).AssertError("/message: ")
}

func TestAConfigurationCanBeGiven(t *testing.T) {
	t.Parallel()
	slow := &actTool{act: func(ctx context.Context, _ *tools.Request) (tools.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	mcptest.Configured(t, mcp.Config{CallTimeout: time.Millisecond}, &boxServer{tools: []servers.Tool{slow}}).
		Call("act", nil).AssertError("timed out after 1ms")
}

type userKey struct{}

func TestWithSetsTheContextOfCalls(t *testing.T) {
	t.Parallel()
	tool := &actTool{act: func(ctx context.Context, _ *tools.Request) (tools.Result, error) {
		user, _ := ctx.Value(userKey{}).(string)
		return tools.Text("user=" + user), ctx.Err()
	}}
	client := mcptest.New(t, &boxServer{tools: []servers.Tool{tool}})
	client.With(context.WithValue(t.Context(), userKey{}, "ann")).Tool(tool, nil).AssertOK().AssertSee("user=ann")
	if client.Tool(tool, nil).AssertOK().Text() != "user=" {
		t.Error("the first client has changed")
	}
	ended, end := context.WithCancel(t.Context())
	end()
	client.With(ended).Tool(tool, nil).AssertError("was stopped before it had finished")
}

// regionTool mirrors arguments into headers, which a client must send.
type regionTool struct{ tools.Tool }

func (*regionTool) Description() string { return "Has a region." }

func (*regionTool) Schema(s *schema.Object) {
	s.String("region").Header("Region").Required()
	s.Integer("zone").Header("Zone")
	s.Object("inner").Boolean("dry").Header("Dry")
}

func (*regionTool) Handle(_ context.Context, request *tools.Request) (tools.Result, error) {
	return tools.Text(string(request.Arguments())), nil
}

func TestArgumentsAreMirroredIntoHeaders(t *testing.T) {
	t.Parallel()
	for _, args := range []mcptest.Args{
		{"region": "eu-west"},
		{"region": "é", "zone": 3},
		{"region": " spaces ", "inner": map[string]any{"dry": true}},
		{"region": "=?base64?x?="},
		{"region": "line\nend", "zone": nil},
	} {
		result := mcptest.Tool(t, &regionTool{}, args)
		if args["zone"] == nil && len(args) == 2 && args["inner"] == nil {
			result.AssertError("/zone: ") // null, but the header is correct
			continue
		}
		result.AssertOK()
	}
}

// meteredServer allows one request.
type meteredServer struct{ boxServer }

func (*meteredServer) Guardrails() []guardrails.Guardrail {
	return []guardrails.Guardrail{guardrails.RateLimit(1, time.Hour)}
}

// A guardrail that counts operations counts only those of the test.
func TestACallIsOneOperation(t *testing.T) {
	t.Parallel()
	client := mcptest.New(t, &meteredServer{boxServer{tools: []servers.Tool{&EchoTool{}}}})
	client.Call("echo", mcptest.Args{"message": "a"}).AssertOK()
	client.Call("echo", mcptest.Args{"message": "a"}).AssertError("Too many requests")
}

func TestACallThatFailsIsNotRepeated(t *testing.T) {
	t.Parallel()
	calls := 0
	tool := &actTool{act: func(context.Context, *tools.Request) (tools.Result, error) {
		calls++
		return nil, &exchange.Error{Code: 7, Message: "Out of paper", Status: http.StatusBadRequest}
	}}
	mcptest.Tool(t, tool, mcptest.Args{"message": "a"}).AssertError("Out of paper")
	if calls != 1 {
		t.Errorf("the tool runs %d times", calls)
	}
}
