package server_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/engine/server"
	"github.com/bowline-mcp/bowline/internal/engine/server/servertest"
)

func TestAServerIsOpenForOneOwnerUntilItIsClosed(t *testing.T) {
	t.Parallel()
	offered, config := &servertest.Server{}, servertest.Config(io.Discard)
	first, err := server.Open(offered, config)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := server.Open(offered, config); err != nil || again != first {
		t.Errorf("for the same owner it is opened anew: %v", err)
	}
	if _, err := server.Open(offered, servertest.Config(io.Discard)); !errors.Is(err, server.ErrServed) || !strings.HasPrefix(err.Error(), "the server Server is already served") {
		t.Errorf("for another owner: %v", err)
	}
	server.Close(offered, first)
	if err := offered.AddTool(nil); !errors.Is(err, servers.ErrNotServing) {
		t.Errorf("when it is closed, AddTool results in %v", err)
	}
	if next, err := server.Open(offered, servertest.Config(io.Discard)); err != nil || next == first {
		t.Errorf("when it is closed, it can't be opened: %v", err)
	}
}

func TestAnInvalidServerIsAMistake(t *testing.T) {
	t.Parallel()
	for _, none := range []servers.Interface{nil, (*servertest.Server)(nil)} {
		assertMistake(t, none, "there is no server; give a pointer to one, such as &servers.DemoServer{}")
	}
}

// oddServer has mistakes in its settings.
type oddServer struct{ servertest.Server }

func (*oddServer) PageSize() int { return 200 }
func (*oddServer) Icons() []content.Icon {
	return []content.Icon{{Src: "data:,x", Theme: "blue", Sizes: []string{"big"}}}
}
func (*oddServer) Guardrails() []guardrails.Guardrail { return []guardrails.Guardrail{{}} }
func (*oddServer) Boot(context.Context) error         { return errors.New("no database") }

func TestAllMistakesOfAServerAreFoundAtOnce(t *testing.T) {
	t.Parallel()
	handle := func(context.Context, *tools.Request) (tools.Result, error) { return tools.Text(""), nil }
	odd := &oddServer{servertest.Server{
		ToolList: []servers.Tool{tools.New(tools.Definition{Name: "a"}, handle), tools.New(tools.Definition{Name: "a"}, handle), tools.New(tools.Definition{Name: "b c"}, handle), nil},
	}}
	assertMistake(t, odd,
		"the server oddServer: PageSize is 200 and MaxPageSize is 100; they must be 1 to 100, the second no less than the first",
		`the theme of the icon "data:,x" must be light or dark, not "blue"`, `the size "big" of the icon "data:,x" must look like 48x48, or be any`,
		"the server oddServer: guardrail 1: it is empty", "the server oddServer: Boot: no database",
		"the server oddServer: tool 2: the tool a (tools.New): the name is taken: the server has a tool of that name already (tools.New); drop one of them, or give one of them another Name",
		`the server oddServer: tool 3: b c (*tools.defined): its name is "b c"`, "the server oddServer: tool 4: it is nil; give a pointer to a tool",
	)
	if err := odd.AddTool(nil); !errors.Is(err, servers.ErrNotServing) {
		t.Errorf("a server with mistakes stays open: %v", err)
	}
}

// brokenServer panics.
type brokenServer struct{ *servertest.Server }

func TestAPanicAtRegistrationNamesItsCause(t *testing.T) {
	t.Parallel()
	assertMistake(t, &servertest.Server{ToolList: []servers.Tool{&brokenTool{}}}, "tool 1: *server_test.brokenTool panics while it is registered", "does it embed tools.Tool by value?")
	assertMistake(t, &brokenServer{}, "the server brokenServer panics while it is registered", "does it embed servers.Server by value?")
}

// brokenTool has many mistakes.
type brokenTool struct{ tools.Tool }

func (*brokenTool) Description() string   { return "Breaks." }
func (*brokenTool) Schema(*schema.Object) { panic("no schema") }
func (*brokenTool) Handle(context.Context, *tools.Request) (tools.Result, error) {
	return nil, errors.New("broken")
}

func TestItemsAreAddedAndRemovedWhileTheServerServes(t *testing.T) {
	t.Parallel()
	offered, log := &servertest.Server{}, &strings.Builder{}
	client, err := servertest.New(offered, servertest.Config(log))
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(
		offered.AddTool(tools.New(tools.Definition{Name: "echo", Description: "E."}, func(context.Context, *tools.Request) (tools.Result, error) { return tools.Text("ho"), nil })),
		offered.AddResource(&HandbookResource{}), offered.AddPrompt(&HTTPStatusPrompt{}),
		offered.AddMethod("acme/who", func(_ context.Context, request *exchange.Request) (any, error) {
			return map[string]string{"method": request.Method()}, nil
		}),
		offered.AddMethod("acme/list", func(context.Context, *exchange.Request) (any, error) { return []int{1}, nil }),
		offered.AddMethod("acme/none", func(context.Context, *exchange.Request) (any, error) { return nil, nil }),
		offered.AddNotification("notifications/acme", func(context.Context, *exchange.Request) error { return errors.New("not heard") }),
	)
	if err != nil {
		t.Fatal(err)
	}
	for what, pair := range map[string][2]string{
		"the tool":              {client.Call("echo", "{}"), `{"content":[{"type":"text","text":"ho"}]}`},
		"the resource":          {client.List("resources"), `{"uri":"docs://handbook","name":"handbook","title":"Handbook"}`},
		"the prompt":            {client.List("prompts"), `{"name":"http-status","title":"HTTP Status"}`},
		"the method":            {client.Result("acme/who", "{}"), `{"method":"acme/who"}`},
		"a list as a result":    {client.Result("acme/list", "{}"), "error -32603: Internal error (request ID)"},
		"nothing as a result":   {client.Result("acme/none", "{}"), "{}"},
		"a server's own method": {client.Result("acme/other", "{}"), "error -32601: Method not found: acme/other"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: got %s, want %s", what, pair[0], pair[1])
		}
	}
	offered.ResourceUpdated("docs://none")
	if !offered.RemoveTool("echo") || !offered.RemoveResource("docs://handbook") || !offered.RemovePrompt("http-status") || offered.RemoveTool("echo") {
		t.Error("something can't be taken out, or twice")
	}
	if !strings.Contains(log.String(), "ResourceUpdated was called with a URI that the server doesn't have") {
		t.Errorf("the log is\n%s", log)
	}
}

func TestInvalidItemsAreRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	offered := &servertest.Server{}
	servertest.Of(offered)
	method := func(context.Context, *exchange.Request) (any, error) { return nil, nil }
	listener := func(context.Context, *exchange.Request) error { return nil }
	for want, err := range map[string]error{
		`a method needs a name, such as "acme/reindex", and a function`:                                                      offered.AddMethod("", method),
		"the method tools/call: the name is taken: the protocol or the server already has a method of that name":             offered.AddMethod("tools/call", method),
		`a notification needs a name, such as "notifications/acme/opened", and a function`:                                   offered.AddNotification("a", nil),
		"the notification notifications/cancelled: the name is taken: the framework handles it itself":                       offered.AddNotification("notifications/cancelled", listener),
		`the capability a..b: a capability needs a name`:                                                                     offered.AddCapability("a..b", true),
		"the capability a: it must be true or a JSON object, not 7":                                                          offered.AddCapability("a", 7),
		"the resource a://{b} (resources.New): its URIs are the same as those of a://{c} (resources.New), which would serve": errors.Join(offered.AddResource(at("a://{c}")), offered.AddResource(at("a://{b}"))),
		"the prompt p (prompts.New): the name is taken":                                                                      errors.Join(offered.AddPrompt(prompts.New(prompts.Definition{Name: "p"}, ungot)), offered.AddPrompt(prompts.New(prompts.Definition{Name: "p"}, ungot))),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func at(uri string) resources.Interface {
	return resources.New(resources.Definition{URI: uri, Name: "n"}, unread)
}

func TestCapabilitiesOfTheProgramAreDeclared(t *testing.T) {
	t.Parallel()
	offered := &servertest.Server{}
	client := servertest.Of(offered)
	err := errors.Join(offered.AddCapability("custom.enabled", true), offered.AddCapability("custom.depth", 3), offered.AddCapability("plain", true), offered.AddCapability("com.example/search", map[string]int{"max": 7}))
	if err != nil {
		t.Fatal(err)
	}
	got := client.Result("server/discover", "{}")
	for _, want := range []string{`"experimental":{"custom":{"depth":3,"enabled":true},"plain":{}}`, `"extensions":{"com.example/search":{"max":7}}`} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if err := offered.AddCapability("custom.enabled.more", true); err == nil || !strings.Contains(err.Error(), "enabled already has a value") {
		t.Errorf("got %v", err)
	}
}

// deleteTool runs only if the user agrees.
type deleteTool struct {
	tools.Tool
	tools.Confirmed
	runs int
}

func (*deleteTool) Description() string     { return "Deletes a page." }
func (*deleteTool) Schema(s *schema.Object) { s.String("page").Required() }
func (d *deleteTool) Handle(context.Context, *tools.Request) (tools.Result, error) {
	d.runs++
	return tools.Text("deleted"), nil
}

func TestAConfirmedToolRunsWhenTheUserAgrees(t *testing.T) {
	t.Parallel()
	tool := &deleteTool{}
	client := servertest.Of(&servertest.Server{ToolList: []servers.Tool{tool}})
	for _, test := range []struct {
		arguments, want string
		runs            int
	}{
		{`{"page":"a"}`, `"status":"confirmation_required"`, 0},
		{`{"page":"a","confirmed":false}`, `Allow Delete with {\"page\":\"a\"}? Ask the user, then call again with confirmed set to true.`, 0},
		{`{"page":"` + strings.Repeat("é", 300) + `"}`, strings.Repeat("é", 200) + "…", 0},
		{`{"page":"a","confirmed":true}`, `"text":"deleted"`, 1},
	} {
		if got := client.Call("delete", test.arguments); !strings.Contains(got, test.want) || tool.runs != test.runs {
			t.Errorf("%.60s: after %d runs got %s", test.arguments, tool.runs, got)
		}
	}
	if got := client.List("tools"); !strings.Contains(got, `"confirmed":{"type":"boolean"`) {
		t.Errorf("the tool is listed as %s", got)
	}
}

func TestAStreamIsSentMessageByMessage(t *testing.T) {
	t.Parallel()
	stream := func(give func(yield func(tools.Message, error) bool)) *servertest.Client {
		return servertest.Of(&servertest.Server{ToolList: []servers.Tool{
			tools.New(tools.Definition{Name: "count", Description: "Counts."}, func(context.Context, *tools.Request) (tools.Result, error) { return tools.Seq(give), nil }),
		}})
	}
	reply := stream(func(yield func(tools.Message, error) bool) {
		_ = yield(tools.Notification{Method: "acme/step", Params: map[string]int{"n": 1}}, nil) && yield(tools.Notification{Method: "acme/done"}, nil) &&
			yield(tools.Text("Done."), nil) && yield(tools.Notification{Method: "acme/late"}, nil)
	}).Send("tools/call", `{"name":"count"}`)
	want := []string{`{"jsonrpc":"2.0","method":"acme/step","params":{"n":1}}`, `{"jsonrpc":"2.0","method":"acme/done"}`}
	if got := reply.Sent(); !slices.Equal(got, want) || !strings.Contains(reply.Answer().Body, "Done.") {
		t.Errorf("got %q, and then %+v", got, reply.Answers())
	}
	without := stream(func(func(tools.Message, error) bool) {}).Call("count", "{}")
	if !strings.Contains(without, "The tool count failed.") {
		t.Errorf("a stream without a result results in %s", without)
	}
}
