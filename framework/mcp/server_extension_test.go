package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

// booting returns a server that does something when it boots.
func booting(boot func(*toolbox) error) *toolbox {
	box := boxOf()
	box.boot = func(context.Context) error { return boot(box) }
	return box
}

func TestAnAddedMethodIsAnswered(t *testing.T) {
	t.Parallel()
	box := booting(func(box *toolbox) error {
		return errors.Join(
			box.AddMethod("acme/reindex", func(_ context.Context, request *exchange.Request) (any, error) {
				var in struct {
					Page int `json:"page"`
				}
				if err := request.Bind(&in); err != nil {
					return nil, err
				}
				return map[string]any{"page": in.Page, "method": request.Method(), "client": request.Client().Name, "version": request.ProtocolVersion()}, nil
			}),
			box.AddMethod("acme/nothing", func(context.Context, *exchange.Request) (any, error) { return nil, nil }),
			box.AddMethod("acme/struct", func(context.Context, *exchange.Request) (any, error) { return struct{}{}, nil }),
			box.AddMethod("acme/meta", func(context.Context, *exchange.Request) (any, error) {
				return map[string]any{"resultType": "complete", "_meta": map[string]any{"k": "v"}}, nil
			}),
			box.AddMethod("acme/progress", func(_ context.Context, request *exchange.Request) (any, error) {
				return nil, errors.Join(request.Progress(1, 2, ""), request.Notify("acme/step", nil))
			}),
		)
	})
	modern := probeServer(t, mcp.Config{}, box)
	legacy, _ := modern.as("2025-06-18")
	const info = `"io.modelcontextprotocol/serverInfo":{"name":"toolbox","title":"Toolbox","version":"0.0.0"}`
	for _, test := range []struct{ method, modern, legacy string }{
		{
			"acme/reindex", `{"client":"probe","method":"acme/reindex","page":7,"version":"2026-07-28","resultType":"complete","_meta":{` + info + `}}`,
			`{"client":"probe","method":"acme/reindex","page":7,"version":"2025-06-18"}`,
		},
		{"acme/nothing", `{"resultType":"complete","_meta":{` + info + `}}`, `{}`},
		{"acme/struct", `{"resultType":"complete","_meta":{` + info + `}}`, `{}`},
		{"acme/meta", `{"_meta":{"k":"v",` + info + `},"resultType":"complete"}`, `{"_meta":{"k":"v"},"resultType":"complete"}`},
	} {
		if r := modern.ask(test.method, params{"page": 7}); r.status != 200 || r.result != test.modern {
			t.Errorf("modern %s: got %d\n%s\nwant\n%s", test.method, r.status, r.body, test.modern)
		}
		if r := legacy.ask(test.method, params{"page": 7}); r.status != 200 || r.result != test.legacy {
			t.Errorf("legacy %s: got %d\n%s\nwant\n%s", test.method, r.status, r.body, test.legacy)
		}
	}
	for _, p := range []*probe{modern, legacy} {
		if r := p.ask("acme/reindex", params{"page": "seven"}); r.err == nil || r.err.Code != -32602 || strings.Contains(r.err.Message, "struct") {
			t.Errorf("%s: wrong params give %s", p.version, r.body)
		}
		if r := p.ask("acme/progress", params{"_meta": params{"progressToken": 5}}); len(r.notes) != 2 || !strings.Contains(r.notes[0], `"progressToken":5,"progress":1,"total":2`) || r.err != nil {
			t.Errorf("%s: got the notifications %s before %s", p.version, r.notes, r.result)
		}
		if r := p.ask("acme/unknown", nil); r.err == nil || r.err.Code != -32601 || r.err.Message != "Method not found: acme/unknown" {
			t.Errorf("%s: got %s", p.version, r.body)
		}
	}
}

func TestMethodsNeedANameOfTheirOwn(t *testing.T) {
	t.Parallel()
	method := func(context.Context, *exchange.Request) (any, error) { return nil, nil }
	box := boxOf(saying("a", "Still here."))
	p := probeServer(t, mcp.Config{}, box)
	if err := box.AddMethod("acme/x", method); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"tools/list": "the method tools/list: the name is taken", "tools/call": "choose another name", "server/discover": "the name is taken",
		"initialize": "the name is taken", "acme/x": "the method acme/x: the name is taken", "": `a method needs a name, such as "acme/reindex", and a function`,
	} {
		wants(t, name, box.AddMethod(name, method), want)
	}
	wants(t, "nil", box.AddMethod("acme/y", nil), "and a function")
	if text, _ := p.call("a", nil).text(); text != "Still here." {
		t.Errorf("tools/call answers %q", text)
	}
}

// A registered method with a name that the modern protocol has removed serves only older
// clients.
func TestRemovedMethodsAreOnlyReachedByLegacyClients(t *testing.T) {
	t.Parallel()
	box := booting(func(box *toolbox) error {
		var problems []error
		for _, name := range []string{"ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"} {
			problems = append(problems, box.AddMethod(name, func(context.Context, *exchange.Request) (any, error) {
				return map[string]string{"own": name}, nil
			}))
		}
		return errors.Join(problems...)
	})
	modern := probeServer(t, mcp.Config{}, box)
	legacy, _ := modern.as("2025-11-25")
	for _, name := range []string{"ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"} {
		if r := modern.ask(name, nil); r.status != 404 || r.err == nil || r.err.Code != -32601 {
			t.Errorf("modern %s: got %d %s", name, r.status, r.body)
		}
		if r := legacy.ask(name, nil); r.status != 200 || r.result != fmt.Sprintf(`{"own":%q}`, name) {
			t.Errorf("legacy %s: got %d %s", name, r.status, r.body)
		}
	}
	for _, name := range []string{"initialize", "tasks/list", "tasks/result"} {
		if r := modern.ask(name, params{"protocolVersion": "2026-07-28"}); r.err == nil || r.err.Code != -32601 || r.status != 404 {
			t.Errorf("modern %s: got %d %s", name, r.status, r.body)
		}
	}
}

func TestPingIsAnsweredToLegacyClients(t *testing.T) {
	t.Parallel()
	modern := probeServer(t, mcp.Config{}, boxOf())
	legacy, _ := modern.as("2024-11-05")
	if r := legacy.ask("ping", nil); r.result != "{}" {
		t.Errorf("got %s", r.body)
	}
	if r := modern.ask("ping", nil); r.status != 404 || r.err == nil || r.err.Code != -32601 {
		t.Errorf("got %d %s", r.status, r.body)
	}
}

func TestNotificationsOfAClientReachListeners(t *testing.T) {
	t.Parallel()
	var heard []string
	var log logbook
	box := booting(func(box *toolbox) error {
		return errors.Join(
			box.AddNotification("notifications/acme/opened", func(ctx context.Context, request *exchange.Request) error {
				var in struct {
					File string `json:"file"`
				}
				if err := request.Bind(&in); err != nil {
					return err
				}
				heard = append(heard, fmt.Sprint(in.File, " ", request.Method(), " ", request.Client().Name, " ", request.ProtocolVersion(), " ", ctx.Value(role{})))
				return nil
			}),
			box.AddNotification("acme/fail", func(context.Context, *exchange.Request) error { return errors.New("no such file") }),
			box.AddNotification("acme/panic", func(context.Context, *exchange.Request) error { panic("boom") }),
			box.AddNotification("acme/answer", func(_ context.Context, request *exchange.Request) error {
				if request.Notify("a/b", nil) == nil || request.Progress(1, 1, "") == nil {
					t.Error("a notification was answered")
				}
				return nil
			}),
		)
	})
	app := mcp.New(mcp.Config{Logger: log.logger()})
	app.Router.Web("/mcp", box).Use(withRole)
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	modern := probeHandler(t, handler, "/mcp")
	modern.header.Set("X-Role", "guest")
	legacy, _ := modern.as("2025-11-25")
	for _, p := range []*probe{modern, legacy} {
		for _, method := range []string{"notifications/acme/opened", "acme/fail", "acme/panic", "acme/answer", "acme/unknown"} {
			if r := p.tell(method, params{"file": "a.txt"}); r.status != 202 || r.body != "" {
				t.Errorf("%s %s: got %d %s", p.version, method, r.status, r.body)
			}
		}
	}
	want := []string{"a.txt notifications/acme/opened probe 2026-07-28 guest", "a.txt notifications/acme/opened probe 2025-11-25 guest"}
	if fmt.Sprint(heard) != fmt.Sprint(want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
	if text := log.String(); strings.Count(text, "no such file") != 2 || strings.Count(text, "boom") != 2 {
		t.Errorf("the log is\n%s", text)
	}
}

func TestNotificationsNeedANameOfTheirOwn(t *testing.T) {
	t.Parallel()
	listener := func(context.Context, *exchange.Request) error { return nil }
	box := boxOf()
	probeServer(t, mcp.Config{}, box)
	if err := box.AddNotification("acme/x", listener); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"notifications/cancelled":   "the notification notifications/cancelled: the name is taken: the framework handles it itself, or the server already has a listener for it",
		"notifications/initialized": "the name is taken", "acme/x": "the notification acme/x: the name is taken",
		"": `a notification needs a name, such as "notifications/acme/opened", and a function`,
	} {
		wants(t, name, box.AddNotification(name, listener), want)
	}
	wants(t, "nil", box.AddNotification("acme/y", nil), "and a function")
}

func TestCapabilitiesAreDeclaredByPath(t *testing.T) {
	t.Parallel()
	type capability struct {
		name  string
		value any
	}
	for _, test := range []struct {
		name string
		add  []capability
		want string // the member capabilities
	}{
		{"a dotted path", []capability{{"customFeature.enabled", true}}, `{"experimental":{"customFeature":{"enabled":true}}}`},
		{"two in one", []capability{{"a.x", true}, {"a.y.z", 3}}, `{"experimental":{"a":{"x":true,"y":{"z":3}}}}`},
		{"one name is an object", []capability{{"customFeature", true}}, `{"experimental":{"customFeature":{}}}`},
		{"settings", []capability{{"customFeature", map[string]any{"max": 3}}}, `{"experimental":{"customFeature":{"max":3}}}`},
		{"a vendor's name is an extension", []capability{{"com.example/search", true}}, `{"extensions":{"com.example/search":{}}}`},
		{"with settings", []capability{{"com.example/search", map[string]any{"deep": false}}}, `{"extensions":{"com.example/search":{"deep":false}}}`},
		{"a struct", []capability{{"a", struct {
			B int `json:"b"`
		}{1}}}, `{"experimental":{"a":{"b":1}}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			modern := probeServer(t, mcp.Config{}, booting(func(box *toolbox) error {
				for _, add := range test.add {
					if err := box.AddCapability(add.name, add.value); err != nil {
						return err
					}
				}
				return nil
			}))
			if r := modern.ask("server/discover", nil); !strings.Contains(r.result, `"capabilities":{`+everyCapability+`,`+test.want[1:]+`,`) {
				t.Errorf("server/discover: got %s, want %s", r.result, test.want)
			}
			_, welcome := modern.as("2025-11-25")
			// Older versions don't define extensions; their clients ignore them.
			if !strings.Contains(welcome.result, `"capabilities":{`+everyCapability+`,`+test.want[1:]+`,`) {
				t.Errorf("initialize: got %s, want %s", welcome.result, test.want)
			}
		})
	}
}

func TestCapabilitiesThatCannotBeDeclaredAreRefused(t *testing.T) {
	t.Parallel()
	box := boxOf()
	p := probeServer(t, mcp.Config{}, box)
	if err := box.AddCapability("a.b", 1); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		value any
		want  string
	}{
		{"", true, "a capability needs a name"},
		{"x", func() {}, "the capability x: "},
		{"x..y", true, "the capability x..y: "},
		{"x.", true, "the capability x.: "},
		{"a.b.c", true, "the capability a.b.c: b already has a value, so it can't contain others"},
		{"x", 3, "the capability x: it must be true or a JSON object"},
		{"x", false, "the capability x: it must be true or a JSON object"},
		{"com.example/x", "yes", "the capability com.example/x: it must be true or a JSON object"},
	} {
		err := box.AddCapability(test.name, test.value)
		wants(t, fmt.Sprintf("%q, %v", test.name, test.value), err, test.want)
		if err != nil && strings.Contains(err.Error(), "%!") {
			t.Errorf("%q: the message is broken: %v", test.name, err)
		}
	}
	if r := p.ask("server/discover", nil); !strings.Contains(r.result, `"capabilities":{`+everyCapability+`,"experimental":{"a":{"b":1}}},`) {
		t.Errorf("got %s", r.result)
	}
}

func TestNothingIsAddedBeforeAServerServes(t *testing.T) {
	t.Parallel()
	box := boxOf()
	const want = "the server is not registered yet; add in Boot, or later"
	wants(t, "AddTool", box.AddTool(saying("a", "")), want)
	wants(t, "AddMethod", box.AddMethod("a/b", nil), want)
	wants(t, "AddNotification", box.AddNotification("a/b", nil), want)
	wants(t, "AddCapability", box.AddCapability("a", true), want)
	if box.RemoveTool("a") {
		t.Error("a tool was removed")
	}
}

// A listener may keep its request: its data doesn't change while others are served.
func TestAListenerMayKeepItsRequest(t *testing.T) {
	t.Parallel()
	var kept []*exchange.Request
	p := probeServer(t, mcp.Config{}, booting(func(box *toolbox) error {
		return box.AddNotification("acme/keep", func(_ context.Context, request *exchange.Request) error {
			kept = append(kept, request)
			return nil
		})
	}))
	for i := range 20 {
		p.tell("acme/keep", params{"n": i})
	}
	for i, request := range kept {
		var in struct {
			N int `json:"n"`
		}
		if err := request.Bind(&in); err != nil || in.N != i || request.Method() != "acme/keep" || request.Client().Name != "probe" {
			t.Errorf("notification %d says %s %+v of %+v (%v)", i, request.Method(), in, request.Client(), err)
		}
	}
	if len(kept) != 20 {
		t.Errorf("%d notifications were heard, want 20", len(kept))
	}
}
