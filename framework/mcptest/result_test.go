package mcptest_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/test/failuretest"
)

// actTool runs a function of the test.
type actTool struct {
	tools.Tool
	act func(context.Context, *tools.Request) (tools.Result, error)
}

func (*actTool) Description() string { return "Acts." }

func (*actTool) Schema(s *schema.Object) { s.Open() }

func (a *actTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	return a.act(ctx, request)
}

func answering(result tools.Result, err error) servers.Tool {
	return &actTool{act: func(_ context.Context, request *tools.Request) (tools.Result, error) {
		_ = request.Notify("acme/step", map[string]int{"n": 1})
		_ = request.Notify("acme/step", map[string]int{"n": 2})
		return result, err
	}}
}

func notifying(params any) servers.Tool {
	return &actTool{act: func(_ context.Context, request *tools.Request) (tools.Result, error) {
		return tools.Text("done"), request.Notify("acme/step", params)
	}}
}

func TestAssertionsFailWhenTheyShould(t *testing.T) {
	t.Parallel()
	hello := answering(tools.Text("Hello, world."), nil)
	refused := answering(tools.Error("No such city."), nil)
	faulty := answering(nil, &exchange.Error{Code: 7, Message: "Out of paper"})
	numbers := answering(tools.Structured(map[string]any{"n": 3, "list": []int{1}}), nil)
	null := answering(tools.Structured(nil), nil)
	exact := answering(tools.Structured(json.RawMessage(`{"id":9007199254740993,"price":0.1,"list":[1.0,1e2]}`)), nil)
	priced := func(id, price string) json.RawMessage {
		return json.RawMessage(`{"list":[1,100],"price":` + price + `,"id":` + id + `}`)
	}
	identified, bare := notifying(map[string]uint64{"id": 1 << 63}), notifying(nil)
	blocks := answering(tools.Items(content.Text("one"), content.EmbedText("x:y", "", "two"), content.Link("x:z", ""), content.Image([]byte("three"), "image/png")), nil)
	blob := answering(tools.Items(content.Text("one"), content.EmbedBytes("x:y", "image/png", []byte("three")), content.Text("two")), nil)
	for _, test := range []struct {
		name   string
		tool   servers.Tool
		assert func(*mcptest.Result)
		want   string // "" if the assertion holds
	}{
		{"ok", hello, func(r *mcptest.Result) { r.AssertOK() }, ""},
		{"ok of an error", refused, func(r *mcptest.Result) { r.AssertOK() }, "the tool returned an error: No such city."},
		{"ok of a JSON-RPC error", faulty, func(r *mcptest.Result) { r.AssertOK() }, "the call failed with the JSON-RPC error 7: Out of paper"},

		{"see", hello, func(r *mcptest.Result) { r.AssertSee("Hello", "world") }, ""},
		{"see nothing", hello, func(r *mcptest.Result) { r.AssertSee() }, ""},
		{"see what isn't there", hello, func(r *mcptest.Result) { r.AssertSee("Hello", "moon") }, "the answer does not contain \"moon\":\nHello, world."},
		{"see all blocks", blocks, func(r *mcptest.Result) { r.AssertSee("one\ntwo\nx:z") }, ""},
		{"the text without bytes", blob, func(r *mcptest.Result) {
			if r.Text() != "one\ntwo" {
				r.AssertSee("the text is " + r.Text())
			}
		}, ""},
		{"see bytes", blocks, func(r *mcptest.Result) { r.AssertSee("three") }, `the answer does not contain "three"`},

		{"don't see", hello, func(r *mcptest.Result) { r.AssertDontSee("moon", "sun") }, ""},
		{"don't see what is there", hello, func(r *mcptest.Result) { r.AssertDontSee("moon", "world") }, "the answer contains \"world\":\nHello, world."},
		{"don't see the text of an error", faulty, func(r *mcptest.Result) { r.AssertDontSee("paper") }, "the answer contains \"paper\":\nOut of paper"},

		{"error", refused, func(r *mcptest.Result) { r.AssertError("No such", "city") }, ""},
		{"error of a JSON-RPC error", faulty, func(r *mcptest.Result) { r.AssertError("paper") }, ""},
		{"error of a success", hello, func(r *mcptest.Result) { r.AssertError() }, "the call did not fail; its answer is: Hello, world."},
		{"error of another text", refused, func(r *mcptest.Result) { r.AssertError("town") }, `the answer does not contain "town"`},

		{"structured", numbers, func(r *mcptest.Result) { r.AssertStructured(map[string]any{"list": []any{1.0}, "n": 3.0}) }, ""},
		{"structured as a struct", numbers, func(r *mcptest.Result) {
			r.AssertStructured(struct {
				N    int   `json:"n"`
				List []int `json:"list"`
			}{3, []int{1}})
		}, ""},
		{"structured otherwise", numbers, func(r *mcptest.Result) { r.AssertStructured(map[string]int{"n": 4}) }, `the structured content is {"list":[1],"n":3}, want {"n":4}`},
		{"structured of a text", hello, func(r *mcptest.Result) { r.AssertStructured("Hello, world.") }, "the answer has no structured content: Hello, world."},
		{"structured of a JSON-RPC error", faulty, func(r *mcptest.Result) { r.AssertStructured(nil) }, "the answer has no structured content: Out of paper"},
		{"structured null", null, func(r *mcptest.Result) { r.AssertStructured(nil) }, ""},
		{"structured, one beyond float64", exact, func(r *mcptest.Result) { r.AssertStructured(priced("9007199254740992", "0.1")) }, `the structured content is {"id":9007199254740993,"price":0.1,"list":[1.0,1e2]}, want {"list":[1,100],"price":0.1,"id":9007199254740992}`},
		{"structured, a fraction beyond float64", exact, func(r *mcptest.Result) { r.AssertStructured(priced("9007199254740993", "0.10000000000000000001")) }, `the structured content is`},
		{"structured, in another notation", exact, func(r *mcptest.Result) { r.AssertStructured(priced("9007199254740993.0", "1e-1")) }, ""},
		{"structured, as Go numbers", exact, func(r *mcptest.Result) {
			r.AssertStructured(map[string]any{"id": int64(9007199254740993), "price": 0.1, "list": []any{1, uint8(100)}})
		}, ""},
		{"structured, against what has no JSON", numbers, func(r *mcptest.Result) { r.AssertStructured(func() {}) }, "the wanted value does not encode as JSON"},

		{"notified", hello, func(r *mcptest.Result) { r.AssertNotified("acme/step") }, ""},
		{"notified with params", hello, func(r *mcptest.Result) { r.AssertNotified("acme/step", map[string]int{"n": 1}, map[string]int{"n": 2}) }, ""},
		{"notified in another order", hello, func(r *mcptest.Result) { r.AssertNotified("acme/step", map[string]int{"n": 2}, map[string]int{"n": 1}) }, `notification 1 of acme/step has the params {"n":1}, want {"n":2}`},
		{"notified, one beyond float64", identified, func(r *mcptest.Result) { r.AssertNotified("acme/step", map[string]uint64{"id": 1<<63 + 1}) }, `notification 1 of acme/step has the params {"id":9223372036854775808}, want {"id":9223372036854775809}`},
		{"notified in another notation", identified, func(r *mcptest.Result) {
			r.AssertNotified("acme/step", json.RawMessage(`{"id":92233720368547758080e-1}`))
		}, ""},
		{"notified without params", bare, func(r *mcptest.Result) { r.AssertNotified("acme/step", nil) }, "notification 1 of acme/step has the params"},
		{"notified too often", hello, func(r *mcptest.Result) { r.AssertNotified("acme/step", map[string]int{"n": 1}) }, "the client got 2 notifications acme/step, want 1"},
		{"notified by another method", hello, func(r *mcptest.Result) { r.AssertNotified("acme/stop") }, "the client got no notification acme/stop, only [acme/step acme/step]"},
		{"notified by another method, with params", hello, func(r *mcptest.Result) { r.AssertNotified("acme/stop", 1) }, "the client got 0 notifications acme/stop, want 1"},

		{"notification count", hello, func(r *mcptest.Result) {
			r.AssertNotificationCount("acme/step", 2).AssertNotificationCount("acme/stop", 0)
		}, ""},
		{"another notification count", hello, func(r *mcptest.Result) { r.AssertNotificationCount("acme/step", 0) }, "the client got 2 notifications acme/step, want 0; it got [acme/step acme/step]"},

		{"completions of another result", hello, func(r *mcptest.Result) { r.AssertCompletes("world") }, "the answer has no suggestions: Hello, world."},

		{"assertions after one that failed", hello, func(r *mcptest.Result) { r.AssertError().AssertOK().AssertSee("moon") }, "the call did not fail; its answer is: Hello, world.\nthe answer does not contain \"moon\""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := failuretest.Of(t, func(t testing.TB) { test.assert(mcptest.Tool(t, test.tool, nil)) })
			if test.want == "" && got != "" || !strings.HasPrefix(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestAToolThatCannotBeRegisteredFailsTheTest(t *testing.T) {
	t.Parallel()
	got := failuretest.Of(t, func(t testing.TB) {
		mcptest.Tool(t, nil, nil)
		t.Errorf("the test went on")
	})
	if !strings.HasPrefix(got, "the server can't be registered:\nthe server one: tool 1: it is nil") || strings.Contains(got, "went on") {
		t.Errorf("got %q", got)
	}
	got = failuretest.Of(t, func(t testing.TB) { mcptest.Tool(t, answering(tools.Text(""), nil), mcptest.Args{"f": func() {}}) })
	if !strings.HasPrefix(got, "the arguments don't encode as JSON: ") {
		t.Errorf("got %q", got)
	}
}
