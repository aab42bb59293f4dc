package mcp_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// waiting is a server whose handlers wait until their context ends, and then run for a
// given time.
type waiting struct {
	servers.Server
	guardrails []guardrails.Guardrail
	own        time.Duration // each item's own Timeout
	stubborn   time.Duration
}

func (w *waiting) Guardrails() []guardrails.Guardrail { return w.guardrails }

func (w *waiting) wait(ctx context.Context) error {
	<-ctx.Done()
	time.Sleep(w.stubborn)
	return ctx.Err()
}

func (w *waiting) Tools() []servers.Tool {
	return []servers.Tool{tools.New(tools.Definition{Name: "wait", Description: "Waits.", Timeout: w.own},
		func(ctx context.Context, _ *tools.Request) (tools.Result, error) { return nil, w.wait(ctx) })}
}

func (w *waiting) Resources() []servers.Resource {
	return []servers.Resource{resources.New(resources.Definition{URI: "docs://wait", Name: "wait", Timeout: w.own},
		func(ctx context.Context, _ *resources.Request) (resources.Result, error) { return nil, w.wait(ctx) })}
}

func (w *waiting) Prompts() []servers.Prompt { return []servers.Prompt{&waitingPrompt{waiting: w}} }

type waitingPrompt struct {
	prompts.Prompt
	waiting *waiting
}

func (*waitingPrompt) Name() string             { return "wait" }
func (*waitingPrompt) Description() string      { return "Waits." }
func (p *waitingPrompt) Timeout() time.Duration { return p.waiting.own }

func (p *waitingPrompt) Arguments(arguments *prompts.Arguments) {
	arguments.Argument("a").Complete(completion.Func(func(ctx context.Context, _ *completion.Request) ([]string, error) {
		return nil, p.waiting.wait(ctx)
	}))
}

func (p *waitingPrompt) Handle(ctx context.Context, _ *prompts.Request) (prompts.Result, error) {
	return nil, p.waiting.wait(ctx)
}

func TestTimeoutEndsALongOperation(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		server *waiting
		want   time.Duration
	}{
		"the guardrail's":           {&waiting{guardrails: []guardrails.Guardrail{guardrails.Timeout(2 * time.Second)}}, 2 * time.Second},
		"the shortest of several":   {&waiting{guardrails: []guardrails.Guardrail{guardrails.Timeout(9 * time.Second), guardrails.Timeout(3 * time.Second), guardrails.Timeout(5 * time.Second)}}, 3 * time.Second},
		"than that of a thing":      {&waiting{guardrails: []guardrails.Guardrail{guardrails.Timeout(2 * time.Second)}, own: time.Minute}, 2 * time.Second},
		"a thing's own, if shorter": {&waiting{guardrails: []guardrails.Guardrail{guardrails.Timeout(2 * time.Second)}, own: time.Second}, time.Second},
		"never than the server's":   {&waiting{guardrails: []guardrails.Guardrail{guardrails.Timeout(time.Hour)}}, time.Minute},
		"of a handler that goes on": {&waiting{guardrails: []guardrails.Guardrail{guardrails.Timeout(2 * time.Second)}, stubborn: time.Minute}, 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, p := range bothEras(t, mcp.Config{}, test.server) {
					for what, ask := range map[string]func() reply{
						"a call": func() reply { return p.call("wait", nil) },
						"a read": func() reply { return p.read("docs://wait") },
						"a get":  func() reply { return p.ask("prompts/get", params{"name": "wait"}) },
						"a completion": func() reply {
							return p.ask("completion/complete", params{"ref": params{"type": "ref/prompt", "name": "wait"}, "argument": params{"name": "a", "value": ""}})
						},
					} {
						want := test.want
						if what == "a completion" && test.server.own == time.Second {
							want = 2 * time.Second // Timeout of a prompt is for getting it
						}
						start := time.Now()
						r := ask()
						if test.server.stubborn > 0 {
							// A recorder gets the answer immediately, but ServeHTTP waits
							// for the handler.
							if took := time.Since(start); took < want+test.server.stubborn {
								t.Errorf("%s: %s took %v", p.version, what, took)
							}
						} else if took := time.Since(start); took != want {
							t.Errorf("%s: %s took %v, want %v", p.version, what, took, want)
						}
						if !strings.Contains(r.body, "timed out after "+want.String()) {
							t.Errorf("%s: %s gets %s", p.version, what, r.body)
						}
					}
				}
				time.Sleep(time.Second) // for the watchdogs
			})
		})
	}
}

func TestRateLimitSaysWhenToRetry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := probeServer(t, mcp.Config{}, guardedBy(guardrails.RateLimit(10, time.Minute)))
		for what, r := range p.everything() { // these are ten
			if r.err != nil {
				t.Errorf("%s: got %s", what, r.body)
			}
		}
		for what, r := range p.everything() {
			if what == "call" {
				if text, isError := r.text(); text != "Too many requests: try again in 6 s" || !isError || r.status != http.StatusOK {
					t.Errorf("a call gets %d %s", r.status, r.body)
				}
				continue
			}
			if r.err == nil || r.err.Code != -32603 || r.err.Message != "Too many requests: try again in 6 s" || !strings.Contains(r.body, `"data":{"retryAfter":6}`) {
				t.Errorf("%s: got %s", what, r.body)
			}
		}
		time.Sleep(6 * time.Second)
		if text, isError := p.call("work", nil).text(); isError {
			t.Errorf("after the time a call gets %s", text)
		}
		if _, isError := p.call("work", nil).text(); !isError {
			t.Error("one more is let through")
		}
	})
}

func TestRateLimitCountsEachClientSeparately(t *testing.T) {
	t.Parallel()
	refused := func(p *probe) bool {
		_, isError := p.call("work", nil).text()
		return isError
	}
	config := mcp.Config{TrustedProxies: []string{"192.0.2.1"}} // the probe's own address
	for _, p := range bothEras(t, config, guardedBy(guardrails.RateLimit(1, time.Hour).On(guardrails.Call))) {
		for _, name := range []string{"ann", "bob"} {
			client, _ := p.by(name + " of " + p.version).as(p.version)
			if refused(client) || !refused(client) {
				t.Errorf("%s: %s has not one call", p.version, name)
			}
		}
	}
	p := probeServer(t, config, guardedBy(guardrails.RateLimit(1, time.Hour).On(guardrails.Call)))
	for _, address := range []string{"203.0.113.1", "203.0.113.2", "2001:db8::1"} {
		p.header["X-Forwarded-For"] = []string{"198.51.100.66, " + address}
		if refused(p) || !refused(p) {
			t.Errorf("%s has not one call", address)
		}
	}
	// Requests of the same client: from the same network, with other claims, and of the
	// other era.
	p.header["X-Forwarded-For"] = []string{"2001:db8::2"}
	if !refused(p) {
		t.Error("an address of the same network has another call")
	}
	p.header["X-Forwarded-For"] = []string{"192.0.2.99, 203.0.113.1"}
	if !refused(p) {
		t.Error("a client has made up an address")
	}
	older, _ := p.as("2025-06-18")
	if !refused(older) {
		t.Error("the older protocol has another call")
	}
	if refused(p.by("ann")) {
		t.Error("a principal at that address shares the limit of the anonymous one")
	}
}

func TestRateLimitMayHaveABurst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := probeServer(t, mcp.Config{}, guardedBy(guardrails.RateLimit(60, time.Minute, 2)))
		through := 0
		for range 10 {
			if _, isError := p.call("work", nil).text(); !isError {
				through++
			}
		}
		if through != 2 {
			t.Errorf("%d came through at once, want 2", through)
		}
	})
}

func TestASharedRateLimitCountsBothTools(t *testing.T) {
	t.Parallel()
	limit := guardrails.RateLimit(1, time.Hour)
	tool := func(name string, guardrails ...guardrails.Guardrail) servers.Tool {
		return tools.New(tools.Definition{Name: name, Description: "A tool.", Guardrails: guardrails},
			func(context.Context, *tools.Request) (tools.Result, error) { return tools.Text("done"), nil })
	}
	p := probeServer(t, mcp.Config{}, boxOf(tool("a", limit), tool("b", limit), tool("c")))
	for _, test := range []struct {
		tool    string
		refused bool
	}{{"a", false}, {"b", true}, {"c", false}, {"c", false}} {
		if _, refused := p.call(test.tool, nil).text(); refused != test.refused {
			t.Errorf("%s is refused: %t, want %t", test.tool, refused, test.refused)
		}
	}
}

// A refused call isn't validated, and an invalid call counts.
func TestRateLimitRunsBeforeValidation(t *testing.T) {
	t.Parallel()
	p := probeServer(t, mcp.Config{}, guardedBy(guardrails.RateLimit(1, time.Hour)))
	for _, want := range []string{"The arguments of work are not valid", "Too many requests"} {
		if text, _ := p.call("work", params{"task": 3}).text(); !strings.HasPrefix(text, want) {
			t.Errorf("got %s, want %s", text, want)
		}
	}
}

func TestRateLimitHoldsOnStdio(t *testing.T) {
	t.Parallel()
	p := startPipeline(t, mcp.Config{}, guardedBy(guardrails.RateLimit(1, time.Hour)))
	if got := p.ask(t, modernCall(`1`, "work", `{}`)); strings.Contains(got, "Too many") {
		t.Errorf("the first gets %s", got)
	}
	if got := p.ask(t, modernCall(`2`, "work", `{}`)); !strings.Contains(got, `"text":"Too many requests: try again in 3600 s"}],"isError":true`) {
		t.Errorf("the second gets %s", got)
	}
}

// sized is a server whose results have a given size.
func sized(limit int) servers.Interface {
	text := strings.Repeat("x", 200)
	result := map[string]tools.Result{
		"text":       tools.Text(text),
		"structured": tools.Structured(map[string]string{"text": text}),
		"blocks":     tools.Items(content.Text("x"), content.Image([]byte(text), "image/png")),
		"meta":       tools.Text("x").WithMeta(map[string]any{"example.com/a": text}),
		"small":      tools.Text("small"),
		"quoted":     tools.Text(strings.Repeat("\x01", 40)), // six bytes each
	}
	s := &library{resources: []servers.Resource{holding("docs://big", text), holding("docs://small", "small")}}
	for name, result := range result {
		s.tools = append(s.tools, doing(name, func(context.Context, *tools.Request) (tools.Result, error) { return result, nil }))
	}
	return &limited{library: s, limit: limit}
}

type limited struct {
	*library
	limit int
}

func (l *limited) Guardrails() []guardrails.Guardrail {
	return []guardrails.Guardrail{guardrails.ResponseLimit(l.limit)}
}

func (l *limited) Prompts() []servers.Prompt {
	return []servers.Prompt{prompts.New(prompts.Definition{Name: "big"}, func(context.Context, *prompts.Request) (prompts.Result, error) {
		return prompts.User(strings.Repeat("x", 200)), nil
	})}
}

func TestResponseLimitRefusesALargeResult(t *testing.T) {
	t.Parallel()
	const large = " bytes, and at most 150 may be sent. Ask for less: a part of it, or fewer items."
	for _, p := range bothEras(t, mcp.Config{}, sized(150)) {
		for _, tool := range []string{"text", "structured", "blocks", "meta", "quoted"} {
			text, isError := p.call(tool, nil).text()
			if !isError || !strings.HasPrefix(text, "The result has ") || !strings.HasSuffix(text, large) {
				t.Errorf("%s, %s: got %s", p.version, tool, text)
			}
		}
		if text, isError := p.call("small", nil).text(); isError || text != "small" {
			t.Errorf("%s: a small result becomes %s", p.version, text)
		}
		for what, r := range map[string]reply{"a read": p.read("docs://big"), "a get": p.ask("prompts/get", params{"name": "big"})} {
			if r.err == nil || r.err.Code != -32603 || !strings.HasSuffix(r.err.Message, large) {
				t.Errorf("%s: %s gets %s", p.version, what, r.body)
			}
		}
		if r := p.read("docs://small"); r.err != nil {
			t.Errorf("%s: a small read gets %s", p.version, r.body)
		}
		if r := p.ask("tools/list", nil); r.err != nil {
			t.Errorf("%s: a list gets %s", p.version, r.body)
		}
	}
}

// Size equals the number of bytes that are sent.
func TestTheSizeOfAResultIsTheSizeOfItsJSON(t *testing.T) {
	t.Parallel()
	var seen diary
	server := guardedBy(guardrails.Func(func(ctx context.Context, operation *guardrails.Operation, next guardrails.Next) error {
		err := next(ctx, operation)
		seen.note("%d", operation.Size())
		return err
	}))
	p := probeServer(t, mcp.Config{}, server)
	p.call("work", params{"task": `"`})
	if got, want := seen.read(), len(`{"type":"text","text":"done \""}`); got != "32" || want != 32 {
		t.Errorf("the size is %s, want %d", got, want)
	}
}
