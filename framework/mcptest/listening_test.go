package mcptest_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/test/failuretest"
)

var versions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// A fullServer has more tools than fit on a page, one of them hidden.
type fullServer struct {
	servers.Server
	library libraryServer
}

func newFullServer() *fullServer {
	return &fullServer{library: libraryServer{
		resources: []servers.Resource{&NoteResource{}, resources.New(resources.Definition{URI: "notes://all", Name: "all"}, readNothing)},
		prompts:   []servers.Prompt{&AskPrompt{}},
	}}
}

func readNothing(context.Context, *resources.Request) (resources.Result, error) {
	return resources.Text("nothing"), nil
}

func (*fullServer) PageSize() int { return 2 }

func (*fullServer) Tools() []servers.Tool {
	list := []servers.Tool{&EchoTool{}, &hiddenTool{}}
	for i := range 4 {
		list = append(list, tools.New(tools.Definition{Name: fmt.Sprint("tool-", i), Description: "A tool."}, func(context.Context, *tools.Request) (tools.Result, error) {
			return tools.Text("done"), nil
		}))
	}
	return list
}

func (f *fullServer) Resources() []servers.Resource { return f.library.resources }
func (f *fullServer) Prompts() []servers.Prompt     { return f.library.prompts }

func TestAClientListsAllPages(t *testing.T) {
	t.Parallel()
	for _, version := range versions {
		client := mcptest.New(t, newFullServer()).Speaks(version)
		var names []string
		for _, tool := range client.Tools() {
			names = append(names, tool.Name)
		}
		if got := strings.Join(names, " "); got != "echo tool-0 tool-1 tool-2 tool-3" {
			t.Errorf("%s: the tools are %s", version, got)
		}
		if list := client.Tools(); !strings.Contains(string(list[0].InputSchema), `"message"`) || list[0].Description != "Echoes." {
			t.Errorf("%s: the first tool is %+v", version, list[0])
		}
		if list := client.Resources(); len(list) != 1 || list[0].URI != "notes://all" {
			t.Errorf("%s: the resources are %+v", version, list)
		}
		if list := client.ResourceTemplates(); len(list) != 1 || list[0].URITemplate != "notes://{folder}/{name}" {
			t.Errorf("%s: the templates are %+v", version, list)
		}
		if list := client.Prompts(); len(list) != 1 || list[0].Name != "ask" || len(list[0].Arguments) != 2 {
			t.Errorf("%s: the prompts are %+v", version, list)
		}
		client.AssertRegistered(&EchoTool{}, &NoteResource{}, &AskPrompt{}).AssertNotRegistered(&hiddenTool{}, &fineTool{})
	}
	if list := mcptest.New(t, &boxServer{tools: []servers.Tool{&EchoTool{}}}).Prompts(); list != nil {
		t.Errorf("a server without prompts lists %+v", list)
	}
}

// A strictServer tells each caller of a list about the way, and refuses those without a name.
type strictServer struct{ boxServer }

func (*strictServer) Guardrails() []guardrails.Guardrail {
	return []guardrails.Guardrail{guardrails.Func(func(ctx context.Context, operation *guardrails.Operation, next guardrails.Next) error {
		if operation.Request.Principal().ID == "" {
			return exchange.ErrForbidden
		}
		for _, message := range []string{"list", "listed"} {
			if err := operation.Request.Notify("acme/step", map[string]string{"message": message}); err != nil {
				return err
			}
		}
		return next(ctx, operation)
	})}
}

func TestAListIsReadAfterNotifications(t *testing.T) {
	t.Parallel()
	for _, version := range versions {
		client := mcptest.New(t, &strictServer{boxServer{tools: []servers.Tool{&EchoTool{}}}}).Speaks(version)
		if list := client.As(exchange.Principal{ID: "ana"}).Tools(); len(list) != 1 || list[0].Name != "echo" {
			t.Errorf("%s: the tools are %+v", version, list)
		}
	}
}

func TestAListThatIsRefusedFailsTheTest(t *testing.T) {
	t.Parallel()
	for _, version := range versions {
		got := failuretest.Of(t, func(t testing.TB) {
			mcptest.New(t, &strictServer{boxServer{tools: []servers.Tool{&EchoTool{}}}}).Speaks(version).AssertNotRegistered(&EchoTool{})
		})
		if want := "tools/list failed with the JSON-RPC error "; !strings.HasPrefix(got, want) {
			t.Errorf("%s: the test fails with %q, want %q", version, got, want)
		}
	}
}

func TestVisibilityIsAsserted(t *testing.T) {
	t.Parallel()
	for want, test := range map[string]func(t testing.TB){
		"the client sees the tool echo": func(t testing.TB) { mcptest.New(t, newFullServer()).AssertNotRegistered(&EchoTool{}) },
		"the client doesn't see the tool hidden; fullServer.Tools lists it, so it was removed or is hidden from this caller: use As with a principal that may see it": func(t testing.TB) {
			mcptest.New(t, newFullServer()).AssertRegistered(&hiddenTool{})
		},
		"the client doesn't see the tool fine; fullServer.Tools doesn't list it":                           func(t testing.TB) { mcptest.New(t, newFullServer()).AssertRegistered(&fineTool{}) },
		"the client doesn't see the prompt ask; boxServer.Prompts doesn't list it":                         func(t testing.TB) { mcptest.New(t, &boxServer{}).AssertRegistered(&AskPrompt{}) },
		"the client doesn't see the resource notes://{folder}/{name}; boxServer.Resources doesn't list it": func(t testing.TB) { mcptest.New(t, &boxServer{}).AssertRegistered(&NoteResource{}) },
		"the client sees the resource notes://{folder}/{name}":                                             func(t testing.TB) { mcptest.New(t, newFullServer()).AssertNotRegistered(&NoteResource{}) },
		"the client sees the prompt ask":                                                                   func(t testing.TB) { mcptest.New(t, newFullServer()).AssertNotRegistered(&AskPrompt{}) },
		"fullServer is not a tool, resource or prompt; pass a pointer to one, such as &tools.EchoTool{}": func(t testing.TB) {
			mcptest.New(t, newFullServer()).AssertNotRegistered(&fullServer{})
		},
	} {
		if got := failuretest.Of(t, test); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestAClientMayBeOfAnOlderVersion(t *testing.T) {
	t.Parallel()
	for _, version := range versions {
		for _, config := range []mcp.Config{{}, {Sessions: mcp.Off}} {
			tool := &actTool{act: func(_ context.Context, request *tools.Request) (tools.Result, error) {
				if err := request.Progress(1, 2, "half"); err != nil {
					return nil, err
				}
				return tools.Items(content.Text(request.ProtocolVersion() + " " + request.Client().Name)), nil
			}}
			client := mcptest.Configured(t, config, &boxServer{tools: []servers.Tool{tool, &EchoTool{}}}).Speaks(version)
			for range 2 {
				client.Tool(tool, nil).AssertOK().AssertSee(version).AssertNotified("notifications/progress")
			}
			client.Call("echo", nil).AssertError("/message: required")
			client.Call("none", nil).AssertError(`Unknown tool "none"`)
			client.With(context.WithValue(t.Context(), userKey{}, "ann")).Tool(tool, nil).AssertSee(version)
			for _, other := range versions { // a session is of one version
				client.Speaks(other).Tool(tool, nil).AssertOK().AssertSee(other)
			}
		}
	}
	for want, test := range map[string]func(t testing.TB){
		`there is no protocol version "2025-11-26"; did you mean "2025-11-25"?`: func(t testing.TB) { mcptest.New(t, newFullServer()).Speaks("2025-11-26") },
		"the server doesn't support 2025-03-26 and answers with 2025-11-25; see Config.Versions": func(t testing.TB) {
			mcptest.Configured(t, mcp.Config{Versions: []string{"2025-11-25", "2026-07-28"}}, newFullServer()).Speaks("2025-03-26").Tools()
		},
		"a client of 2025-11-25 can't answer questions in a test, so it can't have capabilities; leave out Can, or Speaks": func(t testing.TB) {
			mcptest.New(t, newFullServer()).Speaks("2025-11-25").Can("elicitation")
		},
	} {
		if got := failuretest.Of(t, test); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestASubscriptionGetsChanges(t *testing.T) {
	t.Parallel()
	for _, version := range versions {
		server := newFullServer()
		client := mcptest.New(t, server).Speaks(version)
		subscription := client.Subscribe("notes://all")
		late := tools.New(tools.Definition{Name: "late", Description: "Late."}, func(context.Context, *tools.Request) (tools.Result, error) {
			return tools.Text("late"), nil
		})
		if err := server.AddTool(late); err != nil {
			t.Fatal(err)
		}
		subscription.AssertNotified("notifications/tools/list_changed")
		server.ResourceUpdated("notes://all")
		subscription.AssertNotified("notifications/resources/updated", mcptest.Args{"uri": "notes://all"})
		if err := server.AddPrompt(prompts.New(prompts.Definition{Name: "late"}, func(context.Context, *prompts.Request) (prompts.Result, error) {
			return prompts.User("late"), nil
		})); err != nil {
			t.Fatal(err)
		}
		subscription.AssertNotified("notifications/prompts/list_changed")
		client.Call("late", nil).AssertOK()
	}
}

// A plannedServer shows its tool to those who have a plan.
type plannedServer struct {
	servers.Server
	plans sync.Map // of principals, by ID
}

type plannedTool struct {
	fineTool
	server *plannedServer
}

func (p *plannedTool) VisibleTo(ctx context.Context) bool {
	_, has := p.server.plans.Load(exchange.PrincipalFrom(ctx).ID)
	return has
}

func (p *plannedServer) Tools() []servers.Tool {
	return []servers.Tool{&plannedTool{server: p}, tools.New(tools.Definition{Name: "buy", Description: "Buys the plan."},
		func(ctx context.Context, _ *tools.Request) (tools.Result, error) {
			id := exchange.PrincipalFrom(ctx).ID
			p.plans.Store(id, true)
			p.VisibilityChangedFor(id)
			return tools.Text("Thank you."), nil
		})}
}

func TestASubscriptionGetsChangesOfVisibility(t *testing.T) {
	t.Parallel()
	for _, version := range versions {
		server := &plannedServer{}
		client := mcptest.New(t, server).Speaks(version)
		ada, bob := client.As(exchange.Principal{ID: "ada"}), client.As(exchange.Principal{ID: "bob"})
		adas, bobs := ada.Subscribe(), bob.Subscribe()
		ada.AssertNotRegistered(&plannedTool{})
		ada.Call("buy", nil).AssertOK()
		adas.AssertNotified("notifications/tools/list_changed")
		ada.AssertRegistered(&plannedTool{})
		bob.AssertNotRegistered(&plannedTool{})
		go func() { // a webhook
			server.plans.Store("bob", true)
			server.VisibilityChangedFor("bob")
		}()
		bobs.AssertNotified("notifications/tools/list_changed")
		bob.AssertRegistered(&plannedTool{})
		server.VisibilityChanged()
		adas.AssertNotified("notifications/tools/list_changed")
		bobs.AssertNotified("notifications/tools/list_changed")
	}
}

// The wait is limited, and works with the fake time of a test.
func TestASubscriptionThatGetsNothingFailsTheTest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for want, test := range map[string]func(t testing.TB){
			"the client got no notification notifications/tools/list_changed within 5s, only [notifications/resources/updated]": func(t testing.TB) {
				server := newFullServer()
				subscription := mcptest.New(t, server).Subscribe("notes://all")
				server.ResourceUpdated("notes://all")
				subscription.AssertNotified("notifications/tools/list_changed")
			},
			`a notification notifications/resources/updated has the params {"uri":"notes://all"}, want {"uri":"notes://none"}`: func(t testing.TB) {
				server := newFullServer()
				subscription := mcptest.New(t, server).Subscribe("notes://all")
				server.ResourceUpdated("notes://all")
				subscription.AssertNotified("notifications/resources/updated", mcptest.Args{"uri": "notes://none"})
			},
			"the server sends the client no updates of notes://none: it has no such resource, or hides it": func(t testing.TB) {
				mcptest.New(t, newFullServer()).Subscribe("notes://none")
			},
			"the server sends the client no updates of notes://gone: it has no such resource, or hides it": func(t testing.TB) {
				mcptest.New(t, newFullServer()).Subscribe("notes://all", "notes://gone")
			},
		} {
			if got := failuretest.Of(t, test); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		}
	})
}
