package mcp_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/events"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

const jobs = "com.example/jobs"

// extended is a server with an extension that has jobs.
type extended struct {
	servers.Server
	list, each *servers.Topic
	ended      chan struct{} // closed when the extension has ended
	mistake    func(*servers.Extension)
	own        []guardrails.Guardrail
}

func newExtended() *extended {
	return &extended{
		ended: make(chan struct{}),
		list:  &servers.Topic{Filter: "jobsListChanged", Notification: "notifications/jobs/list_changed"},
		each: &servers.Topic{
			Filter: "jobIds", Notification: "notifications/jobs", Key: "jobId",
			VisibleTo: func(_ context.Context, key string) bool { return key != "secret" },
			Params: func(_ context.Context, key string) (any, error) {
				if key == "broken" {
					return nil, errors.New("no database")
				}
				return map[string]any{"state": "done"}, nil
			},
		},
	}
}

func (*extended) Name() string                         { return "extended" }
func (e *extended) Guardrails() []guardrails.Guardrail { return e.own }

func (*extended) Tools() []servers.Tool {
	typed := func(of string, value any) func(context.Context, struct{}) (string, error) {
		return func(context.Context, struct{}) (string, error) {
			return "", &exchange.TypedResult{Type: of, Value: value}
		}
	}
	return []servers.Tool{
		tools.Func("later", "Begins a job.", typed("job", map[string]any{"jobId": "a"})),
		tools.Func("undeclared", "Ends in a type that no extension has.", typed("other", nil)),
		tools.Func("list", "Ends in an array instead of an object.", typed("job", []int{1})),
	}
}

func (e *extended) Extensions() []servers.Extension {
	get := func(_ context.Context, request *exchange.Request) (any, error) {
		var in struct {
			JobID string `json:"jobId"`
		}
		if err := request.Bind(&in); err != nil {
			return nil, err
		}
		return map[string]any{"job": in.JobID}, nil
	}
	extension := servers.Extension{
		Identifier: jobs, Settings: map[string]any{"push": true}, Topics: []*servers.Topic{e.list, e.each}, ResultTypes: []string{"job"},
		Methods: []servers.ExtensionMethod{
			{Name: "jobs/get", Mirrors: "jobId", Handle: get, Guardrails: []guardrails.Guardrail{guardrails.ResponseLimit(60)}},
			{Name: "jobs/open", AnyClient: true, Handle: get},
			{Name: "jobs/hidden", AnyClient: true, Handle: get, VisibleTo: func(ctx context.Context) bool { return exchange.PrincipalFrom(ctx).ID != "" }},
			{Name: "jobs/typed", Handle: func(context.Context, *exchange.Request) (any, error) { return map[string]any{"resultType": "job"}, nil }},
			{Name: "jobs/slow", AnyClient: true, Timeout: 10 * time.Millisecond, Handle: func(ctx context.Context, _ *exchange.Request) (any, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}},
			{Name: "jobs/ask", AnyClient: true, Asks: true, Handle: func(ctx context.Context, request *exchange.Request) (any, error) {
				answer, err := request.Ask(ctx, "roots", ask.Roots())
				if err != nil {
					return nil, err
				}
				return map[string]any{"roots": len(answer.Roots())}, nil
			}},
		},
		Start: func(ctx context.Context) error {
			context.AfterFunc(ctx, sync.OnceFunc(func() { close(e.ended) }))
			return nil
		},
	}
	if e.mistake != nil {
		e.mistake(&extension)
	}
	return []servers.Extension{extension}
}

// declaring returns params of a modern client that declares the extension.
func declaring(in params) params {
	in["_meta"] = params{
		"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
		"io.modelcontextprotocol/clientCapabilities": params{"extensions": params{jobs: params{}}},
	}
	return in
}

func TestAMethodOfAnExtensionIsForClientsThatDeclareIt(t *testing.T) {
	t.Parallel()
	p := probeServer(t, mcp.Config{}, newExtended())
	discovered := p.ask("server/discover", nil).result
	if want := `"extensions":{"com.example/jobs":{"push":true}}`; !strings.Contains(discovered, want) {
		t.Errorf("server/discover lacks %s: %s", want, discovered)
	}
	named := *p
	named.header = http.Header{"Mcp-Name": {"a"}}
	if r := named.ask("jobs/get", declaring(params{"jobId": "a"})); r.status != 200 || !strings.HasPrefix(r.result, `{"job":"a","resultType":"complete"`) {
		t.Errorf("a client that declares it gets %s", r.body)
	}
	if r := named.ask("jobs/get", params{"jobId": "a"}); r.status != 400 || r.err.Code != -32021 || r.err.Message != "This needs the extension com.example/jobs, which the client doesn't declare" ||
		!strings.Contains(r.body, `"data":{"requiredCapabilities":{"extensions":{"com.example/jobs":{}}}}`) {
		t.Errorf("a client that doesn't declare it gets %d %s", r.status, r.body)
	}
	for header, want := range map[string]string{"b": `Header mismatch: Mcp-Name is "b" but the body says "a"`, "": `Header mismatch: Mcp-Name is missing; it must be "a"`} {
		named.header = http.Header{}
		if header != "" {
			named.header.Set("Mcp-Name", header)
		}
		if r := named.ask("jobs/get", declaring(params{"jobId": "a"})); r.status != 400 || r.err.Code != -32020 || r.err.Message != want {
			t.Errorf("Mcp-Name %q gets %d %s", header, r.status, r.body)
		}
	}
	if r := p.ask("jobs/open", params{"jobId": "a"}); r.status != 200 {
		t.Errorf("a method for any client is answered with %d %s", r.status, r.body)
	}
	if r := p.ask("jobs/hidden", nil); r.status != 404 || r.err.Code != -32601 {
		t.Errorf("a hidden method is answered with %d %s", r.status, r.body)
	}
	p.ctx = exchange.WithPrincipal(p.ctx, exchange.Principal{ID: "ann"})
	if r := p.ask("jobs/hidden", nil); r.status != 200 {
		t.Errorf("a visible method is answered with %d %s", r.status, r.body)
	}
}

func TestAnOlderClientDeclaresAnExtensionWhenItBegins(t *testing.T) {
	t.Parallel()
	p := probeServer(t, mcp.Config{}, newExtended())
	for capabilities, want := range map[string]string{
		`{"extensions":{"com.example/jobs":{}}}`: `"result":{"job":"a"}`,
		`{}`:                                     `"error":{"code":-32600,"message":"Invalid request: this needs the extension com.example/jobs, which the client didn't declare when it sent initialize"}`,
	} {
		legacy := *p
		legacy.version, legacy.header = "2025-11-25", http.Header{}
		welcome := legacy.raw(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":`+capabilities+`,"clientInfo":{"name":"c","version":"1"}}}`, http.Header{})
		if !strings.Contains(welcome.body, `"extensions":{"com.example/jobs":{"push":true}}`) {
			t.Errorf("initialize is answered with %s", welcome.body)
		}
		legacy.header.Set("Mcp-Session-Id", welcome.header.Get("Mcp-Session-Id"))
		legacy.header.Set("Mcp-Protocol-Version", "2025-11-25")
		if r := legacy.ask("jobs/get", params{"jobId": "a"}); r.status != 200 || !strings.Contains(r.body, want) {
			t.Errorf("with %s, it gets %d %s", capabilities, r.status, r.body)
		}
	}
}

func TestACallEndsInAResultOfAnotherType(t *testing.T) {
	t.Parallel()
	var log logBuffer
	p := probeServer(t, mcp.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))}, newExtended())
	if r := p.ask("tools/call", declaring(params{"name": "later", "arguments": params{}})); r.status != 200 || !strings.HasPrefix(r.result, `{"jobId":"a","resultType":"job","_meta":`) {
		t.Errorf("a client that declares the extension gets %d %s", r.status, r.body)
	}
	legacy, _ := p.as("2025-11-25")
	for why, refused := range map[string]func() reply{
		"the client doesn't declare the extension com.example/jobs": func() reply { return p.call("later", nil) },
		"clients of the version 2025-11-25 have no result types":    func() reply { return legacy.call("later", nil) },
		`no extension of the server declares the result type`:       func() reply { return p.call("undeclared", nil) },
		"it must encode as a JSON object, not as [1]":               func() reply { return p.ask("tools/call", declaring(params{"name": "list", "arguments": params{}})) },
		`it has the resultType`:                                     func() reply { return p.ask("jobs/typed", declaring(params{})) },
	} {
		log.Reset()
		if r := refused(); !strings.Contains(r.body, "The server's log says why.") && (r.err == nil || r.err.Message != "Internal error") {
			t.Errorf("%s: got %s", why, r.body)
		}
		if got := strings.ReplaceAll(log.String(), `\"`, `"`); !strings.Contains(got, why) {
			t.Errorf("the log is %s, without %s", got, why)
		}
	}
}

// What guards, limits and observes a tool does so for each method.
func TestAMethodOfAnExtensionHasGuardrailsEventsAndTimeouts(t *testing.T) {
	t.Parallel()
	extended := newExtended()
	var lock sync.Mutex
	var seen []string
	see := func(what string) {
		lock.Lock()
		defer lock.Unlock()
		seen = append(seen, what)
	}
	extended.own = []guardrails.Guardrail{guardrails.Func(func(ctx context.Context, operation *guardrails.Operation, next guardrails.Next) error {
		id, _ := operation.Argument("jobId")
		see("guard of " + operation.Kind.String() + " " + operation.Name + " " + id)
		return next(ctx, operation)
	}).On(guardrails.Method)}
	app := mcp.New(mcp.Config{})
	app.Router.Web("/mcp", extended)
	events.Listen(app.Events, func(_ context.Context, event events.Handled) { see("handled " + event.Method + event.Name) })
	events.Listen(app.Events, func(_ context.Context, event events.Failed) { see(string(event.Outcome) + " " + event.Method) })
	events.Listen(app.Events, func(_ context.Context, event events.Refused) { see("refused " + event.Method) })
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	p := probeHandler(t, handler, "/mcp")
	if r := p.ask("jobs/open", params{"jobId": "a"}); r.status != 200 {
		t.Errorf("got %s", r.body)
	}
	if r := p.ask("jobs/slow", nil); r.err == nil || r.err.Message != "The request timed out after 10ms" {
		t.Errorf("a method that takes too long is answered with %s", r.body)
	}
	eventually(t, "the listener gets the timeout", func() bool {
		lock.Lock()
		defer lock.Unlock()
		return slices.Contains(seen, "timed out jobs/slow")
	})
	p.header = http.Header{"Mcp-Name": {strings.Repeat("a", 100)}}
	if r := p.ask("jobs/get", declaring(params{"jobId": strings.Repeat("a", 100)})); r.err == nil || !strings.HasPrefix(r.err.Message, "The result has 110 bytes, and at most 60 may be sent.") {
		t.Errorf("a result that is too large is answered with %s", r.body)
	}
	want := []string{
		"guard of method jobs/open a", "handled jobs/open", "guard of method jobs/slow ", "timed out jobs/slow",
		"guard of method jobs/get " + strings.Repeat("a", 100), "refused jobs/get",
	}
	if !slices.Equal(seen, want) {
		t.Errorf("got %q, want %q", seen, want)
	}
}

func TestAMethodOfAnExtensionNeedsScopes(t *testing.T) {
	t.Parallel()
	extended := newExtended()
	extended.mistake = func(e *servers.Extension) { e.Methods[1].Guardrails = writes() }
	handler := guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) {
		router.Web("/mcp", extended).Guard(auth.Bearer(tokens(), "mcp:use"))
	})
	for _, version := range []string{"2026-07-28", "2025-11-25"} {
		for name, want := range map[string]struct {
			status    int
			challenge string
		}{
			"ana": {403, `Bearer error="insufficient_scope", error_description="Insufficient scope: the operation needs files:write; the token has mcp:use", scope="files:write mcp:use"`},
			"bo":  {200, ""},
		} {
			p := probeHandler(t, handler, "/mcp")
			p.header.Set("Authorization", "Bearer "+name+"-token")
			p, _ = p.as(version)
			if r := p.ask("jobs/open", params{"jobId": "a"}); r.status != want.status || !strings.HasPrefix(r.header.Get("WWW-Authenticate"), want.challenge) ||
				want.challenge == "" && r.header.Get("WWW-Authenticate") != "" || (r.err == nil) != (want.challenge == "") {
				t.Errorf("%s calls it by %s and gets %d %q %s", name, version, r.status, r.header.Get("WWW-Authenticate"), r.body)
			}
		}
	}
	app := mcp.New(mcp.Config{})
	unguarded := newExtended()
	unguarded.mistake = extended.mistake
	app.Router.Web("/mcp", unguarded)
	_, err := app.Handler()
	wants(t, "a route without a guard", err, `the method jobs/open has Require("files:write"), but the route /mcp has no guard`)
}

func TestAMethodOfAnExtensionAsksTheClient(t *testing.T) {
	t.Parallel()
	p := probeServer(t, mcp.Config{}, newExtended())
	first := p.ask("jobs/ask", can(able(), nil))
	var asked struct {
		State string `json:"requestState"`
	}
	first.decode(&asked)
	given := params{"requestState": asked.State, "inputResponses": params{"roots": params{"roots": []params{{"uri": "file:///a"}}}}}
	if r := p.ask("jobs/ask", can(able(), given)); !strings.HasPrefix(r.result, `{"roots":1,`) {
		t.Errorf("after %s, the answer gets %s", first.body, r.body)
	}
	given["jobId"] = "another"
	if r := p.ask("jobs/ask", can(able(), given)); r.err == nil || !strings.Contains(r.err.Message, "the requestState doesn't belong to this request") {
		t.Errorf("the state of another request gets %s", r.body)
	}
}

func TestClientsFollowTheTopicsOfAnExtension(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		extended := newExtended()
		p := startPipeline(t, mcp.Config{}, extended)
		synctest.Wait()
		declares := strings.Replace(modernMeta, `"io.modelcontextprotocol/clientCapabilities":{}`, `"io.modelcontextprotocol/clientCapabilities":{"extensions":{"com.example/jobs":{}}}`, 1)
		listen := func(id, filter, meta string) string {
			return `{"jsonrpc":"2.0","id":` + id + `,"method":"subscriptions/listen","params":{"notifications":` + filter + `,` + meta + `}}`
		}
		const subscription = `"_meta":{"io.modelcontextprotocol/subscriptionId":1}`
		p.send(t, listen("1", `{"jobsListChanged":true,"jobIds":["a","secret","broken","c"],"strangers":true}`, declares))
		p.gets(t, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{`+subscription+`,"notifications":{"jobsListChanged":true,"jobIds":["a","broken","c"]}}}`)
		extended.list.Publish()
		extended.each.Publish("secret", "broken", "b", "c")
		p.gets(t, `{"jsonrpc":"2.0","method":"notifications/jobs/list_changed","params":{`+subscription+`}}`,
			`{"jsonrpc":"2.0","method":"notifications/jobs","params":{"state":"done","jobId":"c",`+subscription+`}}`)
		if log := p.log.String(); !strings.Contains(log, "a client is not notified of a change") || !strings.Contains(log, "no database") {
			t.Errorf("the log is %s", log)
		}
		for filter, want := range map[string]string{
			`{"jobsListChanged":1}`: `-32602,"message":"Invalid params: the member \"jobsListChanged\" of \"notifications\" must be true or false"`,
			`{"jobIds":true}`:       `-32602,"message":"Invalid params: the member \"jobIds\" of \"notifications\" must be an array of strings"`,
			`{"jobIds":[7]}`:        `-32602,"message":"Invalid params: the member \"jobIds\" of \"notifications\" must be an array of strings"`,
		} {
			if got := p.ask(t, listen("2", filter, declares)); !strings.Contains(got, want) {
				t.Errorf("%s gets %s", filter, got)
			}
		}
		if got := p.ask(t, listen("2", `{"jobIds":["a"]}`, modernMeta)); !strings.Contains(got, `"code":-32021`) {
			t.Errorf("a client that doesn't declare the extension gets %s", got)
		}
	})
}

func TestAnOlderClientFollowsTheTopicsOfAnExtensionThatItDeclares(t *testing.T) {
	t.Parallel()
	for capabilities, told := range map[string]bool{`{}`: false, `{"extensions":{"com.example/jobs":{}}}`: true} {
		synctest.Test(t, func(t *testing.T) {
			extended := newExtended()
			p := startPipeline(t, mcp.Config{}, extended)
			synctest.Wait()
			p.ask(t, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":`+capabilities+`,"clientInfo":{"name":"c","version":"1"}}}`)
			extended.list.Publish()
			extended.each.Publish("a")
			if told {
				p.gets(t, `{"jsonrpc":"2.0","method":"notifications/jobs/list_changed"}`)
			}
			p.silent(t)
		})
	}
}

func TestAnExtensionEndsWithItsServer(t *testing.T) {
	t.Parallel()
	extended := newExtended()
	p := startPipeline(t, mcp.Config{}, extended)
	p.ask(t, `{"jsonrpc":"2.0","id":0,"method":"ping"}`)
	select {
	case <-extended.ended:
		t.Error("it ends while the server serves")
	default:
	}
	p.stop()
	<-p.done
	select {
	case <-extended.ended:
	case <-time.After(time.Minute):
		t.Error("it doesn't end")
	}
	extended.list.Publish() // to no server
}

func TestMistakesInAnExtensionKeepTheProgramFromStarting(t *testing.T) {
	t.Parallel()
	handle := func(context.Context, *exchange.Request) (any, error) { return nil, nil }
	for want, mistake := range map[string]func(*servers.Extension){
		`the extension jobs: its identifier must be a reversed domain name, a slash and a name, such as "com.example/search"`: func(e *servers.Extension) { e.Identifier = "jobs" },
		"the extension com.example/jobs: the capability com.example/jobs: it must be true or a JSON object, not 7":            func(e *servers.Extension) { e.Settings = 7 },
		`a method needs a name, such as "acme/reindex", and a function`:                                                       func(e *servers.Extension) { e.Methods[0].Handle = nil },
		"the method tools/call: the name is taken: the protocol or the server already has a method of that name":              func(e *servers.Extension) { e.Methods[0] = servers.ExtensionMethod{Name: "tools/call", Handle: handle} },
		"the method jobs/open: the name is taken":                                                                             func(e *servers.Extension) { e.Methods[0] = servers.ExtensionMethod{Name: "jobs/open", Handle: handle} },
		"the method jobs/get: its Timeout is -1s":                                                                             func(e *servers.Extension) { e.Methods[0].Timeout = -time.Second },
		"the method jobs/get: guardrail 1: it is empty":                                                                       func(e *servers.Extension) { e.Methods[0].Guardrails = []guardrails.Guardrail{{}} },
		"topic 1: it is nil; give a pointer to one":                                                                           func(e *servers.Extension) { e.Topics[0] = nil },
		"topic 1: it needs a Filter":                                                                                          func(e *servers.Extension) { e.Topics[0] = &servers.Topic{Notification: "notifications/a"} },
		"and a Notification, such as":                                                                                         func(e *servers.Extension) { e.Topics[0] = &servers.Topic{Filter: "a", Notification: "a"} },
		"topic 1: the protocol or the server already has a topic with the filter toolsListChanged or the notification notifications/a; choose others": func(e *servers.Extension) {
			e.Topics[0] = &servers.Topic{Filter: "toolsListChanged", Notification: "notifications/a"}
		},
		"the result type complete belongs to the protocol or to another extension": func(e *servers.Extension) { e.ResultTypes = []string{"complete"} },
		"the result type job belongs to the protocol or to another extension":      func(e *servers.Extension) { e.ResultTypes = []string{"job", "job"} },
		"Start of the extension com.example/jobs panics: boom":                     func(e *servers.Extension) { e.Start = func(context.Context) error { panic("boom") } },
		"Start of the extension com.example/jobs: no database":                     func(e *servers.Extension) { e.Start = func(context.Context) error { return errors.New("no database") } },
	} {
		extended := newExtended()
		extended.mistake = mistake
		wants(t, want, mcp.Validate(extended), want)
	}
	twice := newExtended()
	twice.mistake = func(e *servers.Extension) { e.Methods, e.Topics, e.ResultTypes = nil, nil, nil }
	wants(t, "twice", mcp.Validate(&doubled{twice}), "the extension com.example/jobs: the server has it already; list it once")
}

// doubled is a server that lists its extension twice.
type doubled struct{ *extended }

func (d *doubled) Extensions() []servers.Extension {
	return append(d.extended.Extensions(), d.extended.Extensions()...)
}
