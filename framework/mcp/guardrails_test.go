package mcp_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

func TestAGuardrailRunsAroundEveryKindOfOperation(t *testing.T) {
	t.Parallel()
	var seen diary
	server := guardedBy(guardrails.Func(func(ctx context.Context, operation *guardrails.Operation, next guardrails.Next) error {
		err := next(ctx, operation)
		seen.note("%s %s %s %s %v %v", operation.Server, operation.Kind, operation.Request.Method(), operation.Name, operation.IsError(), err)
		return err
	}))
	for _, p := range bothEras(t, mcp.Config{}, server) {
		seen.read()
		for what, ask := range map[string]func() reply{
			"call tools/call work":                     func() reply { return p.call("work", nil) },
			"read resources/read docs://rules":         func() reply { return p.read("docs://rules") },
			"read resources/read docs://desks/{owner}": func() reply { return p.read("docs://desks/ann") },
			"get prompts/get letter":                   func() reply { return p.ask("prompts/get", params{"name": "letter"}) },
			"complete completion/complete letter": func() reply {
				return p.ask("completion/complete", params{"ref": params{"type": "ref/prompt", "name": "letter"}, "argument": params{"name": "to", "value": ""}})
			},
			"complete completion/complete docs://desks/{owner}": func() reply {
				return p.ask("completion/complete", params{"ref": params{"type": "ref/resource", "uri": "docs://desks/ann"}, "argument": params{"name": "owner", "value": ""}})
			},
			"list tools/list ":               func() reply { return p.ask("tools/list", nil) },
			"list resources/list ":           func() reply { return p.ask("resources/list", nil) },
			"list resources/templates/list ": func() reply { return p.ask("resources/templates/list", nil) },
			"list prompts/list ":             func() reply { return p.ask("prompts/list", nil) },
		} {
			if r := ask(); r.err != nil || r.result == "" {
				t.Errorf("%s, %s: got %s", p.version, what, r.body)
			}
			if got, want := seen.read(), "office "+what+" false <nil>"; got != want {
				t.Errorf("%s: the guardrail saw %q, want %q", p.version, got, want)
			}
		}
		// A request for an unknown item is not an operation.
		p.call("nothing", nil)
		p.read("docs://nothing")
		if p.version == "2026-07-28" {
			p.ask("server/discover", nil)
		}
		if got := seen.read(); got != "" {
			t.Errorf("%s: the guardrail saw %q", p.version, got)
		}
	}
	if server.asked != 1 {
		t.Errorf("the server was asked %d times for its guardrails", server.asked)
	}
}

// A guardrail that only calls next doesn't change a byte of any answer.
func TestAGuardrailThatCallsNextChangesNoAnswer(t *testing.T) {
	t.Parallel()
	through := guardrails.Func(func(ctx context.Context, operation *guardrails.Operation, next guardrails.Next) error {
		return next(ctx, operation)
	})
	plain, guarded := bothEras(t, mcp.Config{}, guardedBy()), bothEras(t, mcp.Config{}, guardedBy(through))
	for i := range plain {
		got := guarded[i].everything()
		for what, want := range plain[i].everything() {
			if got[what].status != want.status || got[what].body != want.body {
				t.Errorf("%s, %s: got\n%s, want\n%s", plain[i].version, what, got[what].body, want.body)
			}
		}
	}
}

func TestGuardrailsRunFromTheOutsideIn(t *testing.T) {
	t.Parallel()
	var seen diary
	server := guardedBy(seen.noting("first"), seen.noting("second"))
	server.own = []guardrails.Guardrail{seen.noting("own")}
	server.work = func(context.Context, *tools.Request) (tools.Result, error) {
		seen.note("work")
		return tools.Text("done"), nil
	}
	p := probeServer(t, mcp.Config{}, server)
	const before, after = "first before; second before; own before; ", "own after; second after; first after"
	p.call("work", nil)
	if got := seen.read(); got != before+"work; "+after {
		t.Errorf("a call has %s", got)
	}
	p.read("docs://desks/ann")
	if got := seen.read(); got != before+after {
		t.Errorf("a read has %s", got)
	}
	p.ask("tools/list", nil)
	if got := seen.read(); got != "first before; second before; second after; first after" {
		t.Errorf("a list has %s", got)
	}
}

func TestAGuardrailRunsOnlyAroundItsKinds(t *testing.T) {
	t.Parallel()
	var seen diary
	p := probeServer(t, mcp.Config{}, guardedBy(seen.noting("reads").On(guardrails.Read), seen.noting("lists").On(guardrails.List, guardrails.Complete)))
	for what, want := range map[string]string{
		"tools/call": "", "resources/read": "reads before; reads after", "prompts/get": "", "prompts/list": "lists before; lists after",
	} {
		switch what {
		case "tools/call":
			p.call("work", nil)
		case "resources/read":
			p.read("docs://rules")
		case "prompts/get":
			p.ask(what, params{"name": "letter"})
		default:
			p.ask(what, nil)
		}
		if got := seen.read(); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
}

func TestItemsAddedLaterAreGuardedToo(t *testing.T) {
	t.Parallel()
	var seen diary
	server := guardedBy(seen.noting("server's"))
	p := probeServer(t, mcp.Config{}, server)
	if err := server.AddTool(saying("later", "Later.")); err != nil {
		t.Fatal(err)
	}
	p.call("later", nil)
	if got := seen.read(); got != "server's before; server's after" {
		t.Errorf("got %s", got)
	}
}

type colour struct{}

func TestAGuardrailAndTheHandlerShareARequest(t *testing.T) {
	t.Parallel()
	server := guardedBy(guardrails.Func(func(ctx context.Context, operation *guardrails.Operation, next guardrails.Next) error {
		operation.Request.Set("plan", "gold")
		err := next(context.WithValue(ctx, colour{}, "red"), operation)
		if operation.Request.Value("rows") != 3 {
			return errors.New("the handler's value is lost")
		}
		return err
	}))
	server.work = func(ctx context.Context, r *tools.Request) (tools.Result, error) {
		r.Set("rows", 3)
		return tools.Text(r.Value("plan").(string) + " " + ctx.Value(colour{}).(string)), nil
	}
	for _, p := range bothEras(t, mcp.Config{}, server) {
		if text, isError := p.call("work", nil).text(); text != "gold red" || isError {
			t.Errorf("%s: got %s", p.version, text)
		}
	}
}

func TestAGuardrailSeesTheSentArguments(t *testing.T) {
	t.Parallel()
	var seen diary
	p := probeServer(t, mcp.Config{}, guardedBy(guardrails.Func(func(_ context.Context, operation *guardrails.Operation, _ guardrails.Next) error {
		for _, name := range []string{"task", "n", "owner", "to", "none"} {
			if text, ok := operation.Argument(name); ok {
				seen.note("%s=%s", name, text)
			}
		}
		return guardrails.Errorf("Seen.")
	})))
	for what, ask := range map[string]func(){
		"task=a \"b\"; n=3": func() { p.call("work", params{"task": `a "b"`, "n": 3}) },
		"n={\"a\":[1]}":     func() { p.call("work", params{"n": params{"a": []int{1}}}) },
		"owner=ann":         func() { p.read("docs://desks/ann") },
		"to=bob":            func() { p.ask("prompts/get", params{"name": "letter", "arguments": params{"to": "bob"}}) },
		"to=b; none=x": func() {
			p.ask("completion/complete", params{
				"ref": params{"type": "ref/prompt", "name": "letter"}, "argument": params{"name": "to", "value": "b"},
				"context": params{"arguments": params{"none": "x"}},
			})
		},
		"": func() {
			p.call("work", nil)
			p.read("docs://rules")
			p.ask("prompts/get", params{"name": "letter"})
			p.ask("tools/list", nil)
		},
	} {
		ask()
		if got := seen.read(); got != what {
			t.Errorf("the guardrail saw %q, want %q", got, what)
		}
	}
}

func TestARefusalReachesTheClient(t *testing.T) {
	t.Parallel()
	var log logbook
	server := guardedBy(guardrails.Func(func(context.Context, *guardrails.Operation, guardrails.Next) error {
		return guardrails.Errorf("Closed until %d: %w.", 9, errors.New("it is night"))
	}))
	server.work = func(context.Context, *tools.Request) (tools.Result, error) {
		t.Error("the handler was called")
		return tools.Text(""), nil
	}
	for _, p := range bothEras(t, mcp.Config{Logger: log.logger()}, server) {
		for what, r := range p.everything() {
			if what == "call" {
				if text, isError := r.text(); text != "Closed until 9: it is night." || !isError {
					t.Errorf("%s, a call: got %s", p.version, r.body)
				}
				continue
			}
			if r.err == nil || r.err.Code != -32603 || r.err.Message != "Closed until 9: it is night." || r.err.Data != nil || r.status != 200 {
				t.Errorf("%s, %s: got %d %s", p.version, what, r.status, r.body)
			}
		}
	}
	if strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("a refusal is logged as an error:\n%s", log.String())
	}
}

func TestAnErrorOfAGuardrailIsAnErrorOfTheHandler(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		err        error
		call, read string // the answer to each
		log        string
	}{
		{
			"unexpected", errors.New("secret failure"), `"text":"The tool work failed. The server's log says why."`,
			`"error":{"code":-32603,"message":"Internal error"}`, "secret failure",
		},
		{
			"with a code", &exchange.Error{Code: 7, Message: "No."}, `"error":{"code":7,"message":"No."}`,
			`"error":{"code":7,"message":"No."}`, "",
		},
		{
			"as if it were not there", exchange.ErrResourceNotFound, `"error":{"code":-32602,"message":"Resource not found"}`,
			`"error":{"code":-32602,"message":"Resource not found: docs://rules"`, "",
		},
		{
			"forbidden", exchange.ErrForbidden, `"error":{"code":-32603,"message":"Forbidden"}`,
			`"error":{"code":-32603,"message":"Forbidden"}`, "",
		},
	} {
		var log logbook
		p := probeServer(t, mcp.Config{Logger: log.logger()}, guardedBy(guardrails.Func(func(context.Context, *guardrails.Operation, guardrails.Next) error {
			return test.err
		})))
		if r := p.call("work", nil); !strings.Contains(r.body, test.call) {
			t.Errorf("%s: a call gets %s, want %s", test.name, r.body, test.call)
		}
		if r := p.read("docs://rules"); !strings.Contains(r.body, test.read) {
			t.Errorf("%s: a read gets %s, want %s", test.name, r.body, test.read)
		}
		if got := strings.Contains(log.String(), "level=ERROR"); got != (test.log != "") || !strings.Contains(log.String(), test.log) {
			t.Errorf("%s: the log is\n%s", test.name, log.String())
		}
	}
}

func TestAPanicOfAGuardrailIsOneFailedOperation(t *testing.T) {
	t.Parallel()
	var log logbook
	p := probeServer(t, mcp.Config{Logger: log.logger()}, guardedBy(guardrails.Func(func(context.Context, *guardrails.Operation, guardrails.Next) error {
		panic("secret boom")
	})))
	for range 2 {
		for what, r := range p.everything() {
			failed := r.err != nil && r.err.Code == -32603
			if what == "call" {
				_, failed = r.text()
			}
			if !failed || strings.Contains(r.body, "secret") {
				t.Errorf("%s: got %s", what, r.body)
			}
		}
	}
	if got := strings.Count(log.String(), `outcome=panicked`); got != 20 {
		t.Errorf("the log has %d panics, want 20:\n%s", got, log.String())
	}
}

// However a guardrail uses next, the client gets an answer, and the handler runs at most
// once.
func TestMisuseOfNextIsAnError(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rail func(context.Context, *guardrails.Operation, guardrails.Next) error
		log  string
		runs int
	}{
		"it is never called": {
			func(context.Context, *guardrails.Operation, guardrails.Next) error { return nil },
			"a guardrail returned nil, although next was not called or failed; return an error instead", 0,
		},
		"its error is lost": {
			func(ctx context.Context, operation *guardrails.Operation, next guardrails.Next) error {
				_ = next(ctx, nil)
				return nil
			},
			"a guardrail returned nil, although next was not called or failed; return an error instead", 0,
		},
		"it is called twice": {
			func(ctx context.Context, operation *guardrails.Operation, next guardrails.Next) error {
				return errors.Join(next(ctx, operation), next(ctx, operation))
			},
			"a guardrail called next twice, or after it had returned", 1,
		},
		"another operation is given": {
			func(ctx context.Context, _ *guardrails.Operation, next guardrails.Next) error {
				return next(ctx, &guardrails.Operation{})
			},
			"a guardrail called next with another operation; pass on the one that it received", 0,
		},
	} {
		var log logbook
		runs := 0
		server := guardedBy(guardrails.Func(test.rail))
		server.work = func(context.Context, *tools.Request) (tools.Result, error) {
			runs++
			return tools.Text("done"), nil
		}
		p := probeServer(t, mcp.Config{Logger: log.logger()}, server)
		if text, isError := p.call("work", nil).text(); !isError || text != "The tool work failed. The server's log says why." {
			t.Errorf("%s: the client gets %s", name, text)
		}
		if !strings.Contains(log.String(), test.log) || runs != test.runs {
			t.Errorf("%s: the handler ran %d times, and the log is\n%s", name, runs, log.String())
		}
	}
}

// The engine waits for a next that a guardrail has left running, since the call's memory
// is reused for other clients.
func TestAGuardrailCannotLeaveAHandlerRunning(t *testing.T) {
	t.Parallel()
	started, ended := make(chan struct{}), make(chan error, 1)
	server := guardedBy(guardrails.Func(func(ctx context.Context, operation *guardrails.Operation, next guardrails.Next) error {
		go func() { ended <- next(ctx, operation) }()
		<-started
		return guardrails.Errorf("I don't wait.")
	}))
	returned := false
	server.work = func(context.Context, *tools.Request) (tools.Result, error) {
		close(started)
		returned = true
		return tools.Text("done"), nil
	}
	p := probeServer(t, mcp.Config{}, server)
	if text, isError := p.call("work", nil).text(); !isError || text != "I don't wait." || !returned {
		t.Errorf("got %s, and the handler has returned: %t", text, returned)
	}
	if err := <-ended; err != nil {
		t.Errorf("next has the error %v", err)
	}
}

func TestALateCallOfNextDoesNothing(t *testing.T) {
	t.Parallel()
	late := make(chan error, 1)
	release := make(chan struct{})
	server := guardedBy(guardrails.Func(func(ctx context.Context, operation *guardrails.Operation, next guardrails.Next) error {
		go func() {
			<-release
			late <- next(ctx, operation)
		}()
		return guardrails.Errorf("Later.")
	}))
	server.work = func(context.Context, *tools.Request) (tools.Result, error) {
		t.Error("the handler was called")
		return tools.Text(""), nil
	}
	p := probeServer(t, mcp.Config{}, server)
	p.call("work", nil)
	close(release)
	if err := <-late; err == nil {
		t.Error("next has no error")
	}
}

// A question to the client is neither a failure nor a result.
func TestAGuardrailLetsAHandlerAsk(t *testing.T) {
	t.Parallel()
	var seen diary
	server := guardedBy(guardrails.Func(func(ctx context.Context, operation *guardrails.Operation, next guardrails.Next) error {
		err := next(ctx, operation)
		seen.note("%t", errors.Is(err, exchange.ErrInputRequired))
		return err
	}))
	server.work = func(ctx context.Context, r *tools.Request) (tools.Result, error) {
		answer, err := r.Ask(ctx, "sure", ask.Confirm("Sure?"))
		if err != nil {
			return nil, err
		}
		return tools.Text(map[bool]string{true: "done", false: "left"}[answer.Accepted()]), nil
	}
	p := probeServer(t, mcp.Config{}, server)
	able := params{"io.modelcontextprotocol/clientCapabilities": params{"elicitation": params{"form": params{}}}}
	first := p.ask("tools/call", params{"name": "work", "_meta": able})
	var asked struct {
		ResultType   string `json:"resultType"`
		RequestState string `json:"requestState"`
	}
	first.decode(&asked)
	if asked.ResultType != "input_required" || seen.read() != "true" {
		t.Fatalf("the first round gets %s", first.body)
	}
	second := p.ask("tools/call", params{
		"name": "work", "_meta": able, "requestState": asked.RequestState,
		"inputResponses": params{"sure": params{"action": "accept", "content": params{"confirmed": true}}},
	})
	if !strings.Contains(second.result, `"resultType":"complete"`) || seen.read() != "false" {
		t.Errorf("the second round gets %s", second.body)
	}
}

type tooStrict struct{ plain }

func (*tooStrict) Guardrails() []guardrails.Guardrail {
	return []guardrails.Guardrail{guardrails.Timeout(time.Second).On(guardrails.Read)}
}

func TestMistakesInGuardrailsAreFoundAtBoot(t *testing.T) {
	t.Parallel()
	for want, server := range map[string]servers.Interface{
		"guardrail 1: it is empty; make it with a function of package guardrails":                                                    guardedBy(guardrails.Guardrail{}),
		"guardrail 2: Func: it has no function to call; give it one":                                                                 guardedBy(guardrails.Timeout(time.Second), guardrails.Func(nil)),
		"guardrail 1: Timeout(5ns): the time must be a millisecond or more, such as 10*time.Second":                                  guardedBy(guardrails.Timeout(5)),
		"guardrail 1: Timeout(0s): the time must be a millisecond or more, such as 10*time.Second":                                   guardedBy(guardrails.Timeout(0)),
		"guardrail 1: RateLimit(0, 1s): it needs a number and a time of a millisecond or more, and may":                              guardedBy(guardrails.RateLimit(0, 1e9)),
		"guardrail 1: RateLimit(1, 0s): it needs a number and a time":                                                                guardedBy(guardrails.RateLimit(1, 0)),
		"guardrail 1: RateLimit(2, 1s): it needs a number and a time":                                                                guardedBy(guardrails.RateLimit(2, 1e9, 1, 2)),
		"guardrail 1: ResponseLimit(0): the limit must be more than 0 bytes, such as 64<<10":                                         guardedBy(guardrails.ResponseLimit(0)),
		"guardrail 1: Permission: it has no function to call; give it one":                                                           guardedBy(guardrails.Permission(nil)),
		"guardrail 1: Timeout(1s): On must name one or more of: call, read, get, complete":                                           guardedBy(guardrails.Timeout(time.Second).On(guardrails.List)),
		"guardrail 1: ResponseLimit(1): On must name one or more of: call, read, get":                                                guardedBy(guardrails.ResponseLimit(1).On()),
		"too-strict (*mcp_test.tooStrict): guardrail 1: Timeout(1s): it runs only around read, but the operations here are: call":    boxOf(&tooStrict{}),
		"prompt 1: *mcp_test.letter: guardrail 1: Func: it runs only around call, list, but the operations here are: get, complete":  &office{own: []guardrails.Guardrail{(&diary{}).noting("").On(guardrails.Call, guardrails.List)}},
		"resource 2: *mcp_test.desk: guardrail 1: Func: it runs only around call, list, but the operations here are: read, complete": &office{own: []guardrails.Guardrail{(&diary{}).noting("").On(guardrails.Call, guardrails.List)}},
	} {
		wants(t, want, mcp.Validate(server), want)
	}
	fine := guardedBy(guardrails.Timeout(time.Second).On(guardrails.Get), guardrails.RateLimit(1, time.Millisecond, 1))
	if err := mcp.Validate(fine); err != nil {
		t.Error(err)
	}
}

func TestAGuardrailThatKeepsItsOperationReadsItsOwnArgumentsLater(t *testing.T) {
	t.Parallel()
	var kept *guardrails.Operation
	p := probeServer(t, mcp.Config{}, guardedBy(guardrails.Func(func(ctx context.Context, operation *guardrails.Operation, next guardrails.Next) error {
		if kept == nil {
			kept = operation
		}
		return next(ctx, operation)
	})))
	p.call("work", params{"task": "ann's"})
	p.call("work", params{"task": "bob's"})
	if text, _ := kept.Argument("task"); text != "ann's" {
		t.Errorf("an operation that is over has the argument %q", text)
	}
}
