package server_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/events"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/call/calltest"
	"github.com/bowline-mcp/bowline/internal/engine/dispatch"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/engine/server/servertest"
	"github.com/bowline-mcp/bowline/internal/spec"
	"github.com/bowline-mcp/bowline/internal/test/buffertest"
)

// failing returns a client of a tool, a prompt, a method and a listener that all fail with an
// error. It also returns the log.
func failing(t *testing.T, debug bool, err error) (*servertest.Client, *buffertest.Buffer) {
	t.Helper()
	log := &buffertest.Buffer{}
	config := servertest.Config(log)
	config.Debug = debug
	offered := &servertest.Server{
		ToolList: []servers.Tool{tools.New(tools.Definition{Name: "echo", Description: "Fails."}, func(context.Context, *tools.Request) (tools.Result, error) {
			return nil, err
		})},
		PromptList: []servers.Prompt{prompts.New(prompts.Definition{Name: "ask"}, func(context.Context, *prompts.Request) (prompts.Result, error) {
			return nil, err
		})},
	}
	client, problem := servertest.New(offered, config)
	if problem == nil {
		problem = offered.AddMethod("acme/reindex", func(context.Context, *exchange.Request) (any, error) { return nil, err })
	}
	if problem == nil {
		problem = offered.AddNotification("notifications/acme", func(context.Context, *exchange.Request) error { return err })
	}
	if problem != nil {
		t.Fatal(problem)
	}
	return client, log
}

// old returns the same client with version 2025-06-18.
func old(client *servertest.Client) *servertest.Client {
	changed := *client
	changed.Peer = call.Peer{Client: request.Client{Version: spec.Version20250618}}
	return &changed
}

func TestErrorsReachTheirAudience(t *testing.T) {
	t.Parallel()
	isError := func(text string) string {
		return fmt.Sprintf(`{"content":[{"type":"text","text":%q}],"isError":true}`, text)
	}
	const hidden, internal = "The tool echo failed. The server's log says why (request ID).", "error -32603: Internal error (request ID)"
	for name, test := range map[string]struct {
		err                       error
		tool, prompt, older, logs string // older is the tool's answer in 2025-06-18, "" if it is the same
	}{
		"one of the program": {errors.New("no disk"), isError(hidden), internal, "", `level=ERROR msg=call server=server tool=echo outcome=failed version=2026-07-28 reason="no disk"`},
		"one for the reader": {fmt.Errorf("wrapped: %w", tools.Errorf("No city %d.", 7)), isError("No city 7."), "error -32603: No city 7.", "", `level=INFO msg=call server=server tool=echo outcome=refused version=2026-07-28 reason="wrapped: No city 7."`},
		"one of JSON-RPC": {fmt.Errorf("secret: %w", &exchange.Error{Code: 7, Message: "Out of range", Data: func() {}}),
			"error 7: Out of range", "error 7: Out of range", "", `outcome=refused version=2026-07-28 reason="secret: Out of range"`},
		"a code that is reserved":   {&exchange.Error{Code: -32050, Message: "No."}, "error -32603: No.", "error -32603: No.", "", "outcome=refused"},
		"a code of the protocol":    {&exchange.Error{Code: -32602, Message: "No."}, "error -32602: No.", "error -32602: No.", "", "outcome=refused"},
		"an old code for resources": {&exchange.Error{Code: -32002, Message: "No."}, "error -32602: No.", "error -32602: No.", "error -32002: No.", "outcome=refused"},
		"a capability that is missing": {&exchange.Error{Code: -32021, Message: "Can't.", Err: exchange.ErrCannotAsk},
			"error -32021: Can't.", "error -32021: Can't.", isError("Can't."), "outcome=refused"},
		"no answer":    {&exchange.AskError{Key: "q", Reason: "too late"}, isError("The question q has no answer: too late"), "error -32603: The question q has no answer: too late", "", "outcome=refused"},
		"no tool":      {exchange.ErrToolNotFound, "error -32602: Tool not found", "error -32602: Tool not found", "", "outcome=refused"},
		"no prompt":    {exchange.ErrPromptNotFound, "error -32602: Prompt not found", "error -32602: Prompt not found", "", "outcome=refused"},
		"no resource":  {exchange.ErrResourceNotFound, "error -32602: Resource not found", "error -32602: Resource not found", "error -32002: Resource not found", "outcome=refused"},
		"unauthorized": {exchange.ErrUnauthorized, "error -32603: Unauthorized", "error -32603: Unauthorized", "", "outcome=refused"},
		"forbidden":    {exchange.ErrForbidden, "error -32603: Forbidden", "error -32603: Forbidden", "", "outcome=refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, log := failing(t, false, test.err)
			older := test.older
			if older == "" {
				older = test.tool
			}
			for what, pair := range map[string][2]string{
				"tool": {client.Call("echo", "{}"), test.tool}, "prompt": {client.Get("ask", "{}"), test.prompt}, "older client": {old(client).Call("echo", "{}"), older},
			} {
				if pair[0] != pair[1] {
					t.Errorf("%s: got %s, want %s", what, pair[0], pair[1])
				}
			}
			if !strings.Contains(log.String(), test.logs) {
				t.Errorf("the log is\n%s\nwithout %s", log, test.logs)
			}
		})
	}
}

// The log line of the call says that it was canceled. Errors with another cause are logged
// too.
func TestACanceledCallIsNotAFailure(t *testing.T) {
	t.Parallel()
	ended, end := context.WithCancel(t.Context())
	end()
	for _, test := range []struct {
		err  error
		logs bool
	}{
		{context.Canceled, false}, {fmt.Errorf("of a query: %w", context.Canceled), false}, {context.DeadlineExceeded, false},
		{call.ErrFinished, false}, {fmt.Errorf("%w: broken pipe", call.ErrGone), false}, {errors.New("no disk"), true},
	} {
		client, log := failing(t, false, test.err)
		client.Context = ended
		client.Call("echo", "{}")
		client.Get("ask", "{}")
		client.Result("acme/reindex", "{}")
		if got := log.String(); strings.Contains(got, "level=ERROR") || strings.Count(got, "outcome=canceled") != 3 {
			t.Errorf("%v: the log is\n%s", test.err, got)
		}
		if got := strings.Count(log.String(), "reason="); got != 0 && !test.logs || got != 3 && test.logs {
			t.Errorf("%v: %d lines say that the handler failed", test.err, got)
		}
		client.Context = t.Context()
		if client.Call("echo", "{}"); !strings.Contains(log.String(), "level=ERROR msg=call server=server tool=echo outcome=failed") {
			t.Errorf("%v: of a call that runs, the log is\n%s", test.err, log)
		}
	}
}

func TestAListenerDoesNotFailWhenItsConnectionEnds(t *testing.T) {
	t.Parallel()
	ended, end := context.WithCancel(t.Context())
	end()
	for _, test := range []struct {
		err   error
		ctx   context.Context
		fails bool
	}{
		{context.Canceled, ended, false}, {context.Canceled, t.Context(), true}, {errors.New("no disk"), ended, true}, {nil, t.Context(), false},
	} {
		client, log := failing(t, false, test.err)
		client.Core.Notified(test.ctx, calltest.Arrive(`{"jsonrpc":"2.0","method":"notifications/acme"}`), call.Peer{Client: request.Client{Version: spec.Newest}}, &calltest.Reply{})
		if got := strings.Contains(log.String(), "the listener of a notification failed"); got != test.fails {
			t.Errorf("%v: the log is\n%s", test.err, log)
		}
	}
}

func TestStatusesSayWhoTheClientIs(t *testing.T) {
	t.Parallel()
	for status, err := range map[int]error{401: exchange.ErrUnauthorized, 403: exchange.ErrForbidden, 400: &exchange.Error{Code: -32021, Message: "No."}, 418: &exchange.Error{Code: 7, Status: 418}} {
		client, _ := failing(t, false, err)
		if got := client.Send("tools/call", `{"name":"echo"}`).Answer().Status; got != status {
			t.Errorf("%v: got %d, want %d", err, got, status)
		}
	}
}

func TestDebugShowsUnexpectedErrors(t *testing.T) {
	t.Parallel()
	client, _ := failing(t, true, errors.New("no disk"))
	if got := client.Call("echo", "{}"); !strings.Contains(got, "The tool echo failed: no disk (request ID)") {
		t.Errorf("a tool: got %s", got)
	}
	if got := client.Get("ask", "{}"); got != "error -32603: Internal error: no disk (request ID)" {
		t.Errorf("a prompt: got %s", got)
	}
}

func TestAPanicIsLoggedOnceAndShownInDebug(t *testing.T) {
	t.Parallel()
	log := &buffertest.Buffer{}
	config := servertest.Config(log)
	config.Debug = true
	client, err := servertest.New(&servertest.Server{ToolList: []servers.Tool{
		tools.New(tools.Definition{Name: "echo", Description: "Panics."}, func(context.Context, *tools.Request) (tools.Result, error) { panic("boom") }),
	}}, config)
	if err != nil {
		t.Fatal(err)
	}
	got := client.Call("echo", "{}")
	if !strings.Contains(got, "The tool echo failed: the handler panicked: boom (explain_test.go:") || strings.Count(log.String(), "level=ERROR") != 1 {
		t.Errorf("got %s, and the log\n%s", got, log)
	}
}

func TestListenersGetTheOutcomesOfOperations(t *testing.T) {
	t.Parallel()
	heard, listeners := []string{}, &dispatch.Dispatcher{}
	note := func(kind string, o events.Operation, more string) {
		heard = append(heard, fmt.Sprintf("%s %s %s of %s by %q in %s%s", kind, o.Method, o.Name, o.Server, o.Principal.ID, o.Version, more))
	}
	dispatcher := (*events.Dispatcher)(listeners)
	events.Listen(dispatcher, func(_ context.Context, e events.Called) { note("called", e.Operation, "") })
	events.Listen(dispatcher, func(_ context.Context, e events.Read) { note("read", e.Operation, " "+e.URI) })
	events.Listen(dispatcher, func(_ context.Context, e events.Got) { note("got", e.Operation, "") })
	events.Listen(dispatcher, func(_ context.Context, e events.Completed) { note("completed", e.Operation, "") })
	events.Listen(dispatcher, func(_ context.Context, e events.Listed) { note("listed", e.Operation, "") })
	events.Listen(dispatcher, func(_ context.Context, e events.InputRequired) { note("asked", e.Operation, "") })
	events.Listen(dispatcher, func(_ context.Context, e events.Refused) { note("refused", e.Operation, ": "+e.Err.Error()) })
	events.Listen(dispatcher, func(_ context.Context, e events.Failed) { note("failed", e.Operation, ": "+e.Err.Error()) })
	config := servertest.Config(&buffertest.Buffer{})
	config.Events = listeners
	client, err := servertest.New(&servertest.Server{
		ToolList: []servers.Tool{
			tools.New(tools.Definition{Name: "echo", Description: "Echoes."}, func(context.Context, *tools.Request) (tools.Result, error) { return tools.Text("ho"), nil }),
			tools.New(tools.Definition{Name: "ask", Description: "Asks."}, func(ctx context.Context, request *tools.Request) (tools.Result, error) {
				_, err := request.Confirm(ctx, "sure", "Sure?")
				return nil, err
			}),
		},
		ResourceList: []servers.Resource{&UserPostsResource{}}, PromptList: []servers.Prompt{&CodeReviewPrompt{}},
	}, config)
	if err != nil {
		t.Fatal(err)
	}
	client.Context = exchange.WithPrincipal(t.Context(), exchange.Principal{ID: "ann"})
	client.Call("echo", "{}")
	client.Call("echo", `{"wrong":1}`)
	client.Read("users://7/posts")
	client.Get("code-review", `{"code":"x"}`)
	client.Result("completion/complete", `{"ref":{"type":"ref/prompt","name":"code-review"},"argument":{"name":"style","value":""}}`)
	client.List("tools")
	client.Call("none", "{}")
	client.Result("server/discover", "{}")
	client.Send("tools/call", `{"name":"ask"}`) // the client can't be asked
	want := []string{
		`called tools/call echo of server by "ann" in 2026-07-28`,
		"refused tools/call echo of server by \"ann\" in 2026-07-28: The arguments of echo are not valid:\n- /wrong: unknown property",
		`read resources/read users://{userId}/posts{?page} of server by "ann" in 2026-07-28 users://7/posts`,
		`got prompts/get code-review of server by "ann" in 2026-07-28`,
		`completed completion/complete code-review of server by "ann" in 2026-07-28`,
		`listed tools/list  of server by "ann" in 2026-07-28`,
		`refused tools/call  of server by "ann" in 2026-07-28: Unknown tool "none"`,
	}
	if len(heard) != len(want)+1 || strings.Join(heard[:len(want)], "\n") != strings.Join(want, "\n") || !strings.HasPrefix(heard[len(want)], "refused tools/call ask ") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(heard, "\n"), strings.Join(want, "\n"))
	}
}
